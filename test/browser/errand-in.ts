/** The command in a folder, in a process of its own. */
import { spawnSync } from 'node:child_process';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';

export function errandIn(
  folder: string,
  ...args: readonly string[]
): { readonly status: number | null; readonly stdout: string } {
  const { status, stdout } = spawnSync(process.execPath, [LAUNCHER, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '' },
  });
  return { status, stdout };
}
