/** Measures the cost of a whole process, from its start to its end. */
import { spawnSync } from 'node:child_process';

/** A script of the shell, because Node does not report the CPU time of its children. */
const TIMED = `TIMEFORMAT='%3U %3S'; exec 3>&2; { time "$@" >/dev/null 2>&3 3>&-; } 2>&1`;

/**
 * Milliseconds of processor time: on a shared machine, the clock would also measure the work of
 * others.
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
