/**
 * Lazy maps and sets: they allocate nothing while empty. A run has some twenty collections, most of
 * them never used, and a process may hold ten thousand waiting runs.
 */

const NO_ENTRIES = new Map<never, never>();
const NO_VALUES = new Set<never>();

export class LazyMap<K, V> {
  private held: Map<K, V> | undefined;

  get size(): number {
    return this.held === undefined ? 0 : this.held.size;
  }

  get(key: K): V | undefined {
    return this.held?.get(key);
  }

  has(key: K): boolean {
    return this.held !== undefined && this.held.has(key);
  }

  set(key: K, value: V): void {
    (this.held ??= new Map()).set(key, value);
  }

  delete(key: K): boolean {
    if (this.held === undefined || !this.held.delete(key)) return false;
    if (this.held.size === 0) this.held = undefined;
    return true;
  }

  clear(): void {
    this.held = undefined;
  }

  keys(): MapIterator<K> {
    return (this.held ?? NO_ENTRIES).keys();
  }

  values(): MapIterator<V> {
    return (this.held ?? NO_ENTRIES).values();
  }

  [Symbol.iterator](): MapIterator<[K, V]> {
    return (this.held ?? NO_ENTRIES)[Symbol.iterator]();
  }
}

export class LazySet<T> {
  private held: Set<T> | undefined;

  get size(): number {
    return this.held === undefined ? 0 : this.held.size;
  }

  has(value: T): boolean {
    return this.held !== undefined && this.held.has(value);
  }

  add(value: T): void {
    (this.held ??= new Set()).add(value);
  }

  delete(value: T): boolean {
    if (this.held === undefined || !this.held.delete(value)) return false;
    if (this.held.size === 0) this.held = undefined;
    return true;
  }

  clear(): void {
    this.held = undefined;
  }

  [Symbol.iterator](): SetIterator<T> {
    return (this.held ?? NO_VALUES)[Symbol.iterator]();
  }
}
