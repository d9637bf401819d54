/**
 * Checkpoints: the folded state beside a long log, saved when a leg ends, so that a later process
 * reads less. A run resumes to the same state without them.
 */
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../errors/support/safe-json.ts';
import { SNAPSHOT_VERSION, unpackState, type Snapshot } from '../../../machine/state/snapshot.ts';
import type { RunState } from '../../../machine/state/state.ts';
import type { ReadableStore } from '../../../machine/ports/store-port.ts';

type Loading = Pick<ReadableStore, 'loadCheckpoint'>;
export type StoredSnapshot = JsonObject & Snapshot;

/** Undefined when there is none that can be used. */
export async function loadCheckpoint(store: Loading, run: string): Promise<RunState | undefined> {
  const found = await loadSnapshot(store, run);
  return found === undefined ? undefined : unpackState(found);
}

/** The same as it is stored, with what was saved beside the state. */
export async function loadSnapshot(
  store: Loading,
  run: string,
): Promise<StoredSnapshot | undefined> {
  const found = (await store.loadCheckpoint?.(run)) ?? null;
  return found !== null && isSnapshot(found.state) ? found.state : undefined;
}

/** Its checksum is right, so what has our version is what we wrote. */
function isSnapshot(value: JsonValue): value is StoredSnapshot {
  return isJsonObject(value) && value['v'] === SNAPSHOT_VERSION;
}
