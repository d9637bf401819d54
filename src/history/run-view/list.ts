/**
 * A list that never changes: adding or replacing an item gives a new one, which shares all but a few
 * items with the old one. So a long run can be folded event by event, and every view stays as it was.
 */

/** Items in a row that are copied when one of them changes. */
const CHUNK = 64;

export class List<T> implements Iterable<T> {
  readonly length: number;
  readonly #chunks: readonly (readonly T[])[];

  private constructor(chunks: readonly (readonly T[])[], length: number) {
    this.#chunks = chunks;
    this.length = length;
  }

  static of<T>(items: Iterable<T>): List<T> {
    const all = [...items];
    const chunks: T[][] = [];
    for (let at = 0; at < all.length; at += CHUNK) chunks.push(all.slice(at, at + CHUNK));
    return new List(chunks, all.length);
  }

  at(index: number): T | undefined {
    const place = index < 0 ? this.length + index : index;
    return this.#chunks[Math.floor(place / CHUNK)]?.[place % CHUNK];
  }

  with(index: number, item: T): List<T> {
    const place = Math.floor(index / CHUNK);
    const chunk = this.#chunks[place] ?? [];
    return new List(this.#chunks.with(place, chunk.with(index % CHUNK, item)), this.length);
  }

  add(item: T): List<T> {
    const last = this.#chunks.at(-1);
    const chunks =
      last === undefined || last.length === CHUNK
        ? [...this.#chunks, [item]]
        : this.#chunks.with(-1, [...last, item]);
    return new List(chunks, this.length + 1);
  }

  withoutLast(): List<T> {
    const last = this.#chunks.at(-1);
    if (last === undefined) return this;
    const chunks =
      last.length === 1 ? this.#chunks.slice(0, -1) : this.#chunks.with(-1, last.slice(0, -1));
    return new List(chunks, this.length - 1);
  }

  map<U>(change: (item: T, index: number) => U): U[] {
    return Array.from(this, change);
  }

  filter(fits: (item: T) => boolean): T[] {
    return [...this].filter(fits);
  }

  find(fits: (item: T) => boolean): T | undefined {
    for (const item of this) if (fits(item)) return item;
    return undefined;
  }

  /** Some items in a row, for a window over a long list. */
  slice(from: number, to: number): T[] {
    const found: T[] = [];
    for (let at = Math.max(0, from); at < Math.min(to, this.length); at++) {
      const item = this.at(at);
      if (item !== undefined) found.push(item);
    }
    return found;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (const chunk of this.#chunks) yield* chunk;
  }

  toJSON(): readonly T[] {
    return [...this];
  }
}
