/** `errand delete`: removes one run for good. */
import type { Telling } from '../format.ts';
import { isUnknown, unknownRun } from '../stored-run.ts';
import { compactUnlessBusy, removeRun, withRemovalPlace } from '../removal.ts';
import type { Terminal } from '../terminal.ts';

export async function deleteRun(id: string, telling: Telling, terminal: Terminal): Promise<number> {
  return withRemovalPlace(id, async (place) => {
    const removed = await removeRun(place, id).catch(async (thrown: unknown) => {
      throw isUnknown(thrown) ? await unknownRun(place.store, id) : thrown;
    });
    const isCompact = await compactUnlessBusy(place.store);
    if (telling.format === 'json') terminal.out(JSON.stringify(removed, null, 2));
    else if (telling.quiet !== true) {
      terminal.err(`${id} is removed.`);
      if (!isCompact) terminal.err(LATER);
    }
    return 0;
  });
}

/** For a store that others write to. */
export const LATER =
  'Other runs use the store, so its file may still hold traces of what was removed.\nThe next errand delete or errand prune clears them away.';
