/** `errand audit`: who did what to a run. */
import { onScreen } from '../../errors/support/on-screen.ts';
import { jsonText, singleLine } from '../../errors/support/printable.ts';
import { hideInternals } from '../../errors/redaction/hide-internals.ts';
import { auditTrail, type AuditEntry } from '../../history/audit-trail.ts';
import type { Format } from '../format.ts';
import { tableLines } from '../screen/table-lines.ts';
import { timeWords } from '../screen/number-words.ts';
import { readRun, warnLostLog, withRuns } from '../project/stored-run.ts';
import type { Terminal } from '../terminal.ts';

export async function audit(
  id: string,
  { format }: { readonly format: Format },
  terminal: Terminal,
): Promise<number> {
  return withRuns(async (runs) => {
    const { events } = await readRun(runs, id);
    await warnLostLog(runs, id, terminal);
    const entries = auditTrail(events).map(withoutHostPaths);
    terminal.out(
      format === 'json' ? jsonText(entries, 2) : auditText(onScreen(entries), terminal.columns),
    );
    return 0;
  }, id);
}

export function auditText(entries: readonly AuditEntry[], columns: number): string {
  if (entries.length === 0)
    return 'This run has had no retry, answer, approval, resume or cancellation.';
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
  return { ...entry, detail: hideInternals(entry.detail) };
}
