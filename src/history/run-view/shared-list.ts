/**
 * A list that never changes: adding or replacing an item gives a new one, which shares all but a few
 * items with the old one. So a long run can be folded event by event, and every view stays as it was.
 * It is a tree whose branches have up to 32 parts, all of its leaves as deep as each other.
 */
const BITS = 5;
const WIDTH = 1 << BITS;
const MASK = WIDTH - 1;

/** Items at the bottom, other parts above. */
type Part<T> = readonly (T | Part<T>)[];

export class List<T> implements Iterable<T> {
  readonly length: number;
  readonly #root: Part<T>;
  /** By how many bits an index is shifted at the root. */
  readonly #shift: number;

  private constructor(root: Part<T>, shift: number, length: number) {
    this.#root = root;
    this.#shift = shift;
    this.length = length;
  }

  static of<T>(items: Iterable<T>): List<T> {
    const all = [...items];
    let parts: (T | Part<T>)[] = all;
    let shift = 0;
    for (; parts.length > WIDTH; shift += BITS) {
      const above: Part<T>[] = [];
      for (let at = 0; at < parts.length; at += WIDTH) above.push(parts.slice(at, at + WIDTH));
      parts = above;
    }
    return new List(parts, shift, all.length);
  }

  /** A negative index counts from the end. */
  at(index: number): T | undefined {
    const place = index < 0 ? this.length + index : index;
    if (place < 0 || place >= this.length) return undefined;
    let part = this.#root;
    // every part above the bottom has parts in it
    for (let shift = this.#shift; shift > 0; shift -= BITS)
      part = part[(place >> shift) & MASK] as Part<T>;
    return part[place & MASK] as T;
  }

  with(index: number, item: T): List<T> {
    return new List(replaced(this.#root, this.#shift, index, item), this.#shift, this.length);
  }

  add(item: T): List<T> {
    const { length } = this;
    const isFull = length === WIDTH << this.#shift;
    const root = isFull ? [this.#root] : this.#root;
    const shift = isFull ? this.#shift + BITS : this.#shift;
    return new List(replaced(root, shift, length, item), shift, length + 1);
  }

  /** The item stays in the tree, beyond the length, until the next one takes its place. */
  withoutLast(): List<T> {
    return new List(this.#root, this.#shift, Math.max(0, this.length - 1));
  }

  map<U>(change: (item: T, index: number) => U): U[] {
    const changed: U[] = [];
    this.forEach((item, index) => changed.push(change(item, index)));
    return changed;
  }

  filter(fits: (item: T) => boolean): T[] {
    const found: T[] = [];
    this.forEach((item) => fits(item) && found.push(item));
    return found;
  }

  /** For long lists: it looks for no item by its place. */
  forEach(take: (item: T, index: number) => void): void {
    eachIn(this.#root, this.#shift, 0, (item, index) => {
      // a removed item may lie beyond the end
      if (index < this.length) take(item, index);
    });
  }

  find(fits: (item: T) => boolean): T | undefined {
    for (const item of this) if (fits(item)) return item;
    return undefined;
  }

  /** Some items in a row, for a window over a long list. */
  slice(from: number, to: number): T[] {
    const found: T[] = [];
    // the index is one of this list
    for (let at = Math.max(0, from); at < Math.min(to, this.length); at++)
      found.push(this.at(at) as T);
    return found;
  }

  *[Symbol.iterator](): Iterator<T> {
    for (let at = 0; at < this.length; at += WIDTH) yield* this.slice(at, at + WIDTH);
  }

  toJSON(): readonly T[] {
    return [...this];
  }
}

function eachIn<T>(
  part: Part<T>,
  shift: number,
  first: number,
  take: (item: T, index: number) => void,
): void {
  for (let at = 0; at < part.length; at++) {
    // every part above the bottom has parts in it
    if (shift === 0) take(part[at] as T, first + at);
    else eachIn(part[at] as Part<T>, shift - BITS, first + (at << shift), take);
  }
}

/** A part with another item in it; the place after the last one may be new. */
function replaced<T>(part: Part<T>, shift: number, index: number, item: T): Part<T> {
  const copy = part.slice();
  const at = (index >> shift) & MASK;
  // every part above the bottom has parts in it
  copy[at] = shift === 0 ? item : replaced((part[at] ?? []) as Part<T>, shift - BITS, index, item);
  return copy;
}
