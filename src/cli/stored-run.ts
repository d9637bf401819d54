/** What the store of this project knows of its runs, read without claiming them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { exportsIn } from '../drivers/exported-events.ts';
import { refuseLostLog, witnessedReading } from '../drivers/lost-log.ts';
import { isHeld } from '../drivers/owner.ts';
import { statusNow } from '../drivers/standing.ts';
import { asEvent } from '../drivers/subscription.ts';
import { ErrandError, isKind } from '../errors/errand-error.ts';
import { renderLine } from '../errors/render/line.ts';
import { suggest } from '../errors/suggest.ts';
import { toReport } from '../errors/to-report.ts';
import type { RunEvent } from '../machine/events.ts';
import type {
  ReadableStore,
  RunRecord,
  RunSummary,
  StandingStatus,
} from '../machine/store-port.ts';
import { openMemoryStore } from '../stores/memory.ts';
import { openSqliteStore } from '../stores/sqlite.ts';
import { errandHome } from './home.ts';
import type { Terminal } from './terminal.ts';
import { temporalFor } from './where.ts';

export interface StoredRun {
  readonly record: RunRecord;
  readonly events: readonly RunEvent[];
}

/** At that run, or at all. Looking makes no folder and no file: without a store there are no runs. */
export async function withStore<T>(
  look: (store: ReadableStore) => Promise<T>,
  run?: string,
): Promise<T> {
  const store = await openStore(run);
  try {
    return await look(store);
  } finally {
    await store.close();
  }
}

async function openStore(run: string | undefined): Promise<ReadableStore> {
  const place = temporalFor(run);
  if (place !== undefined) {
    // most people never need it
    const { openTemporal } = await import('../drivers/temporal/client.ts');
    return (await openTemporal({ place })).store;
  }
  const home = errandHome(process.env, process.cwd());
  return witnessedReading(await openLocal(home), exportsIn(home));
}

async function openLocal(home: string): Promise<ReadableStore> {
  const address = process.env['ERRAND_STORE'] ?? '';
  if (address !== '') return openConfigured(address);
  const path = join(home, 'errand.db');
  return existsSync(path)
    ? openSqliteStore({ path, now: Date.now, onlyReads: true })
    : openMemoryStore({ now: Date.now });
}

/** What can be shown is shown; that something is missing is said beside it. */
export async function sayLostLog(
  store: ReadableStore,
  run: string,
  terminal: Terminal,
): Promise<void> {
  if (temporalFor(run) !== undefined) return;
  const witness = exportsIn(errandHome(process.env, process.cwd()));
  try {
    await refuseLostLog(store, run, witness);
  } catch (thrown) {
    if (!isKind(thrown, 'store.corrupt')) throw thrown;
    terminal.err(renderLine(toReport(thrown)));
  }
}

/** Where `ERRAND_STORE` says that runs are. */
async function openConfigured(address: string): Promise<ReadableStore> {
  const { projectExtensions } = await import('./extensions.ts');
  const { openStore: openByAddress } = await import('../drivers/open-store.ts');
  // what a sink or a stop says is of no interest to whoever only looks
  return openByAddress(address, process.cwd(), await projectExtensions(() => undefined));
}

/** Rejects with `run.not_found`, and says which run may have been meant. */
export async function readRun(store: ReadableStore, id: string): Promise<StoredRun> {
  const record = await findRun(store, id);
  const events: RunEvent[] = [];
  for await (const commit of store.read(id)) events.push(...commit.events.map(asEvent));
  return { record, events };
}

export async function findRun(store: ReadableStore, id: string): Promise<RunRecord> {
  try {
    return await store.get(id);
  } catch (thrown) {
    throw isUnknown(thrown) ? await unknownRun(store, id) : thrown;
  }
}

/** Not there, and not because it was removed. */
export function isUnknown(thrown: unknown): boolean {
  return isKind(thrown, 'run.not_found') && toReport(thrown).details?.['removedAt'] === undefined;
}

/** The same refusal, with the run that was probably meant. */
export async function unknownRun(store: ReadableStore, id: string): Promise<ErrandError> {
  // that another run is damaged is no answer to this
  const runs = await store.list({ onDamage: () => undefined });
  const known = runs.map(({ run }) => run);
  const meant =
    id === '' ? undefined : (known.find((run) => run.startsWith(id)) ?? suggest(id, known));
  return new ErrandError({
    kind: 'run.not_found',
    message: `There is no run ${id === '' ? 'with an empty id' : id.slice(0, MAX_ID_CHARS)}`,
    action: {
      kind: 'change_input',
      detail: [
        ...(meant === undefined ? [] : [`Did you mean ${meant}?`]),
        known.length === 0
          ? 'This project has no runs yet: errand run FILE starts one.'
          : 'List them with: errand runs',
      ].join(' '),
    },
  });
}

const MAX_ID_CHARS = 80;

/** As `list()` of the library says it, too. */
export function statusOf({ status, claim }: RunSummary): StandingStatus {
  return statusNow(status, isHeld(claim));
}
