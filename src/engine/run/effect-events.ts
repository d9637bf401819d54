/** Events that the result of an effect becomes. */
import { unknownOutcomeDetails, inputWords } from '../../machine/policy/unknown-outcome-details.ts';
import { OUTCOME_UNKNOWN } from '../../machine/policy/unknown-outcome.ts';
import type { EffectFailure, EffectResult } from '../../effects/effect-port.ts';
import { buildReport, outcomeOf } from '../../errors/report/build.ts';
import { catalogRow, type RuntimeKind } from '../../errors/catalog/catalog.ts';
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { matchesKind } from '../../errors/catalog/kinds.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import type { ErrorReport, ReportDraft, UserAction } from '../../errors/report/report.ts';
import { judgesIn } from '../../machine/conversation/output-judge.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { EventBody, Usage } from '../../machine/state/events.ts';
import { recordedFailure, stampAt } from '../../machine/decide/failure-reports.ts';
import { scopeOf, visitOf } from '../../machine/state/plan-lookup.ts';
import { costOf, countable } from '../../machine/policy/pricing.ts';
import type { RunState } from '../../machine/state/state.ts';
import { refuseSecretKinds } from './refuse-secret-kinds.ts';

export interface Recording {
  /** Removes configured secret values, which scripts and functions may write in words of their own. */
  readonly redactor: Redactor;
  /** The result comes after the effect was stopped. */
  readonly isStopped?: boolean;
}

export function resultEvents(
  state: RunState,
  request: EffectRequest,
  given: EffectResult,
  { redactor, isStopped = false }: Recording,
): readonly EventBody[] {
  const result = refuseSecretKinds(given, request.node.raises ?? [], redactor);
  if (isPlain(result)) return [succeeded(request, result.output)];
  const suppressed = (result.suppressed ?? []).map(({ failure, reason, isWarning }): EventBody => ({
    type: 'error:suppressed',
    error: buildReport(failure, { stamp: stampAt(state, request.path, failure.kind), redactor }),
    reason,
    ...(isWarning === true ? { isWarning } : {}),
  }));
  const again = isStopped ? undefined : askedAgain(state, request, result);
  return [...suppressed, again ?? settled(state, request, result, redactor)];
}

/** Most results are only an output. */
function isPlain(result: EffectResult): result is Extract<EffectResult, { readonly ok: true }> {
  const { suppressed, usage } = result;
  return (
    result.ok &&
    result.errors === undefined &&
    result.isReplayed !== true &&
    suppressed === undefined &&
    usage === undefined
  );
}

function succeeded({ node, path, ref }: EffectRequest, output: JsonValue) {
  return { type: 'effect:succeeded' as const, node: node.name, path, effect: ref, output };
}

/** The kind that replaces a `cancelled.*` that this run did not cause. */
const FAILED: Readonly<Record<EffectRequest['work']['type'], RuntimeKind>> = {
  call: 'call.failed',
  tool: 'tool.failed',
  script: 'internal.script_error',
  transform: 'sandbox.runtime',
  model: 'provider.unknown',
};

/**
 * Something that the effect uses was cancelled: the run treats that like any other failure, and
 * routes it. A request that was given up may have arrived, so the outcome stays as known.
 */
export function notCancelledByUs(
  state: RunState,
  { work, path }: EffectRequest,
  result: EffectResult,
  redactor: Redactor,
): EffectResult {
  if (result.ok || !matchesKind(result.failure.kind, 'cancelled.*')) return result;
  const { failure } = result;
  const cause = buildReport(failure, { stamp: stampAt(state, path, failure.kind), redactor });
  const { message, outcome } = cause;
  return { ...result, failure: { kind: FAILED[work.type], message, outcome, cause } };
}

/** As a run does that comes back from a crash. */
function askedAgain(
  state: RunState,
  { ref, node, path, isIdempotent }: EffectRequest,
  result: EffectResult,
): EventBody | undefined {
  const pending = state.effects.get(ref.key);
  if (result.ok || result.isLost !== true || !isIdempotent || pending === undefined)
    return undefined;
  const attempt = pending.attempt + 1;
  const judges = judgesIn(visitOf(scopeOf(state, pending.scope)), ref);
  return { type: 'effect:requested', node: node.name, path, effect: ref, attempt, ...judges };
}

function settled(
  state: RunState,
  request: EffectRequest,
  result: EffectResult,
  redactor: Redactor,
): EventBody {
  const used = usedBy(state, request, result);
  const pending = state.effects.get(request.ref.key);
  const scope = scopeOf(state, pending?.scope ?? '');
  const report = (draft: ReportDraft): ErrorReport =>
    recordedFailure({ state, scope, node: request.node.name }, draft, redactor);
  if (result.ok) {
    const errors = result.errors?.map((draft, index) => {
      // several of one kind may come at once, and each needs its own id
      const { id } = stampAt(state, request.path, `${draft.kind} ${index}`);
      return report({ ...draft, id });
    });
    const beside = errors === undefined ? {} : { errors };
    const replayed = result.isReplayed === true ? { replayed: true as const } : {};
    return { ...succeeded(request, result.output), ...beside, ...replayed, ...used };
  }
  const draft = inDoubt(state, request, executedFailure(request, result), redactor);
  const error = report({ attempt: { number: (pending?.attempt ?? 0) + 1 }, ...draft });
  const keptBack = result.keptBack === undefined ? {} : { keptBack: result.keptBack };
  const partial = result.output === undefined ? {} : { output: result.output };
  const unusable = result.isUnusable === true ? { unusable: true as const } : {};
  const where = { node: request.node.name, path: request.path, effect: request.ref };
  return { type: 'effect:failed', ...where, error, ...keptBack, ...partial, ...unusable, ...used };
}

/**
 * An effect that was executed and whose result was refused did not fail: it took place without a
 * usable result. The action says so when the result could not be kept for a later check.
 */
function executedFailure(
  { isIdempotent }: EffectRequest,
  { failure: refused, isUnusable, output }: EffectFailure,
): ReportDraft {
  if (isUnusable !== true || isIdempotent) return refused;
  const isKnown = outcomeOf(refused) !== 'unknown';
  const failure: ReportDraft = isKnown ? { ...refused, outcome: 'partial' } : refused;
  if (output !== undefined) return failure;
  const { kind, detail } = failure.action ?? catalogRow(failure.kind)?.action ?? NOTHING_TO_DO;
  const executed =
    'It was executed, and its result could not be kept: repeat it only if that is harmless.';
  return { ...failure, action: { kind, detail: `${detail} ${executed}`.trim() } };
}

const NOTHING_TO_DO: UserAction = { kind: 'find_out', detail: '' };

/** On the bill, known or marked as an estimate. */
function usedBy(
  state: RunState,
  { ref, work }: EffectRequest,
  { usage: used, isEstimated }: EffectResult,
): { usage?: Usage; costUsdMicros?: number; estimated?: boolean } {
  const usage = used === undefined ? undefined : countable(used);
  if (usage === undefined || work.type !== 'model') return usage === undefined ? {} : { usage };
  const scope = scopeOf(state, state.effects.get(ref.key)?.scope ?? '');
  const costUsdMicros = costOf(state, scope, ref.target, usage);
  const estimated = isEstimated === true || costUsdMicros === undefined;
  return {
    usage,
    ...(costUsdMicros === undefined ? {} : { costUsdMicros }),
    ...(estimated ? { estimated } : {}),
  };
}

const BUGS: ReadonlySet<string> = new Set(['internal.unexpected', 'internal.invariant']);

/** An effect that may have happened and must not happen twice fails with a kind of its own. */
function inDoubt(
  state: RunState,
  { isIdempotent, node, path, ref, work }: EffectRequest,
  failure: ReportDraft,
  redactor: Redactor,
): ReportDraft {
  const details = unknownOutcomeDetails(ref, work);
  // a bug in the middle of the work: nobody knows how far the work got
  const isBug = !isIdempotent && BUGS.has(failure.kind) && outcomeOf(failure) !== 'not_started';
  if (failure.kind === OUTCOME_UNKNOWN || isBug) {
    const known = isPlainObject(failure.details) ? failure.details : {};
    return { ...failure, outcome: 'unknown', details: { ...known, ...details } };
  }
  // its kind or its cause decides too: the outcome of a failure that an SDK threw inside a function
  // may be unknown already
  if (isIdempotent || outcomeOf(failure) !== 'unknown') return failure;
  const cause = buildReport(failure, { stamp: stampAt(state, path, failure.kind), redactor });
  return {
    kind: OUTCOME_UNKNOWN,
    message: `It is unknown whether ${node.name} did its work, ${inputWords(work)}: ${cause.message}`,
    details,
    cause,
  };
}
