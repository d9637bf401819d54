/** A driver that is closed while its requests are under way leaves nothing behind. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { hasPackages } from './stage.ts';

const PROGRAM = join(import.meta.dirname, 'closing-process.ts');

describe.skipIf(!hasPackages())('a driver that is closed', () => {
  it.each([
    ['while its server refuses', 'refusing'],
    ['while its server is silent', 'silent'],
  ])('%s neither ends nor holds the process', (_, mode) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [PROGRAM, mode], {
      encoding: 'utf8',
      timeout: 300_000,
    });
    expect(stderr).toBe('');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      followed: { status: 'interrupted' },
      heard: [],
      late: { kind: 'store.unavailable', details: { reason: 'closed' } },
    });
  });
});
