/** What the result of an effect means to the run, as events. */
import { doubtDetails, workWords } from '../machine/doubt-details.ts';
import { DOUBT } from '../machine/doubt.ts';
import type { EffectResult } from '../effects/effect.ts';
import { buildReport } from '../errors/build.ts';
import type { RuntimeKind } from '../errors/catalog.ts';
import { isPlainObject } from '../errors/json.ts';
import { matchesKind } from '../errors/kinds.ts';
import type { ErrorReport, ReportDraft } from '../errors/report.ts';
import type { EffectRequest } from '../machine/effect-request.ts';
import type { EventBody, Usage } from '../machine/events.ts';
import { failureAt, stampAt } from '../machine/failure.ts';
import { scopeOf } from '../machine/plan-lookup.ts';
import { costOf } from '../machine/pricing.ts';
import type { RunState } from '../machine/state.ts';

export function resultEvents(
  state: RunState,
  request: EffectRequest,
  result: EffectResult,
  isStopped = false,
): readonly EventBody[] {
  const suppressed = (result.suppressed ?? []).map(({ failure, reason, isWarning }): EventBody => ({
    type: 'error:suppressed',
    error: buildReport(failure, { stamp: stampAt(state, request.path, failure.kind) }),
    reason,
    ...(isWarning === true ? { isWarning } : {}),
  }));
  const again = isStopped ? undefined : askedAgain(state, request, result);
  return [...suppressed, again ?? settled(state, request, result)];
}

/** What a failure is called that says it was cancelled, when nobody here has cancelled it. */
const FAILED: Readonly<Record<EffectRequest['work']['type'], RuntimeKind>> = {
  call: 'call.failed',
  tool: 'tool.failed',
  script: 'internal.script_error',
  transform: 'sandbox.runtime',
  model: 'provider.unknown',
};

/** Something inside the effect was cancelled, by whatever it uses: the run goes on and routes it. */
export function notCancelledByUs(
  state: RunState,
  { work, path }: EffectRequest,
  result: EffectResult,
): EffectResult {
  if (result.ok || !matchesKind(result.failure.kind, 'cancelled.*')) return result;
  const { failure } = result;
  const cause = buildReport(failure, { stamp: stampAt(state, path, failure.kind) });
  const { message } = cause;
  return { ...result, failure: { kind: FAILED[work.type], message, cause } };
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
  return { type: 'effect:requested', node: node.name, path, effect: ref, attempt };
}

function settled(state: RunState, request: EffectRequest, result: EffectResult): EventBody {
  const where = { node: request.node.name, path: request.path, effect: request.ref };
  const used = usedBy(state, request, result);
  const pending = state.effects.get(request.ref.key);
  const scope = pending?.scope ?? '';
  if (result.ok) {
    const errors = result.errors?.map((draft, index) =>
      failureAt(state, scopeOf(state, scope), request.node.name, {
        ...draft,
        // several of one kind may come at once, and each has an id of its own
        id: stampAt(state, request.path, `${draft.kind} ${index}`).id,
      }),
    );
    const beside = errors === undefined ? {} : { errors };
    return { type: 'effect:succeeded', ...where, output: result.output, ...beside, ...used };
  }
  const draft = inDoubt(state, request, result.failure);
  const attempt = { number: (pending?.attempt ?? 0) + 1 };
  const error: ErrorReport = failureAt(state, scopeOf(state, scope), request.node.name, {
    attempt,
    ...draft,
  });
  const partial = result.output === undefined ? {} : { output: result.output };
  return { type: 'effect:failed', ...where, error, ...partial, ...used };
}

/** On the bill, known or marked as an estimate. */
function usedBy(
  state: RunState,
  { ref, work }: EffectRequest,
  { usage, isEstimated }: EffectResult,
): { usage?: Usage; costUsdMicros?: number; estimated?: boolean } {
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

/** What may have happened and must not happen twice is a kind of its own. */
function inDoubt(
  state: RunState,
  { isIdempotent, node, path, ref, work }: EffectRequest,
  failure: ReportDraft,
): ReportDraft {
  const details = doubtDetails(ref, work);
  // a bug in the middle of the work is as loud as any, and nobody knows how far the work got
  const isBug = !isIdempotent && BUGS.has(failure.kind) && failure.outcome !== 'not_started';
  if (failure.kind === DOUBT || isBug) {
    const known = isPlainObject(failure.details) ? failure.details : {};
    return { ...failure, outcome: 'unknown', details: { ...known, ...details } };
  }
  if (isIdempotent) return failure;
  // by its kind or its cause too: what an SDK threw inside a function may be in doubt already
  const cause = buildReport(failure, { stamp: stampAt(state, path, failure.kind) });
  if (cause.outcome !== 'unknown') return failure;
  return {
    kind: DOUBT,
    message: `Nobody knows whether ${node.name} did its work, ${workWords(work)}: ${failure.message}`,
    details,
    cause,
  };
}
