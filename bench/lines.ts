/** The figures of a row in words, for the terminal; `docs/performance.md` uses the same. */
import { median } from './measure.ts';
import { addedOf, curveVerdict, growthOf, ratioOf, spreadOf, verdictOf } from './figures.ts';
import type { Curve, Goal, Row, Unit } from './result.ts';

export function rowLines(row: Row): string {
  const { name, unit, ours, limit, goal, note, peers = [] } = row;
  const parts = [
    `${name}: ${withSpread(ours, unit)}`,
    ...(limit === undefined
      ? []
      : [`${limit.is}: ${withSpread(limit.rounds, unit)}`, besides(row)]),
    ...(goal === undefined ? [] : [`goal ${goalWords(goal, unit)}: ${verdictOf(row)}`]),
  ];
  const others = peers.map((peer) =>
    'why' in peer
      ? `    ${peer.name} ${peer.version}: ${peer.why}`
      : `    ${peer.name} ${peer.version}: ${withSpread(peer.rounds, unit)}`,
  );
  return [`  ${parts.join('; ')}`, ...others, ...(note === undefined ? [] : [`    ${note}`])].join(
    '\n',
  );
}

export function curveLines(curve: Curve): string {
  const { name, unit, along, points, flat } = curve;
  const at = points.map(({ at, rounds }) => `${grouped(at)}: ${figure(median(rounds), unit)}`);
  const verdict =
    flat === undefined ? '' : `; at most ${flat} times the first: ${curveVerdict(curve)}`;
  return `  ${name} by ${along}: ${at.join(', ')}; ${growthOf(curve).toFixed(2)} times the first${verdict}`;
}

export function withSpread(rounds: readonly number[], unit: Unit): string {
  const { median: middle, low, high } = spreadOf(rounds);
  if (rounds.length < 2) return figure(middle, unit);
  return `${figure(middle, unit)} (${digits(low)} to ${digits(high)})`;
}

/** The ratio of a row to its limit, in words. */
export function besides(row: Row): string {
  const ratio = ratioOf(row);
  const added = addedOf(row);
  if (ratio === undefined || added === undefined) return '';
  return row.goal !== undefined && 'plus' in row.goal
    ? `${signed(added.median, row.unit)} (${digits(added.low)} to ${digits(added.high)})`
    : `${ratio.median.toFixed(2)} × (${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)})`;
}

export function goalWords(goal: Goal, unit: Unit): string {
  if ('times' in goal) return `≤ ${goal.times} ×`;
  if ('plus' in goal) return `≤ +${figure(goal.plus, unit)}`;
  return 'most' in goal ? `≤ ${figure(goal.most, unit)}` : `≥ ${figure(goal.least, unit)}`;
}

export function figure(value: number, unit: Unit): string {
  return `${digits(value)} ${unit}`;
}

/** A figure below its limit is no addition. */
function signed(value: number, unit: Unit): string {
  return value < 0 ? `−${figure(-value, unit)}` : `+${figure(value, unit)}`;
}

export function grouped(value: number): string {
  return value.toLocaleString('en');
}

function digits(value: number): string {
  if (Math.abs(value) >= 100) return grouped(Math.round(value));
  return value.toFixed(Math.abs(value) >= 10 ? 1 : 2);
}
