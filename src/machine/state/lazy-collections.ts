/**
 * Lazy maps and sets: they allocate nothing while empty, and no table for a single entry. A run has some twenty
 * collections, most of them never used, and most others with one entry that comes and goes with each step; a process
 * may hold ten thousand waiting runs.
 */

export class LazyMap<K, V> {
  #one: [K, V] | undefined;
  /** From the second entry on, until it is empty. */
  #held: Map<K, V> | undefined;

  get size(): number {
    if (this.#held !== undefined) return this.#held.size;
    return this.#one === undefined ? 0 : 1;
  }

  get(key: K): V | undefined {
    if (this.#held !== undefined) return this.#held.get(key);
    return this.#one !== undefined && this.#one[0] === key ? this.#one[1] : undefined;
  }

  has(key: K): boolean {
    if (this.#held !== undefined) return this.#held.has(key);
    return this.#one !== undefined && this.#one[0] === key;
  }

  set(key: K, value: V): void {
    if (this.#held !== undefined) this.#held.set(key, value);
    else if (this.#one === undefined || this.#one[0] === key) this.#one = [key, value];
    else {
      this.#held = new Map([this.#one, [key, value]]);
      this.#one = undefined;
    }
  }

  delete(key: K): boolean {
    if (!this.has(key)) return false;
    this.#one = undefined;
    this.#held?.delete(key);
    if (this.#held?.size === 0) this.#held = undefined;
    return true;
  }

  clear(): void {
    this.#one = undefined;
    this.#held = undefined;
  }

  keys(): IterableIterator<K> {
    return this.#held?.keys() ?? (this.#one === undefined ? [] : [this.#one[0]]).values();
  }

  values(): IterableIterator<V> {
    return this.#held?.values() ?? (this.#one === undefined ? [] : [this.#one[1]]).values();
  }

  [Symbol.iterator](): IterableIterator<[K, V]> {
    return this.#held?.entries() ?? (this.#one === undefined ? [] : [this.#one]).values();
  }
}

export class LazySet<T> {
  #one: { readonly value: T } | undefined;
  /** From the second value on, until it is empty. */
  #held: Set<T> | undefined;

  get size(): number {
    if (this.#held !== undefined) return this.#held.size;
    return this.#one === undefined ? 0 : 1;
  }

  /** The oldest value. */
  get first(): T | undefined {
    if (this.#held === undefined) return this.#one?.value;
    const [first] = this.#held;
    return first;
  }

  has(value: T): boolean {
    if (this.#held !== undefined) return this.#held.has(value);
    return this.#one !== undefined && this.#one.value === value;
  }

  add(value: T): void {
    if (this.#held !== undefined) this.#held.add(value);
    else if (this.#one === undefined) this.#one = { value };
    else if (this.#one.value !== value) {
      this.#held = new Set([this.#one.value, value]);
      this.#one = undefined;
    }
  }

  delete(value: T): boolean {
    if (!this.has(value)) return false;
    this.#one = undefined;
    this.#held?.delete(value);
    if (this.#held?.size === 0) this.#held = undefined;
    return true;
  }

  clear(): void {
    this.#one = undefined;
    this.#held = undefined;
  }

  [Symbol.iterator](): IterableIterator<T> {
    return this.#held?.values() ?? (this.#one === undefined ? [] : [this.#one.value]).values();
  }
}
