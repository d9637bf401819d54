/** Commands against a server: what they print and their exit codes are those of a store. */
import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { anyErrand } from '../survival/process.ts';
import { newFolder, serveWarm, type Served } from './served.ts';
import { ALL, HELLO } from './workflows.ts';

interface Printed {
  readonly exit: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Place {
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

function errand(args: readonly string[], { folder, env = {} }: Place): Promise<Printed> {
  return anyErrand(args, { cwd: folder, env });
}

/** Does not block this process: what a test serves itself must answer. */
function ownErrand(args: readonly string[], place: Place, onErr?: Follow): Promise<Printed> {
  const child = spawn(process.execPath, [LAUNCHER, ...args], {
    cwd: place.folder,
    env: { PATH: process.env['PATH'] ?? '', ...place.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (part: string) => (stdout += part));
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part;
    onErr?.(stderr, (signal) => child.kill(signal));
  });
  return new Promise((resolve) => child.once('close', (exit) => resolve({ exit, stdout, stderr })));
}

type Follow = (stderr: string, kill: (signal: NodeJS.Signals) => boolean) => void;

async function places(): Promise<{ here: Place; there: Place; served: Served }> {
  const served = await serveWarm({ files: ALL });
  const env = { ERRAND_SERVER: served.url, ERRAND_TOKEN: served.token };
  return {
    served,
    here: { folder: newFolder(ALL) },
    there: { folder: newFolder(ALL), env },
  };
}

/** Ids, times and durations differ from run to run; who acted differs by the place. */
function comparable({ exit, stdout, stderr }: Printed): Printed {
  const plain = (text: string): string =>
    text
      .replaceAll(/\b[0-9a-hjkmnp-tv-z]{24}\b/g, 'RUN')
      .replaceAll(/"(id|instance)": ?"[^"]+"/g, '"$1": "ID"')
      .replaceAll(/\berr_[\w-]+/g, 'ID')
      .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+( UTC|Z)?/g, 'TIME')
      .replaceAll(/"(latencyMs|durationMs|tookMs)": ?\d+/g, '"$1": 0')
      .replaceAll(/\b\d\d:\d\d:\d\d\.\d+/g, 'TIME')
      .replaceAll(/\b\d+(\.\d+)? ?m?s\b/g, 'SOON')
      .replaceAll(/\b(cli:\w+|http:\w+)/g, 'SOMEONE')
      // the key of the request that started it
      .replaceAll(/,"request":"[\w-]+"/g, '')
      // a server keeps prepared answers with the run, for whichever server executes it
      .replaceAll(/,"answers":\[\{[^\]]*\}\](?=\})/g, '')
      .replaceAll(/"key": ?"[0-9a-f]{40}"/g, '"key": "KEY"')
      // tables and frames are as wide as what stands in them
      .replaceAll(/[ ─]+/g, ' ');
  return { exit, stdout: plain(stdout), stderr: plain(stderr) };
}

function runIn({ stdout, stderr }: Printed): string {
  const [run = ''] = /\b[0-9a-hjkmnp-tv-z]{24}\b/.exec(stdout + stderr) ?? [];
  return run;
}

async function idOf(place: Place): Promise<string> {
  const { stdout } = await errand(['runs', '--quiet', '-n', '1'], place);
  return stdout.trim();
}

const FORMATS = [[], ['--format', 'json'], ['--json'], ['--quiet']];

describe('a run on a server', () => {
  it.each([
    ['completed', ['hello.yaml', '-i', 'who=Ada', '-i', 'times=2'], 0],
    ['failed', ['fails.yaml'], 3],
    ['paused', ['ask.yaml'], 5],
    ['answered beforehand', ['ask.yaml', '--answer', 'question=yes'], 0],
    ['refused for its input', ['hello.yaml', '-i', 'who=Ada', '-i', 'times=many'], 2],
    ['refused for an input that nobody declared', ['hello.yaml', '-i', 'whom=Ada'], 2],
    ['refused for an answer to no node', ['ask.yaml', '--answer', 'nobody=yes'], 2],
  ])('prints and exits as one in a store: %s', async (_, args, exit) => {
    const { here, there } = await places();
    for (const format of FORMATS) {
      const local = await errand(['run', ...args, ...format], here);
      const remote = await errand(['run', ...args, ...format], there);
      expect(comparable(remote)).toEqual(comparable(local));
      expect(remote.exit).toBe(exit);
    }
    // nothing of it stays on the machine of the command
    expect(existsSync(join(there.folder, '.errand'))).toBe(false);
  });

  it('is shown, listed, explained and billed as one in a store', async () => {
    const { here, there } = await places();
    for (const file of ['fails.yaml', 'ask.yaml', 'cut.yaml']) {
      await errand(['run', file], here);
      await errand(['run', file], there);
      const [local, remote] = [await idOf(here), await idOf(there)];
      for (const command of ['show', 'watch', 'costs', 'audit', 'explain'])
        for (const format of [[], ['--format', 'json']]) {
          const [shown, expected] = await Promise.all([
            errand([command, remote, ...format], there),
            errand([command, local, ...format], here),
          ]);
          expect(comparable(shown), command).toEqual(comparable(expected));
        }
    }
    for (const format of [[], ['--format', 'json'], ['--status', 'failed'], ['-n', '2']])
      expect(comparable(await errand(['runs', ...format], there))).toEqual(
        comparable(await errand(['runs', ...format], here)),
      );
  });

  it('is answered and cancelled as one in a store', async () => {
    const { here, there } = await places();
    const both = async (args: (run: string) => readonly string[]): Promise<Printed> => {
      const [local, remote] = [await idOf(here), await idOf(there)];
      const printed = await errand(args(remote), there);
      expect(comparable(printed)).toEqual(comparable(await errand(args(local), here)));
      return printed;
    };
    const ask = async (): Promise<void> => {
      await errand(['run', 'ask.yaml'], here);
      await errand(['run', 'ask.yaml'], there);
    };
    await ask();
    expect((await both((run) => ['answer', run, '--value', 'maybe'])).exit).toBe(2);
    expect((await both((run) => ['answer', run, '--value', 'yes'])).exit).toBe(0);
    expect((await both((run) => ['answer', run, '--value', 'yes'])).exit).toBe(2);
    expect((await both((run) => ['resume', run])).exit).toBe(2);
    expect((await both((run) => ['retry', run, '--from', 'done'])).exit).toBe(0);
    await ask();
    expect((await both((run) => ['cancel', run])).exit).toBe(0);
    expect((await both((run) => ['cancel', run])).exit).toBe(2);
    expect((await both((run) => ['show', run])).exit).toBe(0);
    expect((await both(() => ['show', '0000'])).exit).toBe(2);
  });

  it('is chosen by the name of a workflow, or by a file that has the name', async () => {
    const { there } = await places();
    const named = await errand(['run', 'hello', '-i', 'who=Ada'], there);
    expect([named.exit, named.stdout]).toEqual([0, '"Hello Ada"\n']);
    writeFileSync(join(there.folder, 'other.yaml'), HELLO.replace('Hello', 'Goodbye'));
    const changed = await errand(['run', 'other.yaml', '-i', 'who=Ada'], there);
    expect([changed.exit, changed.stdout]).toEqual([0, '"Hello Ada"\n']);
    expect(changed.stderr).toContain('other.yaml differs from the workflow hello');
    const unknown = await errand(['run', 'helo', '--format', 'json'], there);
    expect([unknown.exit, JSON.parse(unknown.stdout).error.kind]).toEqual([
      2,
      'workflow.not_found',
    ]);
  });

  it('has large values whole', async () => {
    const { there } = await places();
    const { stdout } = await errand(['run', 'large'], there);
    expect(JSON.parse(stdout)).toHaveLength(100_000);
  });

  it('continues when the command is interrupted', async () => {
    const { there, served } = await places();
    let isKilled = false;
    const slow = ['run', 'slow', '-i', 'seconds=2', '--wait'];
    const left = await ownErrand(slow, there, (text, kill) => {
      // a second signal would end the process at once
      if (!isKilled && text.includes('wait')) isKilled = kill('SIGINT');
    });
    expect(left.exit).toBe(130);
    expect(left.stderr).toContain(`continues at ${served.url}. Follow it with: errand watch`);
    const run = runIn(left);
    const { exit, stdout } = await errand(['watch', run, '--wait'], there);
    expect([exit, stdout]).toEqual([0, '"done"\n']);
  });
});

describe('a server that cannot be used', () => {
  it('is named where it does not answer', async () => {
    const folder = newFolder(ALL);
    // a port that nothing listens on
    const url = 'http://127.0.0.1:1';
    for (const args of [['run', 'hello.yaml'], ['runs'], ['show', 'nobody']]) {
      const { exit, stdout } = await errand([...args, '--server', url, '--format', 'json'], {
        folder,
      });
      const { error } = JSON.parse(stdout);
      expect([exit, error.kind]).toEqual([6, 'store.unavailable']);
      expect(error.message).toContain(url);
      expect(error.action.detail).toContain('ERRAND_SERVER');
    }
  });

  it('refuses a wrong token with exit 2', async () => {
    const { there, served } = await places();
    for (const args of [['run', 'hello.yaml'], ['runs'], ['cancel', 'nobody']]) {
      const { exit, stdout } = await errand([...args, '--format', 'json'], {
        ...there,
        env: { ERRAND_SERVER: served.url, ERRAND_TOKEN: 'not-the-token-of-it' },
      });
      const { error } = JSON.parse(stdout);
      expect([exit, error.kind]).toEqual([2, 'request.unauthenticated']);
      expect(error.action.detail).toContain('ERRAND_TOKEN');
    }
  });

  it('takes the address as `errand serve` prints it', async () => {
    const { served, here } = await places();
    const url = `${served.url}/#token=${served.token}`;
    const { exit, stdout } = await errand(['run', 'hello', '--server', url], here);
    expect([exit, stdout]).toEqual([0, '"Hello you"\n']);
  });

  it.each([
    [['run', 'hello', '--server', 'here'], 'is not the address of a server'],
    [['runs', '--server', 'http://127.0.0.1:1', '--on', 'local'], 'Leave out --server'],
    [['delete', 'x', '--server', 'http://127.0.0.1:1'], 'does not take --server'],
  ])('is refused: %j', async (args, text) => {
    const { exit, stderr } = await errand(args, { folder: newFolder(ALL) });
    expect([exit, stderr]).toEqual([2, expect.stringContaining(text)]);
  });

  it.each([
    [['export', 'x'], 'errand export needs a store'],
    [['delete', 'x'], 'Removing runs needs a store'],
    [['resume', 'x', '--answer', 'a=b'], 'does not take --answer'],
    [['answer', 'x', '--value', 'a', '--now'], 'does not take --now'],
  ])('is not asked for what only a store has: %j', async (args, text) => {
    const { exit, stderr } = await errand(args, {
      folder: newFolder(ALL),
      env: { ERRAND_SERVER: 'http://127.0.0.1:1' },
    });
    expect([exit, stderr]).toEqual([2, expect.stringContaining(text)]);
  });
});
