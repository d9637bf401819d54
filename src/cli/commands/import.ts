/** `errand import`: takes a run from a file into the store of this project. */
import { readFileSync } from 'node:fs';
import { openEngine } from '../../engine/errand.ts';
import { unreadableReason } from '../../engine/loading/node-files.ts';
import { exportsIn } from '../../engine/run/exported-events.ts';
import { readRunFile, type ImportedRun } from '../../engine/run-file.ts';
import { jsonText } from '../../errors/support/printable.ts';
import { refusal } from '../exit.ts';
import type { OutputOptions } from '../format.ts';
import { createHome } from '../project/home.ts';
import { importedFile } from '../project/imported-file.ts';
import { storeAddress } from '../project/project.ts';
import { projectModules } from '../project/project-extensions.ts';
import { isOnTemporal } from '../project/run-location.ts';
import { refuseServer } from '../project/server-location.ts';
import type { Terminal } from '../terminal.ts';

export async function importRun(
  file: string,
  output: OutputOptions,
  terminal: Terminal,
): Promise<number> {
  const read = readRunFile(textOf(file));
  const run = { ...read, file: importedFile(read.file, process.cwd()) };
  await addToProject(run);
  const { id, workflow, events } = run;
  const { status } = run.statusRow;
  if (output.format === 'json')
    terminal.out(jsonText({ run: id, workflow, status, events: events.length }, 2));
  else if (!output.quiet) {
    terminal.err(`Imported run ${id} of ${workflow}: ${status}, ${events.length} events.`);
    terminal.err(`See: errand show ${id}`);
    if (status === 'paused' || status === 'failed')
      terminal.err(
        'Resume it in one place only, here or where it came from: two copies would do the same work twice.',
      );
  }
  return 0;
}

async function addToProject(run: ImportedRun): Promise<void> {
  refuseServer('errand import');
  if (isOnTemporal())
    throw refusal(
      'A Temporal server cannot import a run',
      'Import it into a store of this project: errand import FILE --on local',
    );
  const home = createHome(process.env, process.cwd());
  const engine = await openEngine({
    onWarning: () => undefined,
    extensionModules: projectModules(),
    locate: () => ({ store: storeAddress(home) }),
  });
  try {
    await (await engine.archive()).add(run, exportsIn(home));
  } finally {
    await engine.close();
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (cause) {
    throw refusal(
      `Cannot read ${path}: ${unreadableReason(cause)}`,
      'Give the path of a file that `errand export RUN` wrote, or - for standard input.',
      cause,
    );
  }
}
