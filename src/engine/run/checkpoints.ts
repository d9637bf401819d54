/**
 * Checkpoints: the folded state beside a long log, saved when a leg ends, so that a later process
 * reads less. A run resumes to the same state without them.
 */
import { isJsonObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { SNAPSHOT_VERSION, unpackState, type Snapshot } from '../../machine/state/snapshot.ts';
import type { RunState } from '../../machine/state/state.ts';
import type { ReadableStore } from '../../machine/ports/store-port.ts';

/** Undefined when there is none that can be used. */
export async function loadCheckpoint(
  store: Pick<ReadableStore, 'loadCheckpoint'>,
  run: string,
): Promise<RunState | undefined> {
  const found = (await store.loadCheckpoint?.(run)) ?? null;
  return found !== null && isSnapshot(found.state) ? unpackState(found.state) : undefined;
}

/** Its checksum is right, so what has our version is what we wrote. */
function isSnapshot(value: JsonValue): value is JsonObject & Snapshot {
  return isJsonObject(value) && value['v'] === SNAPSHOT_VERSION;
}
