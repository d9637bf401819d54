/** Adds up what had to be left out; counts of nothing are not kept. */
import type { CutCounts } from './report.ts';

export function addCuts(before: CutCounts | undefined, more: CutCounts): CutCounts | undefined {
  const sums = new Map<string, number>(Object.entries(before ?? {}));
  for (const [name, count] of Object.entries(more)) {
    if (count > 0) sums.set(name, (sums.get(name) ?? 0) + count);
  }
  // the names come from two CutCounts
  return sums.size === 0 ? undefined : (Object.fromEntries(sums) as CutCounts);
}
