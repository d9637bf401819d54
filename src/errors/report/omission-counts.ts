/** Adds up omissions; drops counts of zero. */
import type { CutCounts } from './report.ts';

const NAMES = ['messageChars', 'details', 'attempts', 'frames', 'causes'] as const;

export function addCuts(before: CutCounts | undefined, more: CutCounts): CutCounts | undefined {
  const sums = NAMES.map((name) => [name, (before?.[name] ?? 0) + (more[name] ?? 0)] as const);
  const kept = sums.filter(([, sum]) => sum > 0);
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
