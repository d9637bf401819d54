import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, it } from 'vitest';
import { openSqliteStore } from './sqlite.ts';
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
