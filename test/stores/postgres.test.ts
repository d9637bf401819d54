/** The PostgreSQL store against a real server: what every store must do, and what only a server can do to it. */
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPostgresStore } from '../../src/stores/postgres.ts';
import {
  commitAt,
  LEASE_MS,
  newRun,
  OWNER,
  readAll,
  rejects,
} from '../../src/stores/suite/scene.ts';
import { storeCases } from '../../src/stores/suite/suite.ts';
import type { RunStore } from '../../src/machine/store-port.ts';
import { postgresPrograms, startPostgres, type PostgresServer } from '../postgres-server.ts';

const programs = postgresPrograms();
let server: PostgresServer;
let places = 0;

beforeAll(async () => {
  if (programs !== undefined) server = await startPostgres(programs);
});
afterAll(() => server?.remove());

function newSchema(): string {
  return `place "${++places}"`;
}

function open(schema: string, now: () => number = Date.now): Promise<RunStore> {
  return openPostgresStore({ pg, url: server.url, schema, now, patienceMs: 2000, connections: 4 });
}

/** One statement by someone else. */
async function meddle(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(sql);
  await client.end();
}

describe.runIf(programs !== undefined)('the PostgreSQL store', () => {
  for (const { name, run } of storeCases(async (now) => {
    const schema = newSchema();
    return { open: () => open(schema, now) };
  }))
    it(name, run);

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
    await meddle(damage.replace('$', `"${schema.replaceAll('"', '""')}"`));
    const { report } = await rejects(readAll(store, 'r'), 'store.corrupt');
    expect(report.details).toMatchObject({ run: 'r', seq });
    await store.close();
  });

  it('loses nothing when its server is killed, says so, and goes on when it is back', async () => {
    const schema = newSchema();
    const store = await open(schema);
    const { claim } = await store.create(newRun('r'));
    await store.append(commitAt(claim, 2));
    await server.kill();
    const { report } = await rejects(store.append(commitAt(claim, 3)), 'store.unavailable');
    expect(report.details).toMatchObject({ reason: 'disconnected' });
    await rejects(store.list(), 'store.unavailable');
    await server.start();
    await store.append(commitAt(claim, 3));
    expect((await readAll(store, 'r')).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    expect(await store.heartbeat([claim], LEASE_MS)).toEqual([]);
    await store.close();
  });

  it('waits no longer than its patience for who locks a run', async () => {
    const schema = newSchema();
    const store = await open(schema);
    const { claim } = await store.create(newRun('r'));
    const client = new pg.Client({ connectionString: server.url });
    await client.connect();
    await client.query(`BEGIN; LOCK TABLE "${schema.replaceAll('"', '""')}".runs`);
    const { report } = await rejects(store.append(commitAt(claim, 2)), 'store.unavailable');
    expect(report.details).toMatchObject({ reason: 'busy' });
    await client.end();
    await store.append(commitAt(claim, 2));
    await store.close();
  });

  it('cannot be opened where it may not be, and tells neither password nor host path', async () => {
    const url = server.url.replace('errand@', 'nobody:sesame@');
    const { report } = await rejects(
      openPostgresStore({ pg, url, now: Date.now }).then((store) => store.close()),
      'store.unavailable',
    );
    expect(report.details).toMatchObject({ reason: 'cannot_open', sqlstate: '28000' });
    expect(JSON.stringify(report)).not.toContain('sesame');
  });

  it('refuses a store of a newer Errand', async () => {
    const schema = newSchema();
    await (await open(schema)).close();
    await meddle(`UPDATE "${schema.replaceAll('"', '""')}".meta SET value = '99'`);
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

it.runIf(programs === undefined)('is not tested: PostgreSQL is not installed here', () => {
  expect(programs).toBeUndefined();
});
