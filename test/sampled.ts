/**
 * A part of what a suite could try, and another part with each commit: what would take minutes is
 * tried in whole over a few commits, not at each of them. `SAMPLE=…` repeats the choice that a suite
 * has printed; `SAMPLE=all` and `npm run soak` leave nothing out.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { IS_SOAK, runs } from './runs.ts';

const ALL = 'all';

/** What the choice is made from. */
const SAMPLE = IS_SOAK ? ALL : (process.env['SAMPLE'] ?? commit() ?? 'no commit');
export const IS_WHOLE = SAMPLE === ALL;

export interface Choice {
  /** One of how many is taken. */
  readonly oneOf: number;
  /** What is chosen from: two suites of one commit take different parts. */
  readonly what: string;
  readonly sample?: string;
}

/** Every so manyth, from a place that the commit decides; at least one, unless there is none. */
export function sampled<Item>(
  items: readonly Item[],
  { oneOf, what, sample = SAMPLE }: Choice,
): readonly Item[] {
  if (sample === ALL) return items;
  const step = Math.min(oneOf, items.length);
  const first = drawn(what, step, sample);
  return items.filter((_, index) => index % step === first);
}

/** A number from 0 to below `below`, of which the commit decides. */
export function drawn(what: string, below: number, sample = SAMPLE): number {
  const hash = createHash('sha256').update(`${sample}\n${what}`).digest();
  return below === 0 ? 0 : hash.readUInt32BE() % below;
}

/** As many seeds in a row as `runs` says, of those from 0 to below `full`. */
export function seeds(full: number, what: string, sample = SAMPLE): readonly number[] {
  const isWhole = sample === ALL;
  const first = isWhole ? 0 : drawn(what, full, sample);
  const count = isWhole ? full : runs(full);
  return Array.from({ length: count }, (_, index) => (first + index) % full);
}

/** A line for the end of a suite that took a part. */
export function howToRepeat(file: string): string {
  if (IS_WHOLE) return 'all of it, nothing left out';
  return `a part, chosen by the commit; the same: SAMPLE='${SAMPLE}' npx vitest run ${file}; all: SAMPLE=all`;
}

/** Undefined where there is no repository, as in an archive of the sources. */
function commit(): string | undefined {
  const git = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return git.status === 0 ? git.stdout.trim() : undefined;
}
