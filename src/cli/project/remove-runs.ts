/**
 * Removes runs of this project: from the store, and their files beside it. The store goes first, so that
 * a removal that is cut short can be repeated and leaves nothing behind.
 */
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { RunArchive } from '../../engine/backend.ts';
import { openEngine, type Engine } from '../../engine/errand.ts';
import { exportsIn, runFolder } from '../../engine/run/exported-events.ts';
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { RemovedRun } from '../../machine/ports/store-port.ts';
import { writePrivate } from '../../stores/sqlite/private-files.ts';
import { refusal } from '../exit.ts';
import type { Terminal } from '../terminal.ts';
import { errandHome } from './home.ts';
import { storeAddress } from './project.ts';
import { projectModules } from './project-extensions.ts';
import { isOnTemporal } from './run-location.ts';
import { refuseServer } from './server-location.ts';
import { currentUser } from './user-name.ts';

export interface RemovalContext {
  readonly home: string;
  readonly runs: Engine;
  readonly archive: RunArchive;
}

/** Creates no folder and no file: without a store there is nothing to remove. */
export async function withRemovalContext<T>(
  run: string | undefined,
  work: (context: RemovalContext) => Promise<T>,
): Promise<T> {
  refuseServer('Removing runs');
  if (isOnTemporal(run))
    throw refusal(
      'A Temporal server keeps and removes its own runs',
      'Remove it there, for instance with: temporal workflow delete',
    );
  const home = errandHome(process.env, process.cwd());
  const isEmpty =
    (process.env['ERRAND_STORE'] ?? '') === '' && !existsSync(join(home, 'errand.db'));
  const runs = await openEngine({
    // warnings of sinks do not matter to this command
    onWarning: () => undefined,
    extensionModules: isEmpty ? [] : projectModules(),
    locate: () => ({ store: isEmpty ? 'memory' : storeAddress(home) }),
  });
  try {
    return await work({ home, runs, archive: await runs.archive() });
  } finally {
    await runs.close();
  }
}

/** Rejects with `run.already_active` for a run that a process is running, and with `run.not_found`. */
export async function removeRun(
  { home, archive }: RemovalContext,
  run: string,
): Promise<RemovedRun> {
  const folder = runFolder(home, run);
  const failures = folder === undefined ? new Set<string>() : failuresIn(folder);
  const removedAt = new Date().toISOString();
  const removed = await removeFromStore({ home, archive }, run, removedAt);
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  forgetInternal(home, failures);
  return removed;
}

/** Only this command can say it: a server that could send them no longer finds the run. */
export function warnOfUnsent({ run, unsent = 0 }: RemovedRun, terminal: Terminal): void {
  if (unsent === 0) return;
  const count = unsent === 1 ? '1 webhook' : `${unsent} webhooks`;
  terminal.err(`${count} of ${run} had not been sent, and will not be.`);
}

/** Removes files of a run that the store no longer has, too. */
async function removeFromStore(
  { home, archive }: Pick<RemovalContext, 'home' | 'archive'>,
  run: string,
  at: string,
): Promise<RemovedRun> {
  const by = currentUser();
  try {
    return await archive.remove(run, by, at);
  } catch (thrown) {
    const isLeft = isKind(thrown, 'run.not_found') && exportsIn(home)(run) !== undefined;
    if (!isLeft) throw thrown;
    return (await archive.tombstone(run)) ?? { run, workflow: '', removedAt: at, removedBy: by };
  }
}

/** Returns the ids of all failures of the run; `internal.jsonl` is keyed by them. */
function failuresIn(folder: string): Set<string> {
  return new Set(
    ['events.jsonl', 'errors.jsonl'].flatMap((name) =>
      Array.from(textOf(join(folder, name)).matchAll(/"id":"(?<id>err_\w+)"/g), (found) =>
        String(found.groups?.['id']),
      ),
    ),
  );
}

function forgetInternal(home: string, failures: ReadonlySet<string>): void {
  const path = join(home, 'internal.jsonl');
  const text = failures.size === 0 ? '' : textOf(path);
  if (text === '') return;
  const lines = text.split('\n');
  const kept = lines.filter((line) => !failures.has(idIn(line)));
  if (kept.length === lines.length) return;
  writePrivate(`${path}.new`, kept.join('\n'));
  renameSync(`${path}.new`, path);
}

function idIn(line: string): string {
  return /^\{"id":"(?<id>\w+)"/.exec(line)?.groups?.['id'] ?? '';
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // missing or unreadable: there is nothing to remove in it
    return '';
  }
}
