/** Loads the SQLite that is part of Node, which a flag of Node can leave out. */
import type * as Sqlite from 'node:sqlite';
import { ErrandError } from '../../errors/thrown/errand-error.ts';

/** Throws `extension.missing`. */
export function openDatabase(
  path: string | URL,
  options?: Sqlite.DatabaseSyncOptions,
): Sqlite.DatabaseSync {
  const { DatabaseSync } = sqliteEngine();
  return new DatabaseSync(path, options);
}

/** Throws `extension.missing`. An import would fail before an action could be named. */
export function sqliteEngine(): typeof Sqlite {
  const engine: typeof Sqlite | undefined = process.getBuiltinModule('node:sqlite');
  if (engine === undefined) throw missing();
  return engine;
}

function missing(): ErrandError {
  return new ErrandError({
    kind: 'extension.missing',
    message: `This Node (${process.versions.node}) was started without SQLite, which the store needs`,
    details: { module: 'node:sqlite' },
    action: {
      kind: 'fix_setup',
      detail:
        'Remove `--no-experimental-sqlite` from NODE_OPTIONS, use a Node that has `node:sqlite`, or keep runs in PostgreSQL (ERRAND_STORE).',
    },
  });
}
