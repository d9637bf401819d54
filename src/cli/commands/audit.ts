/** `errand audit`: who did what to a run. */
import { onScreen } from '../../errors/on-screen.ts';
import { jsonText, singleLine } from '../../errors/printable.ts';
import { hideHostPaths } from '../../errors/host-paths.ts';
import { auditOf, type AuditEntry } from '../../machine/audit.ts';
import type { Format } from '../format.ts';
import { tableLines } from '../screen/table.ts';
import { timeWords } from '../screen/words.ts';
import { readRun, sayLostLog, withStore } from '../stored-run.ts';
import type { Terminal } from '../terminal.ts';

export async function audit(
  id: string,
  { format }: { readonly format: Format },
  terminal: Terminal,
): Promise<number> {
  return withStore(async (store) => {
    const { events } = await readRun(store, id);
    await sayLostLog(store, id, terminal);
    const entries = auditOf(events).map(withoutHostPaths);
    terminal.out(
      format === 'json' ? jsonText(entries, 2) : auditText(onScreen(entries), terminal.columns),
    );
    return 0;
  }, id);
}

export function auditText(entries: readonly AuditEntry[], columns: number): string {
  if (entries.length === 0)
    return 'Nobody changed the course of this run: no retry, no answer, no resumption.';
  return tableLines(
    [
      ['AT', 'WHO', 'WHAT', 'NODE', 'DETAIL'],
      ...entries.map(({ at, who, what, path, detail }) => [
        timeWords(at),
        who,
        what,
        path ?? '',
        singleLine(detail),
      ]),
    ],
    columns,
    { wrapped: true },
  ).join('\n');
}

function withoutHostPaths(entry: AuditEntry): AuditEntry {
  return { ...entry, detail: hideHostPaths(entry.detail) };
}
