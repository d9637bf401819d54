/** Runs writes in the order of their calls, run by run; writes of different runs run side by side. */

/** The runs that a piece of work concerns; `everything` for work on no run in particular. */
export type Concern = readonly string[] | 'everything';

const OVER = Promise.resolve();

export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();
  #everything: Promise<unknown> = OVER;

  /** Runs the work after all earlier work that concerns the same runs. */
  take<T>(concern: Concern, work: () => Promise<T>): Promise<T> {
    const before =
      concern === 'everything'
        ? [this.#everything, ...this.#last.values()]
        : [this.#everything, ...concern.map((each) => this.#last.get(each) ?? OVER)];
    const turn = Promise.all(before).then(work);
    const over = turn.then(ignore, ignore);
    if (concern === 'everything') this.#everything = over;
    else for (const each of concern) this.#follow(each, over);
    return turn;
  }

  /** Resolves when all work so far is over. */
  async over(): Promise<void> {
    await Promise.all([this.#everything, ...this.#last.values()]);
  }

  #follow(concern: string, over: Promise<unknown>): void {
    this.#last.set(concern, over);
    void over.then(() => {
      if (this.#last.get(concern) === over) this.#last.delete(concern);
    });
  }
}

function ignore(): void {
  // the caller gets the error
}
