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
      terminal.err(`${id} is removed. Nothing of it is left but its id and when it was removed.`);
      if (!isCompact) terminal.err(LATER);
    }
    return 0;
  });
}

/** For a store that others write to. */
export const LATER =
  'Other runs are writing to the store. What was removed may be left in its file until the next errand prune or errand delete.';
