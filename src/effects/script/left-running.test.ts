/** Scripts that outlive their Errand: found by their key, and ended before another starts. */
import { spawn, type ChildProcess } from 'node:child_process';
import { afterEach, describe, expect, it } from 'vitest';
import { endLeftRunning, leftRunning } from './left-running.ts';

const RUN = `run-${process.pid}`;
const started: ChildProcess[] = [];

afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

/** Starts one like the script effect: with its key, in its own group. */
async function orphan(key: string, script = 'sleep 60'): Promise<ChildProcess> {
  const env = { PATH: process.env['PATH'], ERRAND_RUN: RUN, ERRAND_IDEMPOTENCY_KEY: key };
  const child = spawn('sh', ['-c', `echo ready; ${script}`], { env, detached: true });
  started.push(child);
  await new Promise((resolve) => child.stdout.once('data', resolve));
  return child;
}

describe.runIf(process.platform === 'linux')('a script that was left running', () => {
  it('is found by its run and its key, with its children', async () => {
    const { pid } = await orphan('k1');
    expect(leftRunning(RUN, 'k1')).toContain(pid);
    expect(leftRunning(RUN, 'k')).toEqual([]);
    expect(leftRunning('another', 'k1')).toEqual([]);
  });

  it('is ended, even if it ignores TERM', async () => {
    await orphan('k2', "trap '' TERM; while :; do sleep 0.05; done");
    expect(await endLeftRunning(RUN, 'k2')).toBe(true);
    expect(leftRunning(RUN, 'k2')).toEqual([]);
  });

  it('is not found after it has ended', async () => {
    const child = await orphan('k3', 'true');
    if (child.exitCode === null) await new Promise((resolve) => child.once('exit', resolve));
    expect(leftRunning(RUN, 'k3')).toEqual([]);
    expect(await endLeftRunning(RUN, 'k3')).toBe(true);
  });
});
