/** Failures that no route is asked about. */
import { matchesKind } from '../errors/kinds.ts';
import type { ErrorReport } from '../errors/report.ts';

/** No route takes these, and no group wraps them: they end the run. */
const UNROUTABLE = [
  'internal.unexpected',
  'internal.invariant',
  'store.*',
  'run.*',
  'cancelled.*',
  'halt.intentional',
];

export function endsTheRun(kind: string): boolean {
  return UNROUTABLE.some((pattern) => matchesKind(kind, pattern));
}

/** The scope that may start nothing more cannot be helped by its own routes. */
export function isOwnStepLimit({ kind, frames = [] }: ErrorReport): boolean {
  return kind === 'limit.steps' && frames.length <= 1;
}
