/** A connection that falls silent, as behind a router that has forgotten it: nothing is waited for without end. */
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { commitAt, newRun, readAll, rejects } from '../../src/stores/conformance/scene.ts';
import { Database } from '../../src/stores/postgres/database.ts';
import { PostgresStore } from '../../src/stores/postgres/postgres.ts';
import { migrate } from '../../src/stores/postgres/postgres-schema.ts';
import { lossyPostgresOfFile } from './postgres-of-file.ts';

const postgres = lossyPostgresOfFile();
const TIMES = { patienceMs: 400, statementMs: 600 };

describe.runIf(postgres.isInstalled)('a connection that falls silent', () => {
  it.each([
    ['in a statement', 'errand_append'],
    ['in a transaction', 'COMMIT'],
  ])('%s is given up for another, which finds what was kept', async (_, statement) => {
    const schema = `silent_${statement.toLowerCase().replaceAll(/\W/g, '')}`;
    const db = new Database({ pg, url: postgres.proxy.url, schema, connections: 2, ...TIMES });
    await migrate(db);
    const store = new PostgresStore(db);
    const { claim } = await store.create(newRun('r'));
    const through = await store.send('r', { n: 1 });
    const commit = { ...commitAt(claim, 2), messagesThrough: through };
    const isStatement = statement !== 'COMMIT';
    const lost = postgres.proxy.loseAnswer(statement, 'silent');
    const writing = store.append(isStatement ? commitAt(claim, 2) : commit);
    const { report } = await rejects(writing, 'store.unavailable');
    expect(report.details).toMatchObject({ reason: 'disconnected' });
    await lost;
    await store.append(isStatement ? commitAt(claim, 2) : commit);
    await store.append(commitAt(claim, 3));
    expect((await readAll(store, 'r')).map(({ seq }) => seq)).toEqual([1, 2, 3]);
    await store.close();
  });
});
