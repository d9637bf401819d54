/**
 * The failure of an effect in which a provider's SDK or a function threw: recognised and classified once,
 * here. It stays a draft: the recorder of the effect builds the report.
 */
import type { RuntimeKind } from '../errors/catalog/catalog.ts';
import type { ReportDraft, Stamp } from '../errors/report/report.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { carriedReport } from '../errors/thrown/cause-reports.ts';
import { draftFrom, type ReportFromOptions } from '../providers/report-from.ts';
import { endsTheRun } from '../machine/decide/unroutable.ts';
import { isInstance } from '../errors/support/safe-json.ts';
import { matchesKind } from '../errors/catalog/kinds.ts';
import { asCause, asOwnFailure } from './effect-port.ts';

/**
 * Thrown by our own code before the called function: only then is it certain that nothing began.
 */
export class OwnFailure extends ErrandError {}

interface FailureOptions extends ReportFromOptions {
  /** The kind for an unrecognised throw, and for a failure that ended the run of another Errand. */
  readonly fallback: RuntimeKind;
  readonly stamp: Stamp;
}

/** `read` is `draftFromProvider` for what a model's provider answered. */
export function failureFrom(
  thrown: unknown,
  options: FailureOptions,
  read: typeof draftFrom = draftFrom,
): ReportDraft {
  const draft = read(thrown, options);
  // a thrown failure is the effect's own: only the runtime ends a run past its routes
  if (!isInstance(thrown, OwnFailure) && isUnroutable(draft.kind)) return asCause(draft, options);
  const isUnrecognised =
    draft.kind === options.fallback &&
    draft.rule === undefined &&
    carriedReport(thrown) === undefined;
  // it may be retryable; the `retry` of a tool can say so
  return isUnrecognised ? { ...draft, retryable: null } : asOwnFailure(draft, options);
}

/**
 * Cancellations are excluded: the place that ends and records the effect knows whether the run was
 * cancelled.
 */
function isUnroutable(kind: string): boolean {
  return endsTheRun(kind) && !matchesKind(kind, 'cancelled.*');
}
