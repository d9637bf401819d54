/**
 * Measures several things in rounds, in another order each round, so that other work of the machine
 * disturbs all of them alike. The median of each counts, and the spread is printed beside it.
 */
import { median } from './measure.ts';
import { inShuffledRounds } from './rounds.ts';

export interface Spent {
  readonly wallMs: number;
  /** The CPU time of the whole process, including its collector and compiler. */
  readonly cpuMs: number;
}

/** A measure that is taken once in each round. */
export interface Case {
  readonly name: string;
  readonly run: () => Spent | Promise<Spent>;
}

export type Rounds = Readonly<Record<string, readonly Spent[]>>;

export async function casesInRounds(rounds: number, cases: readonly Case[]): Promise<Rounds> {
  return inShuffledRounds(rounds, Object.fromEntries(cases.map(({ name, run }) => [name, run])));
}

/** The cost of each piece of the work. */
export async function spentOn(pieces: number, work: () => unknown): Promise<Spent> {
  const cpu = process.cpuUsage();
  const startMs = performance.now();
  await work();
  const wallMs = performance.now() - startMs;
  const { user, system } = process.cpuUsage(cpu);
  return { wallMs: wallMs / pieces, cpuMs: (user + system) / 1000 / pieces };
}

export interface Summary {
  readonly ms: number;
  /** A quarter of the rounds lies below the first, a quarter above the second. */
  readonly spread: readonly [number, number];
}

export function summaryOf(rounds: Rounds, name: string, by: keyof Spent): Summary {
  const values = (rounds[name] ?? []).map((spent) => spent[by]).toSorted((a, b) => a - b);
  const at = (part: number): number => values[Math.floor((values.length - 1) * part)] ?? Infinity;
  return { ms: median(values), spread: [at(0.25), at(0.75)] };
}

/** Such as `17.2 to 19.0 µs`. */
export function spreadText({ spread: [low, high] }: Summary): string {
  return high < 1
    ? `${(low * 1000).toFixed(1)} to ${(high * 1000).toFixed(1)} µs`
    : `${low.toFixed(1)} to ${high.toFixed(1)} ms`;
}
