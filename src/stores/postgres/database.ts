/**
 * A PostgreSQL database as the store uses it: statements and transactions over a pool, with errors
 * typed by what the server reports. A statement writes `@runs` for a table of the store's schema.
 */
import { digestOf } from '../checksum.ts';
import { isOutageBy, unavailable } from '../store-failure.ts';
import type { Row } from '../typed-row.ts';
import { readProperty, type JsonObject } from '../../errors/support/safe-json.ts';
import { postgresFailure } from './postgres-failure.ts';

export type SqlValue = string | number | null | readonly string[] | readonly number[];

/** The part of the package `pg` that is used. */
export interface PgModule {
  readonly Pool: new (config: object) => PgPool;
}

export interface PgPool {
  connect(): Promise<PgClient>;
  end(): Promise<void>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'connect', listener: (client: PgClient) => void): unknown;
}

export interface PgClient {
  query(
    statement: string | Prepared,
    values?: readonly SqlValue[],
  ): Promise<{ readonly rows: readonly Row[] }>;
  on(event: 'error', listener: (error: Error) => void): unknown;
  release(error?: boolean): void;
}

/** A statement that a connection sends once, and afterwards only names. */
export interface Prepared {
  readonly name: string;
  readonly text: string;
}

export type Statement = string | Prepared;

export type Query = (statement: Statement, values?: readonly SqlValue[]) => Promise<readonly Row[]>;

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
/**
 * Keeps proxies and firewalls between a process and its server from forgetting their connection.
 */
const KEEP_ALIVE_MS = 30_000;

export class Database {
  readonly schema: string;
  readonly quotedSchema: string;
  /** Server and database, without the user. */
  readonly #place: { readonly server: string; readonly database?: string };
  readonly #pool: PgPool;
  /** Connections that ended with an error. */
  readonly #broken = new WeakSet<PgClient>();
  readonly #statements = new Map<Statement, Statement>();
  /**
   * False once a session does not know a statement, or knows it already: behind a pooler of
   * connections.
   */
  #canPrepare = true;
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
      verify: planEachTime,
      // a process that has nothing else to do may end
      allowExitOnIdle: true,
    });
    this.#pool.on('error', ignoreIdle);
    // from its first moment on, because an error without a listener would end the process
    this.#pool.on('connect', (client) => {
      client.on('error', () => void this.#broken.add(client));
    });
  }

  /** One statement, which is a transaction of its own. */
  query(
    statement: Statement,
    values?: readonly SqlValue[],
    where?: JsonObject,
  ): Promise<readonly Row[]> {
    return this.#connected((query) => query(statement, values), where);
  }

  /** The same, for failures that name the run. */
  forRun(run: string): Query {
    return (statement, values) => this.query(statement, values, { run });
  }

  /** All of it or nothing. */
  transaction<T>(body: (query: Query) => Promise<T>, where?: JsonObject): Promise<T> {
    return this.#connected(async (query) => {
      await query('BEGIN');
      try {
        // by its text, because an unknown name would end the transaction
        const result = await body((statement, values) => query(textOf(statement), values));
        await query('COMMIT');
        return result;
      } catch (thrown) {
        // a lost connection ended the transaction, and would be waited for again
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
    const query: Query = async (statement, values) => {
      try {
        return (await this.#ask(client, statement, values)).rows;
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

  async #ask(client: PgClient, statement: Statement, values?: readonly SqlValue[]) {
    const asked = this.#inSchema(statement);
    if (typeof asked === 'string') return client.query(asked, values);
    try {
      if (this.#canPrepare) return await client.query(asked, values);
    } catch (thrown) {
      if (!isUnknownName(thrown)) throw thrown;
      // nothing was done: it is refused before it is executed
      this.#canPrepare = false;
    }
    return client.query(asked.text, values);
  }

  #inSchema(statement: Statement): Statement {
    const known = this.#statements.get(statement);
    if (known !== undefined) return known;
    const withSchema = (template: string): string =>
      template.replaceAll('@', `${this.quotedSchema}.`);
    const made =
      typeof statement === 'string'
        ? withSchema(statement)
        : withOwnName(statement.name, withSchema(statement.text));
    this.#statements.set(statement, made);
    return made;
  }
}

function textOf(statement: Statement): string {
  return typeof statement === 'string' ? statement : statement.text;
}

/** A pooler may give a session in which another schema, or another version, has prepared its own under the same name. */
function withOwnName(name: string, text: string): Prepared {
  return { name: `${name}_${digestOf(text)}`, text };
}

/** The states of a prepared statement that is missing, and of one that exists already. */
function isUnknownName(error: unknown): boolean {
  return ['26000', '42P05'].includes(String(readProperty(error, 'code')));
}

/**
 * Makes the server plan a prepared statement anew, by its values and the present size of its
 * tables. A plan kept from when a table was small may read all of it after it has grown.
 */
function planEachTime(client: PgClient, done: () => void): void {
  const proceed = (): void => done();
  // a server that does not know the setting (before 12) works without it; the first statement finds
  // a lost connection
  client.query('SET plan_cache_mode = force_custom_plan').then(proceed, proceed);
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
