import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type * as FileSystem from 'node:fs';
import { expect, test, vi } from 'vitest';

const polling = vi.hoisted(() => ({ failing: 'none' }));

vi.mock('node:fs', async (load) => {
  const fs = await load<typeof FileSystem>();
  const refuse = (which: string): void => {
    if (polling.failing === which)
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
  };
  return {
    ...fs,
    readdirSync: (path: string) => {
      refuse('list');
      return fs.readdirSync(path);
    },
    readFileSync: (path: string, encoding: 'latin1') => {
      refuse('one');
      return fs.readFileSync(path, encoding);
    },
  };
});

test.runIf(process.platform === 'linux').each(['list', 'one'])(
  'a group that cannot be inspected (%s), because too many files are open, counts as running',
  async (failing) => {
    const { isGoneWithin } = await import('./process-group.ts');
    const child = spawn('sleep', ['300'], { detached: true, stdio: 'ignore' });
    await once(child, 'spawn');
    const ended = once(child, 'exit');
    polling.failing = failing;
    expect(await isGoneWithin(child.pid ?? 0, 30)).toBe(false);
    child.kill('SIGKILL');
    await ended;
    expect(await isGoneWithin(child.pid ?? 0, 30)).toBe(true);
  },
);
