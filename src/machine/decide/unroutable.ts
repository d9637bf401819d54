/** Failures that no route may handle. */
import { matchesKind } from '../../errors/catalog/kinds.ts';
import type { ErrorReport } from '../../errors/report/report.ts';

/** No route handles these, and no group wraps them: they end the run. */
const UNROUTABLE = [
  'internal.unexpected',
  'internal.invariant',
  'store.*',
  'run.*',
  'request.*',
  'workflow.*',
  'cancelled.*',
  'halt.intentional',
];

export function endsTheRun(kind: string): boolean {
  return UNROUTABLE.some((pattern) => matchesKind(kind, pattern));
}

/** A scope that may start no more nodes cannot use its own routes. */
export function isOwnStepLimit({ kind, frames = [] }: ErrorReport): boolean {
  return kind === 'limit.steps' && frames.length <= 1;
}
