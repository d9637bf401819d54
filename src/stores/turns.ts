/** Writes in the order in which they are asked for, run by run: those of different runs go side by side. */

/** What concerns no run, or every run. */
export type Concern = readonly string[] | 'everything';

const OVER = Promise.resolve();

export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();
  #everything: Promise<unknown> = OVER;

  /** Runs the work when everything that was asked for before and concerns the same is over. */
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

  /** Fulfilled when all that was asked for so far is over. */
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
  // whoever asked hears how it went
}
