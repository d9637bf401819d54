/**
 * A PostgreSQL database as the store uses it: statements and transactions over a pool, with errors
 * typed by what the server reports. A statement writes `@runs` for a table of the store's schema.
 */
import { isOutageBy, unavailable } from '../failure.ts';
import type { Row } from '../typed-row.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { postgresFailure } from './postgres-failure.ts';

export type SqlValue = string | number | null | readonly string[] | readonly number[];

/** The part of the package `pg` that is used. */
export interface PgModule {
  readonly Pool: new (config: object) => PgPool;
}

interface PgPool {
  connect(): Promise<PgClient>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'connect', listener: (client: PgClient) => void): unknown;
}

interface PgClient {
  query(text: string, values?: readonly SqlValue[]): Promise<{ readonly rows: readonly Row[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  release(error?: boolean): void;
}

export type Query = (text: string, values?: readonly SqlValue[]) => Promise<readonly Row[]>;

export interface DatabaseOptions {
  readonly pg: PgModule;
  readonly url: string;
  readonly schema: string;
  /** How long a lock or a connection is waited for. */
  readonly patienceMs: number;
  readonly connections: number;
  /** How long a statement may take, and a transaction may be idle. Default: a minute. */
  readonly statementMs?: number;
}

const STATEMENT_MS = 60_000;
/** So that what stands between a process and its server does not forget their connection. */
const KEEP_ALIVE_MS = 30_000;

export class Database {
  readonly schema: string;
  readonly quotedSchema: string;
  /** Server and database, without the user. */
  readonly #place: { readonly server: string; readonly database?: string };
  readonly #pool: PgPool;
  /** Connections that ended with an error. */
  readonly #broken = new WeakSet<PgClient>();
  readonly #texts = new Map<string, string>();
  #isClosed = false;

  constructor(options: DatabaseOptions) {
    const { pg, url, schema, patienceMs, connections, statementMs = STATEMENT_MS } = options;
    this.schema = schema;
    this.#place = placeOf(url);
    this.quotedSchema = `"${schema.replaceAll('"', '""')}"`;
    this.#pool = new pg.Pool({
      connectionString: url,
      max: connections,
      connectionTimeoutMillis: patienceMs,
      lock_timeout: patienceMs,
      statement_timeout: statementMs,
      idle_in_transaction_session_timeout: statementMs,
      // a server that is there has answered by then
      query_timeout: statementMs + patienceMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
      application_name: 'errand',
      // a process that has nothing else to do may end
      allowExitOnIdle: true,
    });
    this.#pool.on('error', ignoreIdle);
    // from its first moment on: an error that nobody listens to would end the process
    this.#pool.on('connect', (client) => {
      client.on('error', () => void this.#broken.add(client));
    });
  }

  /** One statement, which is a transaction of its own. */
  query(text: string, values?: readonly SqlValue[], where?: JsonObject): Promise<readonly Row[]> {
    return this.#connected((query) => query(text, values), where);
  }

  /** The same, for failures that name the run. */
  forRun(run: string): Query {
    return (text, values) => this.query(text, values, { run });
  }

  /** All of it or nothing. */
  transaction<T>(body: (query: Query) => Promise<T>, where?: JsonObject): Promise<T> {
    return this.#connected(async (query) => {
      await query('BEGIN');
      try {
        const result = await body(query);
        await query('COMMIT');
        return result;
      } catch (thrown) {
        // a connection that is gone took it along, and would be waited for again
        if (!isOutageBy(thrown, 'disconnected')) await query('ROLLBACK').catch(undoneByServer);
        throw thrown;
      }
    }, where);
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#pool.end();
  }

  checkOpen(): void {
    if (this.#isClosed) throw unavailable('closed');
  }

  async #connected<T>(body: (query: Query) => Promise<T>, where: JsonObject = {}): Promise<T> {
    this.checkOpen();
    let client: PgClient;
    try {
      client = await this.#pool.connect();
    } catch (thrown) {
      throw postgresFailure(thrown, { ...where, ...this.#place, isConnected: false });
    }
    const query: Query = async (text, values) => {
      try {
        return (await client.query(this.#text(text), values)).rows;
      } catch (thrown) {
        const at = { ...where, ...this.#place, isConnected: !this.#broken.has(client) };
        const failure = postgresFailure(thrown, at);
        // the server may announce the end of a connection before it ends
        if (isOutageBy(failure, 'disconnected')) this.#broken.add(client);
        throw failure;
      }
    };
    try {
      return await body(query);
    } finally {
      client.release(this.#broken.has(client));
    }
  }

  #text(template: string): string {
    const known = this.#texts.get(template);
    if (known !== undefined) return known;
    const text = template.replaceAll('@', `${this.quotedSchema}.`);
    this.#texts.set(template, text);
    return text;
  }
}

function placeOf(url: string): { readonly server: string; readonly database?: string } {
  if (!URL.canParse(url)) return { server: '' };
  const { host, pathname } = new URL(url);
  const database = pathname.slice(1);
  // without a name, pg takes one from the environment
  return database === '' ? { server: host } : { server: host, database };
}

function ignoreIdle(): void {
  // the server closed an idle connection; the next statement gets another
}

function undoneByServer(): void {
  // the connection is gone, and the transaction with it; the caller gets the first error
}
