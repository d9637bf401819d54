/** The PostgreSQL store against a real server: what every store must do, and what only a server can do to it. */
import pg from 'pg';
import { describe, expect, it, vi } from 'vitest';
import { DUE, OWNERS } from '../../src/stores/postgres/shared-work.ts';
import { openPostgresStore } from '../../src/stores/postgres/open-postgres-store.ts';
import {
  commitAt,
  LEASE_MS,
  newRun,
  OWNER,
  readAll,
  rejects,
} from '../../src/stores/conformance/scene.ts';
import { storeCases } from '../../src/stores/conformance/store-cases.ts';
import type { RunStore } from '../../src/machine/ports/store-port.ts';
import { postgresOfFile } from './postgres-of-file.ts';

const postgres = postgresOfFile();
let places = 0;

function newSchema(): string {
  return `place "${++places}"`;
}

function open(schema: string): Promise<RunStore> {
  return openPostgresStore({
    pg,
    url: postgres.server.url,
    schema,
    patienceMs: 2000,
    connections: 4,
  });
}

function quoted(schema: string): string {
  return `"${schema.replaceAll('"', '""')}"`;
}

/** One statement by someone else. */
async function meddle(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgres.server.url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

/** A pool that keeps its connections, and the name or text of each of their statements. */
function watchedStatements() {
  const statements: unknown[] = [];
  const clients: pg.PoolClient[] = [];
  const pool = class extends pg.Pool {
    constructor(config: object) {
      super(config);
      this.on('connect', (client) => {
        clients.push(client);
        const query = client.query.bind(client) as (...given: unknown[]) => unknown;
        const watched = (statement: string | { readonly name: string }, values: unknown) => {
          statements.push(typeof statement === 'string' ? statement : statement.name);
          return query(statement, values);
        };
        Object.assign(client, { query: watched });
      });
    }
  };
  return { statements, clients, pool };
}

describe.runIf(postgres.isInstalled)('the PostgreSQL store', () => {
  for (const { name, run } of storeCases(async () => {
    const schema = newSchema();
    return {
      open: () => open(schema),
      // the clock of the server is nobody's to set; leases that begin earlier end earlier
      elapse: (ms) =>
        meddle(
          `UPDATE ${quoted(schema)}.runs SET until_ms = until_ms - ${ms};
           UPDATE ${quoted(schema)}.deliveries SET due_ms = due_ms - ${ms};
           UPDATE ${quoted(schema)}.endpoints SET seen_ms = seen_ms - ${ms}`,
        ),
    };
  }))
    it(name, run);

  it.each([-3_600_000, 60_000, 3_600_000])(
    'judges leases by the clock of the server, when that of who asks is %d ms off',
    async (offMs) => {
      const store = await open(newSchema());
      const { claim } = await store.create(newRun('r'));
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + offMs });
      try {
        const rival = { ...OWNER, id: 'rival', host: 'elsewhere' };
        const asked = { run: 'r', owner: rival, leaseMs: LEASE_MS, isAlive: () => true };
        await rejects(store.claim(asked), 'run.already_active');
        expect(await store.heartbeat([claim], LEASE_MS)).toEqual([]);
        await rejects(store.claim(asked), 'run.already_active');
        for (const { claim: seen } of [await store.summary('r'), ...(await store.list())]) {
          expect(seen?.leftMs).toBeGreaterThan(0);
          expect(seen?.leftMs).toBeLessThanOrEqual(LEASE_MS);
        }
      } finally {
        vi.useRealTimers();
      }
      await store.close();
    },
  );

  it('lists the others when one is damaged', async () => {
    const schema = newSchema();
    const store = await open(schema);
    for (const id of ['r', 's']) await store.create(newRun(id));
    await meddle(`UPDATE ${quoted(schema)}.runs SET input = '{}' WHERE id = 'r'`);
    await rejects(store.list(), 'store.corrupt');
    const damages: unknown[] = [];
    const listed = await store.list({ onDamage: (damage) => damages.push(damage) });
    expect(listed.map(({ run }) => run)).toEqual(['s']);
    expect(damages).toHaveLength(1);
    await store.remove({ run: 'r', by: 'me', at: 'now', isAlive: () => false });
    expect(await store.list()).toHaveLength(1);
    await store.close();
  });

  it.each([
    ['due runs', DUE, [0, [], null, 10]],
    ['their owners', OWNERS, [0]],
  ])('%s are found by an index: ended runs are never read', async (_, sql, values) => {
    const schema = newSchema();
    const store = await open(schema);
    await store.create(newRun('r'));
    const runs = `${quoted(schema)}.runs`;
    const columns = `workflow, file, started_at, input, checksum, plan, status_row,
      status_row_checksum, epoch, until_ms, next_seq, digest, sent, taken`;
    await meddle(
      `INSERT INTO ${runs} (id, status, ${columns})
       SELECT 'ended-' || n, 'completed', ${columns} FROM ${runs}, generate_series(1, 20000) n;
       ANALYZE ${runs}`,
    );
    const client = new pg.Client({ connectionString: postgres.server.url });
    await client.connect();
    const { rows } = await client.query(
      `EXPLAIN (ANALYZE, BUFFERS OFF, TIMING OFF) ${sql.replaceAll('@', `${quoted(schema)}.`)}`,
      values,
    );
    await client.end();
    const plan = rows.map((row: Record<string, unknown>) => String(row['QUERY PLAN'])).join('\n');
    expect(plan).toContain('runs_due');
    expect(plan).not.toContain('Seq Scan on runs');
    await store.close();
  });

  it('gets the tables of shared work when it was made by an earlier version', async () => {
    const schema = newSchema();
    const store = await open(schema);
    const { claim } = await store.create(newRun('running'));
    await store.release(claim);
    const { claim: other } = await store.create(newRun('paused'));
    const waiting = { reason: 'time' as const, until: '1990-01-01T00:00:00.000Z' };
    await store.append({
      ...commitAt(other, 2),
      statusRow: { status: 'paused', costUsdMicros: 0, waiting: { ...waiting, all: [waiting] } },
    });
    await store.release(other);
    await store.close();
    const place = quoted(schema);
    await meddle(
      `ALTER TABLE ${place}.runs DROP COLUMN due_ms, DROP COLUMN stop_epoch, DROP COLUMN stop_seq;
       DROP TABLE ${place}.endpoints, ${place}.deliveries, ${place}.notes;
       UPDATE ${place}.meta SET value = '3' WHERE name = 'version'`,
    );
    const again = await open(schema);
    const due = await again.due({ nowMs: Date.now(), limit: 10, isAlive: () => true });
    expect(due.map(({ run, dueMs }) => [run, dueMs])).toEqual([
      ['running', 0],
      ['paused', Date.parse(waiting.until)],
    ]);
    await again.addEndpoint({ id: 'one', name: 'one' });
    expect(await again.endpoints()).toHaveLength(1);
    await again.close();
  });

  it('sends one statement for what a run does, and a prepared one only once', async () => {
    const { statements, pool } = watchedStatements();
    const store = await openPostgresStore({
      pg: { Pool: pool },
      url: postgres.server.url,
      schema: newSchema(),
      connections: 1,
    });
    const sent = async (work: () => Promise<unknown>): Promise<readonly unknown[]> => {
      statements.length = 0;
      await work();
      return [...statements];
    };
    const notices = [{ seq: 1, type: 'run:started' }];
    const { claim } = await store.create(newRun('one'));
    expect(await sent(() => store.create(newRun('r')))).toEqual([
      expect.stringMatching(/^errand_create_\w+$/),
    ]);
    expect(await sent(() => store.create({ ...newRun('s'), notices }))).toHaveLength(1);
    expect(await sent(() => store.append(commitAt(claim, 2)))).toEqual([
      expect.stringMatching(/^errand_append_\w+$/),
    ]);
    expect(await sent(() => store.heartbeat([claim], LEASE_MS))).toEqual([
      expect.stringMatching(/^errand_heartbeat_\w+$/),
    ]);
    expect(await sent(() => store.send('one', {}))).toHaveLength(1);
    expect(await sent(() => store.release(claim))).toEqual([
      expect.stringMatching(/^errand_release_\w+$/),
    ]);
    await store.close();
  });

  it('needs no server that remembers its statements: one behind a pooler may not', async () => {
    const { statements, clients, pool } = watchedStatements();
    const schema = newSchema();
    const store = await openPostgresStore({
      pg: { Pool: pool },
      url: postgres.server.url,
      schema,
      connections: 1,
    });
    const { claim } = await store.create(newRun('r'));
    await store.append(commitAt(claim, 2));
    await clients[0]?.query('DEALLOCATE ALL');
    await store.append(commitAt(claim, 3));
    statements.length = 0;
    await store.append(commitAt(claim, 4));
    expect(statements).toEqual([expect.stringContaining('WITH moved AS')]);
    expect((await readAll(store, 'r')).map(({ seq }) => seq)).toEqual([1, 2, 3, 4]);
    await store.close();
  });

  it('uses no statement that another schema has prepared in its session, as behind a pooler', async () => {
    const openIn = async () => {
      const { clients, pool } = watchedStatements();
      const schema = newSchema();
      const store = await openPostgresStore({
        pg: { Pool: pool },
        url: postgres.server.url,
        schema,
        connections: 1,
      });
      await store.create(newRun('first'));
      return { store, client: clients[0] };
    };
    const own = await openIn();
    const other = await openIn();
    const prepared = await other.client?.query<{ name: string; statement: string }>(
      'SELECT name, statement FROM pg_prepared_statements',
    );
    // the session that the pooler gives this time
    await own.client?.query('DEALLOCATE ALL');
    for (const { name, statement } of prepared?.rows ?? [])
      await own.client?.query(`PREPARE ${quoted(name)} AS ${statement}`);
    await own.store.create(newRun('second'));
    expect((await own.store.list()).map(({ run }) => run)).toEqual(['second', 'first']);
    expect((await other.store.list()).map(({ run }) => run)).toEqual(['first']);
    await own.store.close();
    await other.store.close();
  });

  it('plans a prepared statement by what its tables hold at that moment', async () => {
    const { clients, pool } = watchedStatements();
    const store = await openPostgresStore({
      pg: { Pool: pool },
      url: postgres.server.url,
      schema: newSchema(),
      connections: 1,
    });
    const { claim } = await store.create(newRun('planned'));
    for (let seq = 2; seq <= 12; seq++) await store.append(commitAt(claim, seq));
    const planned = await clients[0]?.query(
      `SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE name LIKE 'errand_append_%'`,
    );
    // the server itself would keep the sixth
    expect(planned?.rows).toEqual([{ generic_plans: '0', custom_plans: '11' }]);
    await store.close();
  });

  it('is made once by many who open it at the same moment', async () => {
    const schema = newSchema();
    const stores = await Promise.all(Array.from({ length: 8 }, () => open(schema)));
    await stores[0]?.create(newRun('r'));
    for (const store of stores) {
      expect(await store.list()).toHaveLength(1);
      await store.close();
    }
  });

  it.each([
    [
      'an altered event',
      `UPDATE $.events SET events = replace(events, 'node', 'mode') WHERE seq = 3`,
      3,
    ],
    ['a missing event', 'DELETE FROM $.events WHERE seq = 3', 3],
    ['a missing end', 'DELETE FROM $.events WHERE seq = 5', 5],
    ['a moved event', 'UPDATE $.events SET seq = 9 WHERE seq = 4', 4],
  ])('names the place of %s', async (_, damage, seq) => {
    const schema = newSchema();
    const store = await open(schema);
    const { claim } = await store.create(newRun('r'));
    for (let next = 2; next <= 5; next++) await store.append(commitAt(claim, next));
    const { head } = await store.get('r');
    await store.saveCheckpoint(claim, { head, state: {} });
    await meddle(damage.replace('$', quoted(schema)));
    const { report } = await rejects(readAll(store, 'r'), 'store.corrupt');
    expect(report.details).toMatchObject({ run: 'r', seq });
    // without its end the log does not have the place of the checkpoint
    if (seq === 5) expect(await store.loadCheckpoint('r')).toBeNull();
    else {
      const { report: below } = await rejects(store.loadCheckpoint('r'), 'store.corrupt');
      expect(below.details).toEqual(report.details);
    }
    await store.close();
  });

  it('loses nothing when its server is killed, says so, and continues when it is back', async () => {
    const schema = newSchema();
    const store = await open(schema);
    const { claim } = await store.create(newRun('r'));
    await store.append(commitAt(claim, 2));
    await postgres.server.kill();
    const { report } = await rejects(store.append(commitAt(claim, 3)), 'store.unavailable');
    expect(report.details).toMatchObject({ reason: 'disconnected' });
    await rejects(store.list(), 'store.unavailable');
    await postgres.server.start();
    await store.append(commitAt(claim, 3));
    expect((await readAll(store, 'r')).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(await store.heartbeat([claim], LEASE_MS)).toEqual([]);
    await store.close();
  });

  it('waits no longer than its patience for who locks a run', async () => {
    const schema = newSchema();
    const store = await open(schema);
    const { claim } = await store.create(newRun('r'));
    const client = new pg.Client({ connectionString: postgres.server.url });
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE "${schema.replaceAll('"', '""')}".runs`);
    const { report } = await rejects(store.append(commitAt(claim, 2)), 'store.unavailable');
    expect(report.details).toMatchObject({ reason: 'busy' });
    await client.end();
    await store.append(commitAt(claim, 2));
    await store.close();
  });

  it('cannot be opened where it may not be, and tells neither password nor host path', async () => {
    const url = postgres.server.url.replace('errand@', 'nobody:sesame@');
    const { report } = await rejects(
      openPostgresStore({ pg, url }).then((store) => store.close()),
      'store.unavailable',
    );
    expect(report.details).toMatchObject({ reason: 'cannot_open', sqlstate: '28000' });
    expect(JSON.stringify(report)).not.toContain('sesame');
  });

  it('says that a database is not there, which one, and how to make it', async () => {
    const url = new URL('/not-there', postgres.server.url).href;
    const { report } = await rejects(openPostgresStore({ pg, url }), 'store.unavailable');
    expect(report).toMatchObject({
      category: 'configuration',
      retryable: false,
      details: { reason: 'no_database', database: 'not-there', sqlstate: '3D000' },
      action: { kind: 'fix_setup', detail: expect.stringContaining('createdb') },
    });
  });

  it.each(['99', '2'])('refuses a store of version %s, which it does not know', async (version) => {
    const schema = newSchema();
    await (await open(schema)).close();
    await meddle(`UPDATE "${schema.replaceAll('"', '""')}".meta SET value = '${version}'`);
    await rejects(open(schema), 'validation.contract_version');
  });

  it('lets one of two processes have a run', async () => {
    const schema = newSchema();
    const [one, two] = [await open(schema), await open(schema)];
    const { claim } = await one.create(newRun('r'));
    await one.release(claim);
    const request = { run: 'r', owner: OWNER, leaseMs: LEASE_MS, isAlive: () => true };
    const asked = await Promise.allSettled([one.claim(request), two.claim(request)]);
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    await one.close();
    await two.close();
  });
});

it.runIf(!postgres.isInstalled)('is not tested: PostgreSQL is not installed here', () => {
  expect(postgres.isInstalled).toBe(false);
});
