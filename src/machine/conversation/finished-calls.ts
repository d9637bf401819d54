/**
 * Finished tool calls that must not be repeated, as long as the run can return to them. A new
 * conversation takes their results from here: the n-th call of a tool with the same arguments gets the
 * n-th result from before the conversation started, also one that could not be used.
 */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { toolsOf } from './agent-tools.ts';
import { callName } from '../decide/effect-request.ts';
import type { EventBody } from '../state/events.ts';
import type { ToolCall } from './model-message.ts';
import type { RunState, Scope } from '../state/state.ts';
import type { OpenCall, Conversation } from './conversation.ts';
import type { UnknownOutcome } from '../policy/unknown-outcome.ts';
import { WRITE_STATE } from '../../workflow/plan/built-in-tools.ts';

export interface FinishedCall {
  /** Key of its effect. */
  readonly key: string;
  readonly ordinal: number;
  /** Number of the event that ended it. */
  readonly seq: number;
  readonly output: JsonValue;
  readonly errors?: readonly ErrorReport[];
  /** It was executed, and its result was refused with this. */
  readonly error?: ErrorReport;
}

/** The number of a call among identical ones, and its finished result if there is one. */
export interface CallMatch {
  readonly ordinal: number;
  readonly known: FinishedCall | undefined;
}

/** `nth`: how often this conversation has made the same call before. */
export function matchFinishedCall(
  state: RunState,
  scope: Scope,
  { sinceSeq }: Conversation,
  { call, nth }: { readonly call: ToolCall; readonly nth: number },
): CallMatch {
  const all = state.finishedCalls.get(callName(state, scope, call)) ?? [];
  const before = all.filter(({ seq }) => seq < sinceSeq);
  const known = before[nth];
  if (known !== undefined) return { ordinal: known.ordinal, known };
  // skip the numbers of finished calls; an unfinished one may be repeated under its number
  const over = new Set(before.map(({ ordinal }) => ordinal));
  let ordinal = 0;
  for (let left = nth - before.length; left > 0 || over.has(ordinal); ordinal++)
    if (!over.has(ordinal)) left--;
  return { ordinal, known: undefined };
}

export function noteFinishedCall(
  state: RunState,
  scope: Scope,
  { call, key, ordinal }: OpenCall,
  event: Extract<EventBody, { type: 'effect:succeeded' | 'effect:failed' }>,
): void {
  const { effect, output = null, replayed } = event;
  if (event.type === 'effect:failed' && event.unusable !== true) return;
  // a write takes effect only when its node completes
  if (call.name === WRITE_STATE || replayed === true) return;
  if (toolsOf(state, scope)[effect.target]?.isIdempotent === true) return;
  const name = callName(state, scope, call);
  const finished: FinishedCall = {
    key,
    ordinal,
    seq: state.seq,
    output,
    ...(event.type === 'effect:failed' ? { error: event.error } : errorsOf(event)),
  };
  state.finishedCalls.set(name, [...(state.finishedCalls.get(name) ?? []), finished]);
}

/** Notes the result that a person gave for a call of an earlier conversation. */
export function noteGivenResult(
  state: RunState,
  scope: Scope,
  { call: made, effect: { key }, seq }: UnknownOutcome,
  output: JsonValue,
): void {
  if (made === undefined) return;
  const name = callName(state, scope, made.call);
  const given: FinishedCall = { key, ordinal: made.ordinal, seq, output };
  state.finishedCalls.set(name, [...(state.finishedCalls.get(name) ?? []), given]);
}

function errorsOf({
  errors,
}: Extract<EventBody, { type: 'effect:succeeded' }>): Pick<FinishedCall, 'errors'> {
  return errors === undefined ? {} : { errors };
}
