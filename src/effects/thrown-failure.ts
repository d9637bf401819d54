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
import { asCause, asOwnFailure } from './effect.ts';

/** Thrown by our own code instead of what it calls: only here is it known that nothing was begun. */
export class OwnFailure extends ErrandError {}

interface FailureOptions extends ReportFromOptions {
  /** The kind of what nothing recognises, and of a failure that ended the run of another Errand. */
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
  // what it throws is its own failure: only the runtime ends a run past its routes
  if (!isInstance(thrown, OwnFailure) && isUnroutable(draft.kind)) return asCause(draft, options);
  const isUnrecognised =
    draft.kind === options.fallback &&
    draft.rule === undefined &&
    carriedReport(thrown) === undefined;
  // it may or may not be retryable; the `retry` of a tool can say so
  return isUnrecognised ? { ...draft, retryable: null } : asOwnFailure(draft, options);
}

/** Apart from cancellations: whether the run was cancelled is known where the effect is ended and recorded. */
function isUnroutable(kind: string): boolean {
  return endsTheRun(kind) && !matchesKind(kind, 'cancelled.*');
}
