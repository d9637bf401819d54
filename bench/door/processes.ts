/** What a whole process costs, from its start to its end. */
import { spawnSync } from 'node:child_process';

/** In the shell's own words, because Node tells nobody what its children have used. */
const TIMED = `TIMEFORMAT='%3U %3S'; exec 3>&2; { time "$@" >/dev/null 2>&3 3>&-; } 2>&1`;

/**
 * Milliseconds of processor time: on a machine that others use too, the clock on the wall measures them as well.
 * @param allowed exit codes that are no mistake
 */
export function cpuMsOf(
  args: readonly string[],
  cwd: string,
  { allowed = [0], env = {} }: { allowed?: readonly number[]; env?: NodeJS.ProcessEnv } = {},
): number {
  const { status, stdout, stderr } = spawnSync(
    'bash',
    ['-c', TIMED, 'bash', process.execPath, ...args],
    { cwd, encoding: 'utf8', env: { PATH: process.env['PATH'] ?? '', HOME: cwd, ...env } },
  );
  if (!allowed.includes(status ?? -1))
    throw new Error(`node ${args.join(' ')} ended with ${status}\n${stderr}`);
  const [user = 0, system = 0] = stdout.trim().split(' ').map(Number);
  return (user + system) * 1000;
}
