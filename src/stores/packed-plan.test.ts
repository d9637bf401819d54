import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { newRun, rejects } from './conformance/scene.ts';
import { packedPlan, unpackedPlan } from './packed-plan.ts';
import { openSqliteStore } from './sqlite/sqlite.ts';

const LONG = JSON.stringify({
  nodes: Array.from({ length: 1000 }, (_, index) => ({ name: `Schritt-${index} ✓ 𝔘` })),
});

describe('the text of a plan in its row', () => {
  it.each([
    ['a short one, as it is', '{"nodes":["a"]}', '{"nodes":["a"]}'.length],
    ['a long one, packed', LONG, LONG.length / 4],
  ])('is read as it was written: %s', (_, text, most) => {
    const stored = packedPlan(text);
    expect(stored.length).toBeLessThanOrEqual(most);
    expect(unpackedPlan(stored)).toBe(text);
  });

  it('is read where an earlier Errand has written it', () => {
    expect(unpackedPlan(LONG)).toBe(LONG);
  });

  it('is no plan where its bytes are none that were packed', () => {
    const stored = packedPlan(LONG);
    expect(unpackedPlan(stored.slice(0, -20))).toBeNull();
    expect(unpackedPlan('deflate !')).toBeNull();
  });
});

describe('a store with a long plan', () => {
  const directory = mkdtempSync(join(tmpdir(), 'errand-plans-'));
  const path = join(directory, 'store.db');
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('keeps it once for all of its runs, and names the run whose plan was altered', async () => {
    const store = await openSqliteStore({ path, now: () => 0 });
    for (const id of ['a', 'b']) await store.create(newRun(id, { plan: LONG }));
    await store.create(newRun('c'));
    await store.create(newRun('d', { plan: LONG }));
    expect((await store.get('a')).plan).toBe(LONG);
    expect((await store.get('d')).plan).toBe(LONG);
    expect((await store.get('c')).plan).toBe(newRun('c').plan);

    const db = new DatabaseSync(path);
    expect(db.prepare('SELECT count(*) AS rows FROM plans').get()).toEqual({ rows: 2 });
    const other = packedPlan(LONG.replace('Schritt-7 ', 'Schritt-8 '));
    db.prepare('UPDATE plans SET plan = ? WHERE length(plan) > 100').run(other);
    db.close();
    const { report } = await rejects(store.get('b'), 'store.corrupt');
    expect(report.details).toMatchObject({ run: 'b', table: 'plans' });
    expect((await store.get('c')).plan).toBe(newRun('c').plan);
    await store.close();
  });
});
