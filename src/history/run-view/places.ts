/**
 * Places of steps by their paths. Paths are only ever added, so views share one map; a view that
 * diverges from the others gets its own.
 */
export class Places {
  readonly #shared: Map<string, number>;
  readonly #size: number;

  private constructor(shared: Map<string, number>, size: number) {
    this.#shared = shared;
    this.#size = size;
  }

  static of(paths: Iterable<string>): Places {
    const shared = new Map(Array.from(paths, (path, at) => [path, at] as const));
    return new Places(shared, shared.size);
  }

  get(path: string): number | undefined {
    const at = this.#shared.get(path);
    return at !== undefined && at < this.#size ? at : undefined;
  }

  /** The path gets the next place. */
  add(path: string): Places {
    const isShared = this.#shared.size > this.#size;
    const places = isShared ? new Map([...this.#shared].slice(0, this.#size)) : this.#shared;
    places.set(path, this.#size);
    return new Places(places, this.#size + 1);
  }

  toJSON(): undefined {
    return undefined;
  }
}
