/** Addresses of stores, and the errors for those that cannot be meant. */
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { toReport } from '../../errors/thrown/to-report.ts';
import { createErrand } from '../errand.ts';

const folder = mkdtempSync(join(tmpdir(), 'errand-address-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function refusalOf(store: string): Promise<ReturnType<typeof toReport>> {
  return createErrand({ store, directory: folder }).then(
    () => Promise.reject(new Error(`${store} was opened`)),
    (thrown: unknown) => toReport(thrown),
  );
}

it.each([
  'sqlite::memory:',
  'sqlite:file::memory:',
  'sqlite://:memory:',
  'sqlite::MEMORY:?cache=shared',
])('makes no file of a database in memory: %s', async (address) => {
  const refusal = await refusalOf(address);
  expect(refusal.kind).toBe('validation.input');
  expect(refusal.action.detail).toContain('`memory`');
  expect(readdirSync(folder)).toEqual([]);
});

it.runIf(existsSync('/proc/self'))('says at once that a place takes no folders', async () => {
  const refusal = await refusalOf('sqlite:/proc/no-folder/errand.db');
  expect(refusal).toMatchObject({
    kind: 'store.unavailable',
    category: 'configuration',
    retryable: false,
    details: { reason: 'cannot_open' },
    action: { kind: 'fix_setup', detail: expect.stringContaining('ERRAND_STORE') },
  });
});
