/** Counts the situations in all runs, and the seeds that broke laws. */
import { MEETINGS, metIn, type Meeting } from './met.ts';
import type { Trial } from './trial.ts';

interface Broken {
  readonly promise: string;
  readonly seeds: number[];
  readonly example: string;
}

export class Tally {
  readonly #counts = new Map<string, number>();
  readonly #broken = new Map<string, Broken>();
  #runs = 0;

  add({ seed, subject, breaches }: Trial): void {
    this.#runs++;
    this.#count('events', subject.events.length);
    this.#count('executions', subject.executions.length);
    this.#count('legs', subject.legs.length);
    for (const { what } of subject.incidents) this.#count(what, 1);
    for (const what of metIn(subject)) this.#count(what, 1);
    this.#count(`ended ${subject.result.status}`, 1);
    for (const { law, said } of breaches) {
      const known = this.#broken.get(law.name);
      if (known !== undefined) known.seeds.push(seed);
      else
        this.#broken.set(law.name, {
          promise: law.promise,
          seeds: [seed],
          example: said[0] ?? '',
        });
    }
  }

  summary(): string {
    const deaths = this.#sum('died before commit', 'died after commit', 'hung', 'stuck');
    const store = this.#sum('store refused', 'store forgot', 'store slow', 'claim lost');
    const rest = [...this.#counts].map(([what, count]) => `${count} ${what}`).join(', ');
    return `${this.#runs} runs, ${deaths} deaths of processes, ${store} faults of the store; ${rest}`;
  }

  /** The situations that occurred in no run. */
  missing(): readonly Meeting[] {
    return MEETINGS.filter((what) => !this.#counts.has(what));
  }

  /** Empty if every law held. */
  failures(): string {
    return [...this.#broken]
      .map(
        ([law, { promise, seeds, example }]) =>
          `${promise}: ${law}\n  broken by ${seeds.length} seeds, such as ${seeds.slice(0, 5).join(', ')}: ${example}\n  alone: SEED=${seeds[0]} npx vitest run test/simulation`,
      )
      .join('\n');
  }

  #count(what: string, by: number): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + by);
  }

  #sum(...names: readonly string[]): number {
    return names.reduce((sum, name) => sum + (this.#counts.get(name) ?? 0), 0);
  }
}
