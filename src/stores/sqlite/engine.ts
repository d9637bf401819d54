/** The SQLite that Node brings along, which it can be told to leave out. */
import type * as Sqlite from 'node:sqlite';
import { ErrandError } from '../../errors/errand-error.ts';

/** Throws `extension.missing`. */
export function openDatabase(
  path: string | URL,
  options?: Sqlite.DatabaseSyncOptions,
): Sqlite.DatabaseSync {
  const { DatabaseSync } = sqliteEngine();
  return new DatabaseSync(path, options);
}

/** Throws `extension.missing`. An import would fail before anybody could say what to do. */
export function sqliteEngine(): typeof Sqlite {
  const engine: typeof Sqlite | undefined = process.getBuiltinModule('node:sqlite');
  if (engine === undefined) throw missing();
  return engine;
}

function missing(): ErrandError {
  return new ErrandError({
    kind: 'extension.missing',
    message: `This Node (${process.versions.node}) runs without its SQLite, in which runs are kept`,
    details: { module: 'node:sqlite' },
    action: {
      kind: 'fix_setup',
      detail:
        'Take `--no-experimental-sqlite` out of NODE_OPTIONS, use a Node that has `node:sqlite`, or keep runs in PostgreSQL (ERRAND_STORE).',
    },
  });
}
