/** `errand export`: writes one run as one file. */
import { closeSync, writeSync } from 'node:fs';
import { basename, isAbsolute, relative } from 'node:path';
import { keyValuesIn } from '../../effects/model/key-values.ts';
import { runFileLines } from '../../engine/run-file.ts';
import { createRedactor } from '../../errors/redaction/redact.ts';
import type { OutputOptions } from '../format.ts';
import { findRun, withRuns } from '../project/stored-run.ts';
import { refuseServer } from '../project/server-location.ts';
import { openNew } from '../project/write-new.ts';
import type { Terminal } from '../terminal.ts';

export async function exportRun(
  id: string,
  options: OutputOptions & { readonly output?: string },
  terminal: Terminal,
): Promise<number> {
  refuseServer('errand export');
  return withRuns(async (runs) => {
    const found = await findRun(runs, id);
    const record = { ...found, file: found.file === null ? null : seenFromHere(found.file) };
    // a copy would not show the loss, and a resume of it would repeat the lost work
    await runs.refuseLostLog(id);
    const lines = runFileLines(record, runs.history(id), createRedactor(keyValuesIn(process.env)));
    if (options.output === undefined) for await (const line of lines) terminal.out(line);
    else await writeLines(options.output, lines);
    if (!options.quiet && options.output !== undefined)
      terminal.err(`Exported run ${id} to ${options.output}. Read the file before you share it.`);
    return 0;
  }, id);
}

async function writeLines(path: string, lines: AsyncIterable<string>): Promise<void> {
  const file = openNew(path, 'Choose another name, or remove the file first.');
  try {
    for await (const line of lines) writeSync(file, `${line}\n`);
  } finally {
    closeSync(file);
  }
}

/** The path of the workflow file inside the project, without that of the project. */
function seenFromHere(file: string): string {
  const path = relative(process.cwd(), file);
  return path.startsWith('..') || isAbsolute(path) ? basename(file) : path;
}
