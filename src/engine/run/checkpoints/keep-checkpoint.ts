/** Saves checkpoints, and says which runs deserve one when a leg of them ends. */
import { reduceView } from '../../../history/run-view.ts';
import { eventForPerson } from '../../../history/run-view/event-for-person.ts';
import type { RunView } from '../../../history/run-view/view.ts';
import type { Claim, RunStore } from '../../../machine/ports/store-port.ts';
import { packState } from '../../../machine/state/snapshot.ts';
import type { RunState } from '../../../machine/state/state.ts';
import { newView } from '../../run-view.ts';
import { recover, type Recovered } from '../recover.ts';
import { viewPart } from './resting-run.ts';
import { asEvent } from '../subscription.ts';

/** Fewer events are read sooner than a checkpoint. */
const CHECKPOINT_EVENTS = 500;
/** Fewer are folded into a view within a fifth of a second. */
const VIEW_EVENTS = 20_000;

export interface CheckpointLimits {
  /** How many events since the last checkpoint make a new one worthwhile. */
  readonly checkpointEvents?: number;
  /** How many events of a run make its view worth saving. */
  readonly viewEvents?: number;
}

/** Whether many events would have to be read again: to resume the run, or to look at it. */
export function deservesCheckpoint(
  { state, checkpointSeq }: Pick<Recovered, 'state' | 'checkpointSeq'>,
  { checkpointEvents = CHECKPOINT_EVENTS, viewEvents = VIEW_EVENTS }: CheckpointLimits,
): boolean {
  if (state.seq === checkpointSeq) return false;
  if (state.seq >= viewEvents) return true;
  return !isOver(state) && state.seq - checkpointSeq >= checkpointEvents;
}

function isOver({ status }: RunState): boolean {
  return status === 'completed' || status === 'cancelled';
}

/** Reads the log again, because the state in memory holds secret values. */
export async function keepCheckpoint(
  store: RunStore,
  claim: Claim,
  { viewEvents = VIEW_EVENTS }: CheckpointLimits = {},
): Promise<void> {
  const { state, head } = await recover(store, claim.run);
  if (head === undefined) return;
  const view = state.seq >= viewEvents ? viewPart(await readView(store, claim.run)) : {};
  await store.saveCheckpoint(claim, { head, state: { ...packState(state), ...view } });
}

async function readView(store: RunStore, run: string): Promise<RunView> {
  let view = newView(await store.get(run));
  for await (const { events } of store.read(run))
    for (const event of events) view = reduceView(view, eventForPerson(asEvent(event)));
  return view;
}
