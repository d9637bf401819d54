import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openSqliteStore } from './sqlite.ts';
import { commitAt, newRun } from '../conformance/scene.ts';

const directory = mkdtempSync(join(tmpdir(), 'errand-queue-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

const WAL_HEADER_BYTES = 32;
const FRAME_BYTES = 24 + 4096;

/** How many transactions are in the write-ahead log: each ends with a commit frame. */
function transactions(path: string): number {
  const wal = readFileSync(`${path}-wal`);
  let count = 0;
  for (let at = WAL_HEADER_BYTES; at < wal.length; at += FRAME_BYTES) {
    if (wal.readUInt32BE(at + 4) !== 0) count++;
  }
  return count;
}

describe('the writes of one turn', () => {
  it('share a transaction, whatever they are', async () => {
    const path = join(directory, 'shared.db');
    const store = await openSqliteStore({ path, now: () => 0 });
    const before = transactions(path);
    const ids = Array.from({ length: 50 }, (_, index) => `run-${index}`);
    const runs = await Promise.all(ids.map((id) => store.create(newRun(id))));
    expect(transactions(path) - before).toBe(1);

    await Promise.all([
      ...runs.map(({ claim }) => store.append(commitAt(claim, 2))),
      store.send('run-1', { type: 'cancel' }),
      store.changeBreaker('openai/gpt', () => ({ state: 'closed', failures: 0 })),
      store.heartbeat(
        runs.map(({ claim }) => claim),
        1000,
      ),
    ]);
    expect(transactions(path) - before).toBe(2);
    await store.close();
  });

  it('are tried one by one when one of them fails', async () => {
    const path = join(directory, 'alone.db');
    const store = await openSqliteStore({ path, now: () => 0 });
    const { claim } = await store.create(newRun('r'));
    const before = transactions(path);
    const answers = await Promise.allSettled([
      store.append(commitAt(claim, 2)),
      store.send('nobody', {}),
      store.append(commitAt(claim, 3)),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(transactions(path) - before).toBe(2);
    await store.close();
  });

  it('cost one page each beside the log when the status stays the same', async () => {
    const path = join(directory, 'statusRow.db');
    const store = await openSqliteStore({ path, now: () => 0 });
    const { claim } = await store.create(newRun('r'));
    const frames = (): number =>
      (readFileSync(`${path}-wal`).length - WAL_HEADER_BYTES) / FRAME_BYTES;
    const before = frames();
    const { statusRow } = newRun('r');
    await store.append({ ...commitAt(claim, 2), statusRow });
    expect(frames() - before).toBe(2);
    await store.close();
  });
});
