/** `errand show`: the status of a run and of each of its nodes. */
import { jsonText } from '../../errors/support/printable.ts';
import { runView } from '../../engine/run-view.ts';
import type { Format } from '../format.ts';
import { showText } from '../screen/show-text.ts';
import { readRun, warnLostLog, withRuns } from '../project/stored-run.ts';
import type { Terminal } from '../terminal.ts';

export async function show(
  id: string,
  { format }: { readonly format: Format },
  terminal: Terminal,
): Promise<number> {
  return withRuns(async (runs) => {
    const stored = await readRun(runs, id);
    await warnLostLog(runs, id, terminal);
    const shown = runView({ ...stored, directory: process.cwd() });
    terminal.out(
      format === 'json'
        ? jsonText(shown, 2)
        : showText(shown, { ...stored, columns: terminal.columns, nowMs: Date.now() }),
    );
    return 0;
  }, id);
}
