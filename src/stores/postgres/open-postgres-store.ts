/** Connects to a PostgreSQL database, prepares its schema, and opens the store in it. */
import type { RunStore } from '../../machine/ports/store-port.ts';
import { Database, type PgModule } from './database.ts';
import { PostgresStore } from './postgres.ts';
import { migrate } from './postgres-schema.ts';

export interface PostgresStoreOptions {
  /** The package `pg`, which Errand does not bring along. */
  readonly pg: PgModule;
  /** `postgres://user:password@host:port/database`. */
  readonly url: string;
  /** Default: `errand`. */
  readonly schema?: string;
  /** How long to wait for a connection or a lock. Default: 5000. */
  readonly patienceMs?: number;
  /** Default: 10. */
  readonly connections?: number;
}

/**
 * Opens a store in PostgreSQL. Rejects with `store.unavailable`, and for a newer Errand's store with
 * `validation.contract_version`.
 * @example
 * ```ts
 * import pg from 'pg';
 * import { openErrand } from 'errand';
 * import { openPostgresStore } from 'errand/stores';
 *
 * const store = await openPostgresStore({ pg, url: 'postgres://errand@localhost/errand' });
 * const errand = await openErrand({ store });
 * await errand.close();
 * ```
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<RunStore> {
  const { schema = 'errand', patienceMs = 5000, connections = 10, pg, url } = options;
  const db = new Database({ pg, url, schema, patienceMs, connections });
  try {
    await migrate(db);
  } catch (thrown) {
    await db.close();
    throw thrown;
  }
  return new PostgresStore(db);
}
