/** The unit for systemd that a recipe shows: systemd itself reads it. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const RECIPE = join(import.meta.dirname, '../../docs/recipes/as-a-service.md');
const HAS_SYSTEMD = spawnSync('systemd-analyze', ['--version']).error === undefined;
if (!HAS_SYSTEMD)
  process.stderr.write(
    '\n*** systemd is not installed: its unit in a recipe is NOT TESTED here ***\n\n',
  );

it.runIf(HAS_SYSTEMD)('has no key that systemd does not know', () => {
  const [, unit = ''] = /```ini\n([^]*?)```/.exec(readFileSync(RECIPE, 'utf8')) ?? [];
  expect(unit).toContain('ExecStart=/usr/bin/node node_modules/errand/bin/errand.mjs serve ');
  const folder = mkdtempSync(join(tmpdir(), 'errand-unit-'));
  try {
    const file = join(folder, 'errand.service');
    // a machine may have its Node in another place
    writeFileSync(file, unit.replace('/usr/bin/node', process.execPath));
    const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', file], {
      encoding: 'utf8',
    });
    expect([status, stdout + stderr]).toEqual([0, '']);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
