/**
 * Calls of tools that have succeeded and must not be made twice, for as long as something can lead
 * back to them. A conversation that is begun anew gets their results from here: the n-th call of a tool
 * with the same arguments is answered with the n-th success of it that was known when it began.
 */
import type { JsonValue } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import { toolsOf } from './agent-tools.ts';
import { callName } from './effect-request.ts';
import type { EventBody } from './events.ts';
import type { ToolCall } from './model-call.ts';
import type { RunState, Scope } from './state.ts';
import type { OpenCall, Talk } from './talk.ts';
import { WRITE_STATE } from './tool-names.ts';

export interface FinishedCall {
  /** Of its effect. */
  readonly key: string;
  readonly ordinal: number;
  /** Number of the event that said so. */
  readonly seq: number;
  readonly output: JsonValue;
  readonly errors?: readonly ErrorReport[];
}

/** Which one a call is among all that are the same, and what is known of it. */
export interface CallPlace {
  readonly ordinal: number;
  readonly known: FinishedCall | undefined;
}

/** `nth`: how often the conversation has made the same call before. */
export function placeOfCall(
  state: RunState,
  scope: Scope,
  { sinceSeq }: Talk,
  { call, nth }: { readonly call: ToolCall; readonly nth: number },
): CallPlace {
  const all = state.finishedCalls.get(callName(state, scope, call)) ?? [];
  const before = all.filter(({ seq }) => seq < sinceSeq);
  const known = before[nth];
  if (known !== undefined) return { ordinal: known.ordinal, known };
  // what has succeeded is over; what has not may be tried again, as the action that it was
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
  event: Extract<EventBody, { type: 'effect:succeeded' }>,
): void {
  const { effect, output, errors, replayed } = event;
  // written when its node completes, and not before
  if (call.name === WRITE_STATE || replayed === true) return;
  if (toolsOf(state, scope)[effect.target]?.isIdempotent === true) return;
  const name = callName(state, scope, call);
  const finished: FinishedCall = {
    key,
    ordinal,
    seq: state.seq,
    output,
    ...(errors === undefined ? {} : { errors }),
  };
  state.finishedCalls.set(name, [...(state.finishedCalls.get(name) ?? []), finished]);
}
