/**
 * Checkpoints: the folded state beside a long log, saved when a leg ends, so that a later process
 * reads less. A run resumes to the same state without them. Those of very long runs hold the view of
 * their page too.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { viewFromJson, viewToJson } from '../../history/run-view/wire.ts';
import type { RunView } from '../../history/run-view/view.ts';
import { SNAPSHOT_VERSION, unpackState, type Snapshot } from '../../machine/state/snapshot.ts';
import type { RunState } from '../../machine/state/state.ts';
import type { ReadableStore } from '../../machine/ports/store-port.ts';
import { VERSION } from '../version.ts';

type Loading = Pick<ReadableStore, 'loadCheckpoint'>;

/** Undefined when there is none that can be used. */
export async function loadCheckpoint(store: Loading, run: string): Promise<RunState | undefined> {
  return (await loadResting(store, run))?.state;
}

export interface RestingRun {
  readonly state: RunState;
  /** As far as the state; absent where reading the log takes no time. */
  readonly view?: RunView;
}

/** The same, with the view of the run where one was saved. */
export async function loadResting(store: Loading, run: string): Promise<RestingRun | undefined> {
  const found = (await store.loadCheckpoint?.(run)) ?? null;
  if (found === null || !isSnapshot(found.state)) return undefined;
  const kept = keptView(found.state);
  return { state: unpackState(found.state), ...(kept === undefined ? {} : { view: kept }) };
}

/** The part of a checkpoint that holds a view. */
export function viewPart(view: RunView): JsonObject {
  return { view: { by: VIEW_BY, sent: viewToJson(view) } };
}

/** A view may have another form in every version. */
const VIEW_BY = `errand ${VERSION}`;

function keptView({ view }: JsonObject): RunView | undefined {
  return isJsonObject(view) && view['by'] === VIEW_BY ? viewFromJson(view['sent']) : undefined;
}

/** Its checksum is right, so what has our version is what we wrote. */
function isSnapshot(value: JsonValue): value is JsonObject & Snapshot {
  return isJsonObject(value) && value['v'] === SNAPSHOT_VERSION;
}
