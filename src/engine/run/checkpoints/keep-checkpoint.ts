/** Saves checkpoints, and says which runs deserve one when a leg of them ends. */
import { reduceView } from '../../../history/run-view.ts';
import { eventForPerson } from '../../../history/run-view/event-for-person.ts';
import type { RunView } from '../../../history/run-view/view.ts';
import type { Claim, RunStore } from '../../../machine/ports/store-port.ts';
import { packState } from '../../../machine/state/snapshot.ts';
import type { RunState } from '../../../machine/state/state.ts';
import { newView } from '../../run-view.ts';
import { recover, type Recovered } from '../recover.ts';
import { viewSeqPart } from './checkpoints.ts';
import { viewPart } from './resting-run.ts';

/** Fewer events are read sooner than a checkpoint. */
const CHECKPOINT_EVENTS = 500;
/** Fewer are folded into a view within a fifth of a second. */
const VIEW_EVENTS = 20_000;
/** The part of the log that was added since the view was last saved and makes a new one worthwhile. */
const VIEW_SHARE = 1 / 4;

export interface CheckpointLimits {
  /** How many events since the last checkpoint make a new one worthwhile. */
  readonly checkpointEvents?: number;
  /** How many events of a run make its view worth saving. */
  readonly viewEvents?: number;
}

/** The part of a run that is saved when a leg of it ends: with `view`, its page opens without reading its log. */
export type Worth = 'nothing' | 'state' | 'view';

/** Whether many events would have to be read again: to resume the run, or to look at it. */
export function worthSaving(
  { state, checkpointSeq, viewSeq }: Pick<Recovered, 'state' | 'checkpointSeq' | 'viewSeq'>,
  { checkpointEvents = CHECKPOINT_EVENTS, viewEvents = VIEW_EVENTS }: CheckpointLimits,
): Worth {
  const added = state.seq - checkpointSeq;
  const grown = state.seq - viewSeq;
  // a view takes the whole log: all of them together read it a few times, however many legs there are
  if (state.seq >= viewEvents && grown >= state.seq * VIEW_SHARE) return 'view';
  return !isOver(state) && added >= checkpointEvents ? 'state' : 'nothing';
}

function isOver({ status }: RunState): boolean {
  return status === 'completed' || status === 'cancelled';
}

/** Reads the log again, because the state in memory holds secret values. */
export async function keepCheckpoint(
  store: RunStore,
  claim: Claim,
  worth: Exclude<Worth, 'nothing'>,
): Promise<void> {
  const { state, head, viewSeq, ...beside } =
    worth === 'view' ? await withView(store, claim.run) : await recover(store, claim.run);
  if (head === undefined) return;
  const view = 'view' in beside ? viewPart(beside.view) : {};
  const parts = { ...packState(state), ...viewSeqPart(viewSeq), ...view };
  await store.saveCheckpoint(claim, { head, state: parts });
}

async function withView(
  store: RunStore,
  run: string,
): Promise<Pick<Recovered, 'state' | 'head' | 'viewSeq'> & { readonly view: RunView }> {
  let view = newView(await store.get(run));
  const { state, head } = await recover(store, run, {
    onEvent: (event) => (view = reduceView(view, eventForPerson(event))),
  });
  return { state, head, viewSeq: view.seq, view };
}
