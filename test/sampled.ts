/**
 * A part of the cases of a suite, and another part with each commit: a few commits together try
 * everything that would take minutes at each of them. `SAMPLE=…` repeats the choice that a suite
 * has printed; `SAMPLE=all` and `npm run soak` leave nothing out.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { IS_SOAK, runs } from './runs.ts';

const ALL = 'all';

/** The seed of the choice. */
const SAMPLE = IS_SOAK ? ALL : (process.env['SAMPLE'] ?? commit() ?? 'no commit');
export const IS_WHOLE = SAMPLE === ALL;

export interface Choice {
  /** One of this many is taken. */
  readonly oneOf: number;
  /** The name of the choice: two suites of one commit take different parts. */
  readonly what: string;
  readonly sample?: string;
}

/**
 * Every n-th item, from a start that the commit determines; at least one, unless there are none.
 */
export function sampled<Item>(
  items: readonly Item[],
  { oneOf, what, sample = SAMPLE }: Choice,
): readonly Item[] {
  if (sample === ALL) return items;
  const step = Math.min(oneOf, items.length);
  const first = drawn(what, step, sample);
  return items.filter((_, index) => index % step === first);
}

/** A number from 0 to below `below`, which the commit determines. */
export function drawn(what: string, below: number, sample = SAMPLE): number {
  const hash = createHash('sha256').update(`${sample}\n${what}`).digest();
  return below === 0 ? 0 : hash.readUInt32BE() % below;
}

/** As many consecutive seeds as `runs` says, from 0 to below `full`. */
export function seeds(full: number, what: string, sample = SAMPLE): readonly number[] {
  const isWhole = sample === ALL;
  const first = isWhole ? 0 : drawn(what, full, sample);
  const count = isWhole ? full : runs(full);
  return Array.from({ length: count }, (_, index) => (first + index) % full);
}

/** A line for the end of a suite that ran only a part. */
export function howToRepeat(file: string): string {
  if (IS_WHOLE) return 'all of it, nothing left out';
  return `a part, chosen by the commit; the same: SAMPLE='${SAMPLE}' npx vitest run ${file}; all: SAMPLE=all`;
}

/** Undefined if there is no repository, as in an archive of the sources. */
function commit(): string | undefined {
  const git = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], {
    cwd: import.meta.dirname,
    encoding: 'utf8',
  });
  return git.status === 0 ? git.stdout.trim() : undefined;
}
