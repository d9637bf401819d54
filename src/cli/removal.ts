/**
 * Removing runs of this project: from the store, and what lies beside it in files. The store goes
 * first, so that a removal that is cut short can be asked for again and leaves nothing behind.
 */
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exportsIn, runFolder } from '../drivers/exported-events.ts';
import { openStore } from '../drivers/open-store.ts';
import { isHeld, isOwnerAlive } from '../drivers/owner.ts';
import { isKind } from '../errors/errand-error.ts';
import type { RunStore, Tombstone } from '../machine/store-port.ts';
import { openMemoryStore } from '../stores/memory.ts';
import { refusal } from './exit.ts';
import { errandHome } from './home.ts';
import { temporalFor } from './where.ts';
import { whoIsHere } from './who.ts';

export interface RemovalPlace {
  readonly home: string;
  readonly store: RunStore;
}

/** Makes no folder and no file: without a store there is nothing to remove. */
export async function withRemovalPlace<T>(
  run: string | undefined,
  work: (place: RemovalPlace) => Promise<T>,
): Promise<T> {
  if (temporalFor(run) !== undefined)
    throw refusal(
      'Runs at a Temporal server are kept and removed by that server',
      'Remove it there, for instance with: temporal workflow delete',
    );
  const home = errandHome(process.env, process.cwd());
  const store = await openHere(home);
  try {
    return await work({ home, store });
  } finally {
    await store.close();
  }
}

async function openHere(home: string): Promise<RunStore> {
  const address = process.env['ERRAND_STORE'] ?? '';
  const path = join(home, 'errand.db');
  if (address === '' && !existsSync(path)) return openMemoryStore({ now: Date.now });
  const { projectExtensions } = await import('./extensions.ts');
  // what a sink or a stop says is of no interest to this command
  const extensions = await projectExtensions(() => undefined);
  return openStore(address === '' ? `sqlite:${path}` : address, process.cwd(), extensions);
}

/** Rejects with `run.already_active` for a run that lives, and with `run.not_found`. */
export async function removeRun({ home, store }: RemovalPlace, run: string): Promise<Tombstone> {
  const folder = runFolder(home, run);
  const failures = folder === undefined ? new Set<string>() : failuresIn(folder);
  const removedAt = new Date().toISOString();
  const removed = await removeFromStore({ home, store }, run, removedAt);
  if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
  forgetInternal(home, failures);
  return removed;
}

/** What is left of a run in files only can be removed too: the store has lost it, or removed it. */
async function removeFromStore(
  { home, store }: RemovalPlace,
  run: string,
  at: string,
): Promise<Tombstone> {
  const by = whoIsHere();
  try {
    return await store.remove({ run, by, at, isAlive: isOwnerAlive });
  } catch (thrown) {
    const isLeft = isKind(thrown, 'run.not_found') && exportsIn(home)(run) !== undefined;
    if (!isLeft) throw thrown;
    return (await store.tombstone(run)) ?? { run, workflow: '', removedAt: at, removedBy: by };
  }
}

/** Whether room can be given back now: a long write would keep runs from writing that go on. */
export async function compactUnlessBusy(store: RunStore): Promise<boolean> {
  const running = await store.list({ statuses: ['running'], onDamage: () => undefined });
  if (running.some(({ claim }) => isHeld(claim))) return false;
  try {
    await store.compact();
    return true;
  } catch (thrown) {
    // nothing is lost by it: the next removal tries again
    if (!isKind(thrown, 'store.unavailable')) throw thrown;
    return false;
  }
}

/** The ids of all failures of the run, by which the internal record knows them. */
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
  writeFileSync(`${path}.new`, kept.join('\n'), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function idIn(line: string): string {
  return /^\{"id":"(?<id>\w+)"/.exec(line)?.groups?.['id'] ?? '';
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    // there is none, or nothing that could be told from it
    return '';
  }
}
