/** `errand delete`: removes one run for good. */
import type { OutputOptions } from '../format.ts';
import { isUnknown, unknownRun } from '../project/stored-run.ts';
import { removeRun, warnOfUnsent, withRemovalContext } from '../project/remove-runs.ts';
import type { Terminal } from '../terminal.ts';

export async function deleteRun(
  id: string,
  output: OutputOptions,
  terminal: Terminal,
): Promise<number> {
  return withRemovalContext(id, async (context) => {
    const removed = await removeRun(context, id).catch(async (thrown: unknown) => {
      throw isUnknown(thrown) ? await unknownRun(context.runs, id) : thrown;
    });
    warnOfUnsent(removed, terminal);
    const isCompact = await context.archive.compact();
    if (output.format === 'json') terminal.out(JSON.stringify(removed, null, 2));
    else if (output.quiet !== true) {
      terminal.err(`Removed ${id}.`);
      if (!isCompact) terminal.err(LATER);
    }
    return 0;
  });
}

/** The note where other runs kept the store from being compacted. */
export const LATER =
  'Other runs are using the store, so its file may still contain removed data.\nThe next errand delete or errand prune clears it.';
