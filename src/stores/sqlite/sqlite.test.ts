import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, describe, expect, it } from 'vitest';
import { openSqliteStore } from './sqlite.ts';
import { newRun } from '../conformance/scene.ts';
import { storeCases } from '../conformance/store-cases.ts';

const directory = mkdtempSync(join(tmpdir(), 'errand-sqlite-'));
afterAll(() => rmSync(directory, { recursive: true, force: true }));

let places = 0;

describe.each(['full', 'normal'] as const)('the SQLite store, durability %s', (durability) => {
  const cases = storeCases(async (now) => {
    const path = join(directory, `place-${++places}`, 'errand.db');
    return { open: () => openSqliteStore({ path, now, durability }) };
  });
  for (const { name, run } of cases) it(name, run);
});

describe('a list that is read again', () => {
  const place = (): string => join(directory, `place-${++places}`, 'errand.db');
  const open = (path: string) => openSqliteStore({ path, now: () => 1000 });

  it('has what this process, another one and a restored file have written', async () => {
    const path = place();
    const [one, other] = [await open(path), await open(path)];
    const names = async () => (await one.list({ limit: 10 })).map(({ run }) => run);
    expect(await names()).toEqual([]);
    await one.create(newRun('first'));
    expect(await names()).toEqual(['first']);
    await other.create(newRun('second'));
    expect(await names()).toEqual(['second', 'first']);
    await other.close();
    await one.close();
    copyFileSync(path, `${path}.backup`);
    const again = await open(path);
    await again.create(newRun('third'));
    expect(await again.list({ limit: 10 })).toHaveLength(3);
    await again.close();
    const restored = await open(`${path}.backup`);
    expect(await restored.list({ limit: 10 })).toHaveLength(2);
    await restored.close();
  });

  it('reports damage every time, also to a row that was read before', async () => {
    const path = place();
    const store = await open(path);
    await store.create(newRun('whole'));
    await store.create(newRun('damaged'));
    expect(await store.list({ limit: 10 })).toHaveLength(2);
    const db = new DatabaseSync(path);
    db.exec("UPDATE runs SET workflow = 'another' WHERE id = 'damaged'");
    db.close();
    for (const _ of ['once', 'twice']) {
      const damage: unknown[] = [];
      const found = await store.list({ limit: 10, onDamage: (each) => void damage.push(each) });
      expect(found.map(({ run }) => run)).toEqual(['whole']);
      expect(damage).toHaveLength(1);
    }
    await store.close();
  });
});
