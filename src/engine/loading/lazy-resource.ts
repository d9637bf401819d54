/** Something that is made when it is first wanted, and only then has to be closed. */
export class LazyResource<T> {
  readonly #make: () => Promise<T>;
  #making: Promise<T> | undefined;
  #made: T | undefined;

  constructor(make: () => Promise<T>) {
    this.#make = make;
  }

  /** Undefined until it was made. */
  get made(): T | undefined {
    return this.#made;
  }

  get(): Promise<T> {
    return (this.#making ??= this.#keep());
  }

  /** Does something with it, if it was ever made. */
  async ifMade(use: (made: T) => Promise<unknown>): Promise<void> {
    if (this.#making !== undefined) await use(await this.#making);
  }

  async #keep(): Promise<T> {
    return (this.#made = await this.#make());
  }
}
