/** `errand show`: the status of a run and of each of its nodes, as text, JSON, or a page in one file. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { keyValuesIn } from '../../effects/model/key-values.ts';
import type { StoredRun } from '../../engine/errand.ts';
import { runPage } from '../../engine/build-run-page.ts';
import { runView } from '../../engine/shown-run.ts';
import { createRedactor } from '../../errors/redaction/redact.ts';
import { jsonText } from '../../errors/support/printable.ts';
import type { RunPage } from '../../history/run-page.ts';
import type { Format } from '../format.ts';
import { runHtml } from '../project/run-html.ts';
import { readRun, warnLostLog, withRuns } from '../project/stored-run.ts';
import { writeOver } from '../project/write-over.ts';
import { showText } from '../screen/show-text.ts';
import type { Terminal } from '../terminal.ts';

export interface ShowFlags {
  readonly format: Format;
  /** The file that the page is written to; `-` is stdout. */
  readonly html?: string;
}

/** Files above this are no workflows. */
const MAX_SOURCE_CHARS = 1024 * 1024;

export async function show(
  id: string,
  { format, html }: ShowFlags,
  terminal: Terminal,
): Promise<number> {
  return withRuns(async (runs) => {
    const stored = await readRun(runs, id);
    await warnLostLog(runs, id, terminal);
    if (html !== undefined) {
      await writeHtml(stored, html, terminal);
      return 0;
    }
    const shown = runView({ ...stored, directory: process.cwd() });
    terminal.out(
      format === 'json'
        ? jsonText(shown, 2)
        : showText(shown, { ...stored, columns: terminal.columns, nowMs: Date.now() }),
    );
    return 0;
  }, id);
}

async function writeHtml(stored: StoredRun, file: string, terminal: Terminal): Promise<void> {
  const { record, status } = stored;
  const canResume = record.file !== null && status !== 'running' && status !== 'cancelled';
  const page = runPage(stored, {
    directory: process.cwd(),
    isForPerson: true,
    canResume,
    needsAccept: false,
  });
  const text = await runHtml({ ...page, ...sourceOf(page) }, Date.now());
  if (file === '-') {
    terminal.out(text.trimEnd());
    return;
  }
  writeOver(resolve(file), text);
  terminal.err(`Wrote the page of ${record.run} to ${file}`);
}

/** The lines that reports point to; a file that is gone or has moved is left out. */
function sourceOf({ file }: RunPage): Pick<RunPage, 'source'> {
  if (file === null) return {};
  try {
    const text = readFileSync(resolve(file), 'utf8');
    if (text.length > MAX_SOURCE_CHARS) return {};
    const redactor = createRedactor(keyValuesIn(process.env));
    return { source: { file, lines: redactor.text(text).split('\n') } };
  } catch {
    // the page says where it was
    return {};
  }
}
