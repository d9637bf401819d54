/** Saves checkpoints, and says which runs deserve one when a leg of them ends. */
import { reduceView } from '../../../history/run-view.ts';
import { eventForPerson } from '../../../history/run-view/event-for-person.ts';
import type { RunView } from '../../../history/run-view/view.ts';
import type { Claim, RunStore } from '../../../machine/ports/store-port.ts';
import { packState } from '../../../machine/state/snapshot.ts';
import type { RunState } from '../../../machine/state/state.ts';
import { newView } from '../../shown-run.ts';
import { recover, type Recovered } from '../recover.ts';
import { viewPart } from './resting-run.ts';

/** Fewer events are read sooner than a checkpoint. */
const CHECKPOINT_EVENTS = 500;
/**
 * The part of the log that must be new since the last checkpoint to make another worthwhile. A
 * checkpoint takes time in proportion to the run, so all of them together take a few times as long
 * as one, however many legs there are.
 */
const CHECKPOINT_SHARE = 1 / 4;
/** Fewer are folded into a view within a fifth of a second. */
const VIEW_EVENTS = 20_000;

export interface CheckpointOptions {
  /** How many events since the last checkpoint make a new one worthwhile. Default: more, the longer the run is. */
  readonly checkpointEvents?: number;
  /** Saves views of very long runs too, for those who show pages: that costs as much again as the steps of the run. */
  readonly keepsViews?: boolean;
}

/** The part of a run that is saved when a leg of it ends: with `view`, its page opens without reading its log. */
export type Worth = 'nothing' | 'state' | 'view';

/** Whether many events would have to be read again: to resume the run, or to look at it. */
export function worthSaving(
  { state, checkpointSeq }: Pick<Recovered, 'state' | 'checkpointSeq'>,
  { checkpointEvents, keepsViews = false }: CheckpointOptions,
): Worth {
  const least = checkpointEvents ?? Math.max(CHECKPOINT_EVENTS, state.seq * CHECKPOINT_SHARE);
  if (state.seq - checkpointSeq < least) return 'nothing';
  if (keepsViews && state.seq >= VIEW_EVENTS) return 'view';
  return isOver(state) ? 'nothing' : 'state';
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
  const { state, head, ...beside } =
    worth === 'view' ? await withView(store, claim.run) : await recover(store, claim.run);
  if (head === undefined) return;
  const view = 'view' in beside ? viewPart(beside.view) : {};
  await store.saveCheckpoint(claim, { head, state: { ...packState(state), ...view } });
}

async function withView(
  store: RunStore,
  run: string,
): Promise<Pick<Recovered, 'state' | 'head'> & { readonly view: RunView }> {
  let view = newView(await store.get(run));
  const { state, head } = await recover(store, run, {
    onEvent: (event) => (view = reduceView(view, eventForPerson(event))),
  });
  return { state, head, view };
}
