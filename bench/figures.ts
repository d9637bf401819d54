/**
 * Computes the figures of a row: medians, spreads, the ratio to its limit, and whether it meets its
 * goal.
 */
import { median } from './measure.ts';
import type { Curve, Goal, Peer, Row } from './result.ts';

export interface Spread {
  readonly median: number;
  /** A quarter of the rounds lies below `low`, and a quarter above `high`. */
  readonly low: number;
  readonly high: number;
}

/** Undecided: the measurement is too coarse for a verdict, so the goal is not met. */
export type Verdict = 'met' | 'missed' | 'undecided' | 'no goal';

export function spreadOf(rounds: readonly number[]): Spread {
  const sorted = rounds.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.floor(share * (sorted.length - 1))] ?? 0;
  return { median: median(rounds), low: at(0.25), high: at(0.75) };
}

/** The ratio of a row to its limit, round by round; undefined without a limit. */
export function ratioOf({ ours, limit }: Row): Spread | undefined {
  if (limit === undefined) return undefined;
  return spreadOf(ours.map((value, round) => value / (limit.rounds[round] ?? Infinity)));
}

/** The time that a row adds to its limit, round by round. */
export function addedOf({ ours, limit }: Row): Spread | undefined {
  if (limit === undefined) return undefined;
  return spreadOf(ours.map((value, round) => value - (limit.rounds[round] ?? 0)));
}

export function verdictOf(row: Row): Verdict {
  const { goal, bounds } = row;
  if (goal === undefined) return 'no goal';
  if (bounds === undefined) return keeps(row, goal) ? 'met' : 'missed';
  const ends = [bounds.low, bounds.high].map((value) => keeps({ ...row, ours: [value] }, goal));
  if (ends.includes(true) && ends.includes(false)) return 'undecided';
  return ends.includes(true) ? 'met' : 'missed';
}

function keeps(row: Row, goal: Goal): boolean {
  if ('times' in goal) return (ratioOf(row)?.median ?? Infinity) <= goal.times;
  if ('plus' in goal) return (addedOf(row)?.median ?? Infinity) <= goal.plus;
  if ('most' in goal) return median(row.ours) <= goal.most;
  return median(row.ours) >= goal.least;
}

/**
 * The share of its goal that a row takes: up to 1 it is met. Undefined without a goal, or if the
 * goal is zero.
 */
export function goalShare(row: Row): number | undefined {
  const { goal, ours } = row;
  if (goal === undefined) return undefined;
  const share = (value: number | undefined, most: number): number | undefined =>
    value === undefined || most === 0 ? undefined : value / most;
  if ('times' in goal) return share(ratioOf(row)?.median, goal.times);
  if ('plus' in goal) return share(addedOf(row)?.median, goal.plus);
  if ('most' in goal) return share(median(ours), goal.most);
  return share(goal.least, median(ours));
}

/** The fastest of the peers that did the work; if more is better, the one with the most. */
export function bestPeer({
  peers = [],
  unit,
}: Row): (Peer & { rounds: readonly number[] }) | undefined {
  const did = peers.filter((peer) => 'rounds' in peer);
  const sign = unit.endsWith('/s') ? -1 : 1;
  return did.toSorted((a, b) => sign * (median(a.rounds) - median(b.rounds)))[0];
}

/** The cost of the last point as a multiple of the first. */
export function growthOf({ points }: Curve): number {
  const [first, last] = [points[0], points.at(-1)];
  return median(last?.rounds ?? []) / median(first?.rounds ?? []);
}

export function curveVerdict(curve: Curve): Verdict {
  if (curve.flat === undefined) return 'no goal';
  return growthOf(curve) <= curve.flat ? 'met' : 'missed';
}
