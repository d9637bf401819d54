/** `errand show`: what became of a run and of each of its nodes. */
import { jsonText } from '../../errors/printable.ts';
import { runView } from '../../drivers/run-view.ts';
import type { Format } from '../format.ts';
import { showText } from '../screen/show-text.ts';
import { readRun, sayLostLog, statusOf, withStore } from '../stored-run.ts';
import type { Terminal } from '../terminal.ts';

export async function show(
  id: string,
  { format }: { readonly format: Format },
  terminal: Terminal,
): Promise<number> {
  return withStore(async (store) => {
    const stored = await readRun(store, id);
    await sayLostLog(store, id, terminal);
    const status = statusOf(stored.record);
    const shown = runView({ ...stored, status, directory: process.cwd() });
    terminal.out(
      format === 'json'
        ? jsonText(shown, 2)
        : showText(shown, { ...stored, columns: terminal.columns, nowMs: Date.now() }),
    );
    return 0;
  }, id);
}
