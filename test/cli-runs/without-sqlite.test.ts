/** A Node that runs without its SQLite: what needs it says so, and all else works. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { errand } from '../survival/process.ts';

const cwd = mkdtempSync(join(tmpdir(), 'errand-without-'));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));
writeFileSync(
  join(cwd, 't.yaml'),
  'workflow: {name: t, entry_point: a}\nnodes: [{name: a, type: set, value: 7}]\n',
);
const without = { NODE_OPTIONS: '--no-experimental-sqlite' };

it('refuses a run with what to do, and errand doctor reports it', async () => {
  const refused = await errand(['run', 't.yaml', '--format', 'json'], { cwd, env: without });
  expect(refused.exit).toBe(2);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    status: 'refused',
    error: {
      kind: 'extension.missing',
      action: { detail: expect.stringContaining('NODE_OPTIONS') },
    },
  });
  const asked = await errand(['doctor'], { cwd, env: without });
  expect(asked.exit).not.toBe(0);
  expect(asked.stdout).toContain('NODE_OPTIONS');
  expect((await errand(['validate', 't.yaml'], { cwd, env: without })).exit).toBe(0);
});

it('refuses to read existing runs', async () => {
  const run = await errand(['run', 't.yaml'], { cwd });
  expect(run.exit, run.stderr).toBe(0);
  const refused = await errand(['runs'], { cwd, env: without });
  expect(refused.exit).toBe(2);
  expect(refused.stderr).toContain('NODE_OPTIONS');
});
