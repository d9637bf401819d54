/** Runs the command as people start it: the launcher, in its own process. */
import { spawnSync } from 'node:child_process';
import { builtLauncher } from './built-errand.cases.ts';

/** The built package; `test/module-run.test.ts`, `test/run.test.ts` and others start the sources. */
export const LAUNCHER = builtLauncher();

export interface Ended {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Given {
  readonly stdin?: string | Buffer;
  readonly env?: Readonly<Record<string, string>>;
}

/** Runs without the colours, widths and settings of the developer's terminal. */
export function runErrand(args: readonly string[], { stdin = '', env = {} }: Given = {}): Ended {
  const { status, stdout, stderr } = spawnSync(process.execPath, [LAUNCHER, ...args], {
    encoding: 'utf8',
    input: stdin,
    env: { PATH: process.env['PATH'] ?? '', ...env },
    maxBuffer: 256 * 1024 * 1024,
  });
  return { exit: status, stdout, stderr };
}
