/** Whole runs by the command, kept in a real PostgreSQL server: from any folder, and through its death. */
import { existsSync, readFileSync } from 'node:fs';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { newPlace, type Ended, type Place } from '../cli/errand.ts';
import { postgresOfFile } from './postgres-of-file.ts';
import { untilLine } from '../survival/until.ts';
import { startLossyProxy } from './lossy-proxy.ts';

const postgres = postgresOfFile();
let place: Place;

beforeEach(() => {
  place = newPlace();
});
afterEach(() => place.remove());

/** `count` tells how often the first script ran; the second waits for `go`. */
const FILE = {
  workflow: { name: 'two', entry_point: 'first' },
  nodes: [
    {
      name: 'first',
      type: 'script',
      command: 'sh',
      args: ['-c', 'echo x >> count'],
      routes: [{ to: 'second' }],
    },
    {
      name: 'second',
      type: 'script',
      command: 'sh',
      args: ['-c', 'echo begun > begun; while [ ! -f go ]; do sleep 0.02; done'],
      idempotent: true,
      routes: [{ to: 'gate' }],
    },
    { name: 'gate', type: 'human_gate', prompt: 'Go?', options: [{ label: 'Yes', value: 'yes' }] },
  ],
};

function env(): Record<string, string> {
  return { ERRAND_STORE: `${postgres.server.url}?schema=${place.folder.replaceAll(/\W/g, '')}` };
}

function errand(...args: readonly string[]): Ended {
  return place.run([...args, '--format', 'json'], { env: env() });
}

function said(ended: Ended): Record<string, unknown> {
  return JSON.parse(ended.stdout) as Record<string, unknown>;
}

/** Started, and at its second script. */
async function begun(store = env()): Promise<ReturnType<typeof spawn>> {
  place.write('two.yaml', JSON.stringify(FILE));
  const child = spawn(process.execPath, [LAUNCHER, 'run', 'two.yaml', '--format', 'json'], {
    cwd: place.folder,
    env: { ...place.env, ...store },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const tooEarly = once(child, 'exit').then(([exit]) => {
    throw new Error(`It ended with ${exit} before its second script`);
  });
  await Promise.race([untilLine(join(place.folder, 'begun')), tooEarly]);
  return child;
}

describe.runIf(postgres.isInstalled)('runs in PostgreSQL', () => {
  it('pause, are listed, and go on from another folder', () => {
    place.write('two.yaml', JSON.stringify(FILE));
    place.write('go', '');
    const paused = errand('run', 'two.yaml');
    expect(said(paused)).toMatchObject({ status: 'paused', waiting: { gate: 'gate' } });
    expect(existsSync(join(place.folder, '.errand/errand.db'))).toBe(false);
    const { run } = said(paused) as { run: string };
    const otherFolder = newPlace();
    const options = { env: env() };
    const listed = otherFolder.run(['runs', '--format', 'json'], options);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ run, workflow: 'two', status: 'paused' }]);
    const answered = otherFolder.run(
      ['answer', run, 'gate', '--value', 'yes', '--format', 'json'],
      options,
    );
    expect(said(answered)).toMatchObject({ run, status: 'completed' });
    otherFolder.remove();
    expect(said(errand('show', run))).toMatchObject({ status: 'completed' });
    expect(place.run(['doctor'], options).stdout).toContain('ERRAND_STORE, 1 run');
  });

  it('go on after their process was killed, and repeat nothing', async () => {
    const child = await begun();
    child.kill('SIGKILL');
    await once(child, 'exit');
    place.write('go', '');
    const [{ run } = { run: '' }] = JSON.parse(errand('runs').stdout) as { run: string }[];
    const resumed = errand('resume', run);
    expect({ exit: resumed.exit, ...said(resumed) }).toMatchObject({ exit: 5, status: 'paused' });
    expect(readFileSync(join(place.folder, 'count'), 'utf8')).toBe('x\n');
  });

  it('are left alone while another process has them', async () => {
    const child = await begun();
    const [{ run } = { run: '' }] = JSON.parse(errand('runs').stdout) as { run: string }[];
    expect(said(errand('resume', run))).toMatchObject({ error: { kind: 'run.already_active' } });
    const ended = once(child, 'exit');
    place.write('go', '');
    expect(await ended).toEqual([5, null]);
  });

  it('halt when the server is gone, and go on when it is back', async () => {
    const child = await begun();
    let stdout = '';
    child.stdout?.on('data', (text: Buffer) => (stdout += text.toString()));
    await postgres.server.kill();
    const ended = once(child, 'close');
    place.write('go', '');
    expect(await ended).toEqual([6, null]);
    const result = JSON.parse(stdout) as { run: string };
    expect(result).toMatchObject({
      status: 'interrupted',
      error: { kind: 'store.unavailable', details: { reason: 'disconnected' } },
    });
    await postgres.server.start();
    expect(said(errand('resume', result.run))).toMatchObject({ status: 'paused' });
    expect(readFileSync(join(place.folder, 'count'), 'utf8')).toBe('x\n');
  });

  it.each([
    ['its row', 'SELECT key, id, workflow'],
    ['its place in the log', 'SELECT seq, count, digest FROM'],
    ['its events', 'SELECT seq, count, digest, events'],
  ])('are not stopped because their command cannot read %s at once', async (_, statement) => {
    const proxy = await startLossyProxy(env()['ERRAND_STORE'] ?? '');
    const lost = proxy.loseAnswer(statement, 'cut');
    const child = await begun({ ERRAND_STORE: proxy.url });
    const ended = once(child, 'exit');
    await lost;
    place.write('go', '');
    expect(await ended).toEqual([5, null]);
    expect(readFileSync(join(place.folder, 'count'), 'utf8')).toBe('x\n');
    await proxy.close();
  });

  it('cannot be kept where no server is, and that is said without its password', () => {
    place.write('two.yaml', JSON.stringify(FILE));
    const ended = place.run(['run', 'two.yaml'], {
      env: { ERRAND_STORE: 'postgres://me:sesame@127.0.0.1:1/none' },
    });
    expect(ended.exit).toBe(6);
    expect(ended.stderr).toContain('The server of the store cannot be reached');
    expect(ended.stderr).toContain('127.0.0.1:1');
    expect(ended.stdout + ended.stderr).not.toContain('sesame');
    const env = { ERRAND_STORE: 'postgres://127.0.0.1:1/none' };
    expect(place.run(['doctor'], { env })).toMatchObject({
      exit: 2,
      stdout: expect.stringContaining('ERRAND_STORE: The server of the store cannot be reached'),
    });
  });

  it.each(['postgres:none', 'postgres://[none'])('has no address like %s', (address) => {
    const ended = place.run(['runs', '--format', 'json'], { env: { ERRAND_STORE: address } });
    expect(said(ended)).toMatchObject({ error: { kind: 'validation.input' } });
  });
});
