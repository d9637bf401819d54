/** Something that is made when it is first wanted, and only then has to be closed. */
export class LazyResource<T> {
  readonly #make: () => Promise<T>;
  #made: Promise<T> | undefined;

  constructor(make: () => Promise<T>) {
    this.#make = make;
  }

  get(): Promise<T> {
    return (this.#made ??= this.#make());
  }

  /** Does something with it, if it was ever made. */
  async ifMade(use: (made: T) => Promise<unknown>): Promise<void> {
    if (this.#made !== undefined) await use(await this.#made);
  }
}
