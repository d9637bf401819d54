/** A run as it was saved when it came to rest: its state and, of a very long one, the view of its page. */
import { isJsonObject, type JsonObject } from '../../../errors/support/safe-json.ts';
import type { RunView } from '../../../history/run-view/view.ts';
import { viewFromJson, viewToJson } from '../../../history/run-view/sent-view.ts';
import type { ReadableStore } from '../../../machine/ports/store-port.ts';
import { unpackState } from '../../../machine/state/snapshot.ts';
import type { RunState } from '../../../machine/state/state.ts';
import { VERSION } from '../../version.ts';
import { loadSnapshot } from './load-checkpoint.ts';

export interface RestingRun {
  readonly state: RunState;
  /** Covers the same events as the state; absent where reading the log takes no time. */
  readonly view?: RunView;
}

/** Undefined when there is none that can be used. */
export async function loadResting(
  store: Pick<ReadableStore, 'loadCheckpoint'>,
  run: string,
): Promise<RestingRun | undefined> {
  const found = await loadSnapshot(store, run);
  if (found === undefined) return undefined;
  const view = keptView(found);
  return { state: unpackState(found), ...(view === undefined ? {} : { view }) };
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
