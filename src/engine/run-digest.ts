/** A digest of a run that has not ended: what it waits for and what its people are asked. */
import { needsOf, type RunNeeds } from '../history/attention.ts';
import { openQuestions, type OpenQuestion } from '../history/open-questions.ts';
import type { RunRecord } from '../machine/ports/store-port.ts';
import type { RunEvent } from '../machine/state/events.ts';
import type { RunState } from '../machine/state/state.ts';
import { foldRun } from './run/recover.ts';

/** For callers that make several views of one log: each of them takes the state that it folds into. */
export { foldRun };

export interface RunDigest {
  /** The number of the latest event that it is made of. */
  readonly seq: number;
  readonly needs: RunNeeds;
  readonly questions: readonly OpenQuestion[];
}

export function runDigest(
  record: Pick<RunRecord, 'run' | 'plan'>,
  events: readonly RunEvent[],
  state: RunState = foldRun(record, events),
): RunDigest {
  const seq = events.at(-1)?.seq ?? 0;
  return { seq, needs: needsOf(state), questions: openQuestions(state, events) };
}
