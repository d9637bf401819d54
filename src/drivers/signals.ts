/** What is said to a run from outside its process, through its store. */
import type { JsonObject } from '../errors/json.ts';
import { toReport } from '../errors/to-report.ts';
import { stampAt } from '../machine/failure.ts';
import type { StoredSignal } from '../machine/store-port.ts';
import type { RunLoop } from './run-loop.ts';

export type Signal =
  | { readonly type: 'cancel'; readonly by: string }
  | {
      readonly type: 'answer';
      readonly by: string;
      readonly gate?: string;
      readonly value: JsonObject[string];
    };

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
    const stamp = stampAt(loop.state, signal.gate ?? '', signal.by);
    const error = toReport(refusal, { stamp });
    loop.take({
      type: 'error:suppressed',
      error,
      reason: 'an answer came too late or did not fit',
    });
  }
}
