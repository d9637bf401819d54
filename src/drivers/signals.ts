/** What is said to a run from outside its process, through its store. */
import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../errors/json.ts';
import { toReport } from '../errors/to-report.ts';
import { answeredBefore, answerEvent, type Answer } from '../machine/answers.ts';
import { stampAt } from '../machine/failure.ts';
import type { RunState } from '../machine/state.ts';
import type { RunStore, StoredSignal } from '../machine/store-port.ts';
import type { RunLoop } from './run-loop.ts';
import { asEvent } from './subscription.ts';

export type Signal =
  | { readonly type: 'cancel'; readonly by: string }
  | {
      readonly type: 'answer';
      readonly by: string;
      readonly gate: string;
      readonly value: JsonObject[string];
    };

export type AnswerSignal = Extract<Signal, { readonly type: 'answer' }>;

/** Throws what refuses the answer, while whoever gives it can still hear that. */
export function answerSignal(
  state: RunState,
  answer: Answer,
  waiting: readonly StoredSignal[],
): AnswerSignal {
  const { gate, value, by } = answerEvent(state, answer);
  const isSaid = waiting.some(
    ({ signal }) => signal['type'] === 'answer' && signal['gate'] === gate,
  );
  if (isSaid) throw answeredBefore(gate);
  return { type: 'answer', gate, value, by };
}

/** Throws when the run has heard the answer, and another one was quicker. */
export async function refuseUnlessTaken(
  store: Pick<RunStore, 'read'>,
  run: string,
  { signal: { gate, value, by }, afterSeq }: { signal: AnswerSignal; afterSeq: number },
): Promise<void> {
  for await (const { events } of store.read(run, afterSeq + 1)) {
    for (const event of events.map(asEvent)) {
      if (event.type !== 'gate:answered' || event.gate !== gate) continue;
      if (event.by === by && isDeepStrictEqual(event.value, value)) return;
    }
  }
  throw answeredBefore(gate);
}

/**
 * Each once. A run that has come to rest hears nothing; what was said waits for its next leg. `known`
 * is the number of the one that the run has heard in another way.
 */
export function deliver(loop: RunLoop, signals: readonly StoredSignal[], known?: number): void {
  const fresh = signals.filter(({ number }) => number > loop.heardThrough);
  const last = fresh.at(-1);
  if (last === undefined || loop.state.status !== 'running') return;
  loop.takeSignalsThrough(last.number);
  // written by `send`, and checked as it is read
  const said = fresh
    .filter(({ number }) => number !== known)
    .map(({ signal }) => signal as unknown as Signal);
  // a cancel is the last word, whatever else was said before or after it
  const cancel = said.find(({ type }) => type === 'cancel');
  for (const signal of cancel === undefined ? said : [cancel]) deliverOne(loop, signal);
}

function deliverOne(loop: RunLoop, signal: Signal): void {
  if (signal.type === 'cancel') return loop.cancel(signal.by);
  try {
    loop.takeAnswer(signal);
  } catch (refusal) {
    // whoever answered has gone, so the run's own record says what became of it
    const stamp = stampAt(loop.state, signal.gate, signal.by);
    const error = toReport(refusal, { stamp });
    loop.take({
      type: 'error:suppressed',
      error,
      reason: 'an answer came too late or did not fit',
    });
  }
}
