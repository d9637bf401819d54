/** Reads runs from the store of this project without claiming them. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine, type Engine, type StoredRun } from '../../engine/errand.ts';
import { ErrandError, isKind } from '../../errors/thrown/errand-error.ts';
import { renderLine } from '../../errors/render/line.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { suggest } from '../../errors/support/suggest.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import type { RunRecord, RunStore } from '../../machine/ports/store-port.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { openSqliteStore } from '../../stores/sqlite/sqlite.ts';
import type { Terminal } from '../terminal.ts';
import { shellWord } from '../../errors/support/shell-word.ts';
import { errandHome } from './home.ts';
import { projectModules } from './project-extensions.ts';
import { temporalFor } from './run-location.ts';
import { serverPlace } from './server-location.ts';

/** Opens the runs of this project for reading. Creates no file: without a store there are no runs. */
export async function withRuns<T>(
  read: (runs: Engine) => Promise<T>,
  run?: string,
  // warnings of sinks do not matter to a reader
  onWarning: (error: ErrorReport) => void = () => undefined,
): Promise<T> {
  const engine = await openToRead(run, onWarning);
  try {
    return await read(engine);
  } finally {
    await engine.close();
  }
}

function openToRead(
  run: string | undefined,
  onWarning: (error: ErrorReport) => void,
): Promise<Engine> {
  const server = serverPlace();
  if (server !== undefined) return openEngine({ onWarning, locate: () => ({ server }) });
  const temporal = temporalFor(run);
  if (temporal !== undefined) return openEngine({ onWarning, temporal });
  const home = errandHome(process.env, process.cwd());
  const address = process.env['ERRAND_STORE'] ?? '';
  return openEngine({
    onWarning,
    extensionModules: address === '' ? [] : projectModules(),
    locate: async () => ({ home, store: address === '' ? await openOwn(home) : address }),
  });
}

function openOwn(home: string): RunStore | Promise<RunStore> {
  const path = join(home, 'errand.db');
  return existsSync(path)
    ? openSqliteStore({ path, now: Date.now, onlyReads: true })
    : openMemoryStore({ now: Date.now });
}

/** Warns that events are missing; what is there is shown all the same. */
export async function warnLostLog(runs: Engine, run: string, terminal: Terminal): Promise<void> {
  try {
    await runs.refuseLostLog(run);
  } catch (thrown) {
    if (!isKind(thrown, 'store.corrupt')) throw thrown;
    terminal.err(renderLine(toReport(thrown)));
  }
}

/** Rejects with `run.not_found`, and suggests a run. */
export async function readRun(runs: Engine, id: string): Promise<StoredRun> {
  return orUnknown(runs, id, runs.stored(id));
}

export async function findRun(runs: Engine, id: string): Promise<RunRecord> {
  return orUnknown(runs, id, runs.record(id));
}

async function orUnknown<T>(runs: Engine, id: string, found: Promise<T>): Promise<T> {
  try {
    return await found;
  } catch (thrown) {
    throw isUnknown(thrown) ? await unknownRun(runs, id) : thrown;
  }
}

/** True where the run never existed; false where it was removed. */
export function isUnknown(thrown: unknown): boolean {
  return isKind(thrown, 'run.not_found') && toReport(thrown).details?.['removedAt'] === undefined;
}

/** Builds the refusal, with a suggestion. */
export async function unknownRun(runs: Engine, id: string): Promise<ErrandError> {
  // damage to other runs does not matter here
  const all = await runs.list({ onDamage: () => undefined });
  const known = all.map(({ run }) => run);
  const meant =
    id === '' ? undefined : (known.find((run) => run.startsWith(id)) ?? suggest(id, known));
  return new ErrandError({
    kind: 'run.not_found',
    message: `There is no run ${id === '' ? 'with an empty id' : id.slice(0, MAX_ID_CHARS)}`,
    action: {
      kind: 'change_input',
      detail: /\.ya?ml$/.test(id)
        ? `Give the id of a run, as errand runs lists it. To run the file: errand run ${shellWord(id)}`
        : [
            ...(meant === undefined ? [] : [`Did you mean ${meant}?`]),
            known.length === 0
              ? 'This project has no runs yet: errand run FILE starts one.'
              : 'List them with: errand runs',
          ].join(' '),
    },
  });
}

const MAX_ID_CHARS = 80;
