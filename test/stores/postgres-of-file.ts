/** One PostgreSQL server for all tests of a file, removed with them. */
import { afterAll, beforeAll } from 'vitest';
import { postgresPrograms, startPostgres, type PostgresServer } from '../postgres-server.ts';
import { startLossyProxy, type LossyProxy } from './lossy-proxy.ts';

interface PostgresOfFile {
  /** Where it is false, nothing is started, and the tests have to be skipped. */
  readonly isInstalled: boolean;
  readonly server: PostgresServer;
}

interface LossyPostgres {
  readonly isInstalled: boolean;
  readonly proxy: LossyProxy;
}

export function postgresOfFile(): PostgresOfFile {
  const programs = postgresPrograms();
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    if (programs !== undefined) server = await startPostgres(programs);
  });
  afterAll(() => server?.remove());
  return {
    isInstalled: programs !== undefined,
    get server() {
      if (server === undefined) throw new Error('PostgreSQL has not been started');
      return server;
    },
  };
}

/** The same behind a proxy that loses answers. */
export function lossyPostgresOfFile(): LossyPostgres {
  const database = postgresOfFile();
  let proxy: LossyProxy | undefined;
  beforeAll(async () => {
    if (database.isInstalled) proxy = await startLossyProxy(database.server.url);
  });
  afterAll(() => proxy?.close());
  return {
    isInstalled: database.isInstalled,
    get proxy() {
      if (proxy === undefined) throw new Error('PostgreSQL has not been started');
      return proxy;
    },
  };
}
