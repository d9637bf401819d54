/** Messages to a run from outside its process, sent through its store. */
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { alreadyAnswered } from '../../machine/gates/refused-answer.ts';
import {
  answerEvent,
  isGateOpen,
  refuseClosed,
  type Answer,
} from '../../machine/gates/gate-answer.ts';
import { stampAt } from '../../machine/decide/failure-reports.ts';
import type { RunState } from '../../machine/state/state.ts';
import type { RunStore, StoredMessage } from '../../machine/ports/store-port.ts';
import type { RunLoop } from '../run/run-loop.ts';
import { asEvent } from '../run/subscription.ts';

export type RunMessage =
  | { readonly type: 'cancel'; readonly by: string; readonly reason?: string }
  | {
      readonly type: 'answer';
      readonly by: string;
      readonly gate: string;
      readonly value: JsonObject[string];
      /** The opening of the gate that it is for; an earlier version sends none. */
      readonly opening?: number;
    };

export type AnswerMessage = Extract<RunMessage, { readonly type: 'answer' }>;

/** Throws `gate.closed` where the log has the gate, and it is not open any more. */
export async function refuseClosedGate(
  store: RunStore,
  state: RunState,
  { gate }: Answer,
): Promise<void> {
  if (isGateOpen(state, gate)) return;
  for await (const { events } of store.read(state.run))
    for (const event of events.map(asEvent))
      if (event.type === 'gate:opened') refuseClosed(event, gate);
}

/** Validates the answer now, while the caller can still see the error. */
export function answerMessage(
  state: RunState,
  answer: Answer,
  waiting: readonly StoredMessage[],
): AnswerMessage {
  const { gate, value, by } = answerEvent(state, answer);
  const opening = state.gates.get(gate)?.opening;
  const isAnswered = waiting.some(
    ({ message }) =>
      message['type'] === 'answer' &&
      message['gate'] === gate &&
      (message['opening'] ?? opening) === opening,
  );
  if (isAnswered) throw alreadyAnswered(gate);
  return { type: 'answer', gate, value, by, ...(opening === undefined ? {} : { opening }) };
}

/** Throws when the run has read the message and has not taken its answer. */
export async function refuseUnlessAccepted(
  store: Pick<RunStore, 'read'>,
  run: string,
  { gate, number, afterSeq }: { gate: string; number: number; afterSeq: number },
): Promise<void> {
  for await (const { events } of store.read(run, afterSeq + 1))
    for (const event of events.map(asEvent))
      if (event.type === 'gate:answered' && event.message === number) return;
  throw alreadyAnswered(gate);
}

/**
 * Delivers each message once. A run whose leg has ended reads nothing: its messages wait for the
 * next leg. `known`: number of the message that reached the run in another way.
 */
export function deliverMessages(
  loop: RunLoop,
  stored: readonly StoredMessage[],
  known?: number,
): void {
  const fresh = stored.filter(({ number }) => number > loop.messagesThrough);
  const last = fresh.at(-1);
  if (last === undefined || loop.state.status !== 'running') return;
  loop.acknowledgeThrough(last.number);
  // written by `send`, and checked as it is read
  const messages = fresh
    .filter(({ number }) => number !== known)
    .map(({ number, message }) => ({ number, message: message as unknown as RunMessage }));
  // a cancel ends the run, so no other message counts
  const cancel = messages.find(({ message }) => message.type === 'cancel');
  for (const each of cancel === undefined ? messages : [cancel])
    deliverOne(loop, each.message, each.number);
}

/**
 * The last message to a run that has completed. No leg will read it: the run was over, and its
 * sender was refused. Only a rewind continues such a run, and the sender did not mean to cancel
 * that.
 */
export async function lastAfterEnd(
  store: Pick<RunStore, 'messages'>,
  { run, status }: Pick<RunState, 'run' | 'status'>,
): Promise<number | undefined> {
  return status === 'completed' ? (await store.messages(run)).at(-1)?.number : undefined;
}

function deliverOne(loop: RunLoop, message: RunMessage, number: number): void {
  if (message.type === 'cancel') return loop.cancel(message.by, message.reason);
  try {
    loop.enqueueAnswer(message, { message: number });
  } catch (refusal) {
    // the sender may be gone, so the log of the run records the refusal
    const stamp = stampAt(loop.state, message.gate, message.by);
    const error = toReport(refusal, { stamp });
    loop.enqueue({
      type: 'error:suppressed',
      error,
      reason: 'an answer came too late or did not fit',
    });
  }
}
