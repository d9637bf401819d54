/**
 * What saves a later process the reading of a long log: the fold of it, kept beside it when a run
 * comes to rest. Every run comes out the same without any of them.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../errors/json.ts';
import { SNAPSHOT_VERSION, unpackState, type Snapshot } from '../machine/snapshot.ts';
import type { RunState } from '../machine/state.ts';
import type { RunStore } from '../machine/store-port.ts';

/** Undefined when there is none that can be used. */
export async function loadCheckpoint(store: RunStore, run: string): Promise<RunState | undefined> {
  const found = await store.loadCheckpoint(run);
  return found !== null && isSnapshot(found.state) ? unpackState(found.state) : undefined;
}

/** Its checksum is right, so what has our version is what we wrote. */
function isSnapshot(value: JsonValue): value is JsonObject & Snapshot {
  return isJsonObject(value) && value['v'] === SNAPSHOT_VERSION;
}
