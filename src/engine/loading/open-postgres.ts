/** Runs in a PostgreSQL database, by its address; the package `pg` is the user's. */
import { createLoadPackage, exportsOf } from '../../effects/model/load-package.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { readProperty } from '../../errors/support/safe-json.ts';
import type { RunStore } from '../../machine/ports/store-port.ts';
import { openPostgresStore } from '../../stores/postgres/open-postgres-store.ts';
import type { PgModule } from '../../stores/postgres/database.ts';

/** Parameter of the address: the schema of the tables. All other parameters are pg's. */
const SCHEMA = 'schema';

/** Rejects with `validation.input`, `extension.missing` and what the store rejects with. */
export async function openPostgres(address: string, directory: string): Promise<RunStore> {
  // a path in place of the host is a socket, which pg accepts
  if (!/^[a-z]+:\/\//.test(address) || !URL.canParse(address))
    throw new ErrandError({
      kind: 'validation.input',
      message: 'The address of the PostgreSQL store is not a URL',
      action: {
        kind: 'change_input',
        detail: 'Write postgres://user:password@host:5432/database.',
      },
    });
  const url = new URL(address);
  const schema = url.searchParams.get(SCHEMA);
  url.searchParams.delete(SCHEMA);
  return openPostgresStore({
    pg: loadPg(directory),
    url: url.href,
    ...(schema === null ? {} : { schema }),
  });
}

function loadPg(directory: string): PgModule {
  const pg = exportsOf(createLoadPackage()('pg', directory), missing);
  if (typeof readProperty(pg, 'Pool') !== 'function') throw missing('has no Pool');
  // only its documented interface is used
  return pg as PgModule;
}

function missing(why: string, thrown?: unknown): ErrandError {
  return new ErrandError(
    {
      kind: 'extension.missing',
      message: `A PostgreSQL store needs the package pg, which ${why}`,
      details: { package: 'pg' },
      action: { kind: 'install_package', detail: 'Run `npm install pg`.' },
    },
    { cause: thrown },
  );
}
