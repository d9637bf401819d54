/** A run that lives is not taken from its process, wherever it is looked at from. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as after } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { errand, startErrand } from './process.ts';
import { text } from './subjects.ts';

const root = mkdtempSync(join(tmpdir(), 'errand-ownership-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const UNSHARE = ['-p', '-f', '--mount-proc'];
/** A namespace of one's own needs rights that not every machine gives. */
const canUnshare = spawnSync('unshare', [...UNSHARE, 'true']).status === 0;
if (!canUnshare)
  process.emitWarning('SKIPPED: to make a PID namespace needs root, so nobody looks from another.');

const LONG = text({
  workflow: { name: 'long', entry_point: 'a' },
  nodes: [
    {
      name: 'a',
      type: 'script',
      command: 'sh',
      args: [
        '-c',
        'echo begun >> effects.log; for i in $(seq 1200); do test -e go && exit 0; sleep 0.05; done',
      ],
      idempotent: true,
    },
  ],
});

function effects(): number {
  return readFileSync(join(root, 'effects.log'), 'utf8').split('begun').length - 1;
}

describe.runIf(canUnshare)('from another PID namespace of the same host', () => {
  it('a run that lives is running, and refused; when its process is gone, its lease decides', async () => {
    writeFileSync(join(root, 'long.yaml'), LONG);
    const place = { cwd: root, env: { ERRAND_HOME: join(root, 'home') } };
    const running = startErrand(['run', 'long.yaml'], place);
    onTestFinished(() => running.kill('SIGKILL'));
    while (!existsSync(join(root, 'effects.log'))) await after(20);
    const onOtherHost = (...args: readonly string[]) =>
      spawnSync('unshare', [...UNSHARE, process.execPath, LAUNCHER, ...args], {
        cwd: root,
        encoding: 'utf8',
        env: { ...process.env, ...place.env },
      });
    const [run = ''] = (await errand(['runs', '--quiet'], place)).stdout.trim().split('\n');
    const listed = onOtherHost('runs', '--format', 'json');
    expect(JSON.parse(listed.stdout)).toMatchObject([{ run, status: 'running' }]);
    const resumed = onOtherHost('resume', run, '--format', 'json');
    expect([resumed.status, JSON.parse(resumed.stdout)]).toMatchObject([
      2,
      { status: 'refused', error: { kind: 'run.already_active' } },
    ]);
    expect(onOtherHost('delete', run).status).toBe(2);
    expect(effects()).toBe(1);

    running.kill('SIGKILL');
    await running.ended;
    expect(onOtherHost('resume', run).status).toBe(2);
    // here the pid means something: it is known at once that nobody has it
    writeFileSync(join(root, 'go'), '');
    expect((await errand(['resume', run], place)).exit).toBe(0);
  });
});

/** Sets the clock of a process a day ahead: every lease is over for it, as after a long standstill. */
const A_DAY_AHEAD = `data:text/javascript,${encodeURIComponent(
  'const now = Date.now.bind(Date); Date.now = () => now() + 86_400_000;',
)}`;

describe('a process that lives and has not renewed its lease', () => {
  it('keeps its run: it is running, and refused to others', async () => {
    const folder = mkdtempSync(join(root, 'lease-'));
    writeFileSync(join(folder, 'long.yaml'), LONG);
    const place = { cwd: folder, env: { ERRAND_HOME: join(folder, 'home') } };
    const running = startErrand(['run', 'long.yaml'], place);
    onTestFinished(() => running.kill('SIGKILL'));
    while (!existsSync(join(folder, 'effects.log'))) await after(20);
    const later = { ...place, env: { ...place.env, NODE_OPTIONS: `--import=${A_DAY_AHEAD}` } };
    const [run = ''] = (await errand(['runs', '--quiet'], place)).stdout.trim().split('\n');
    const listed = await errand(['runs', '--format', 'json'], later);
    expect(JSON.parse(listed.stdout)).toMatchObject([{ run, status: 'running' }]);
    for (const args of [
      ['resume', run],
      ['delete', run],
      ['retry', run],
    ])
      expect(await errand([...args, '--format', 'json'], later)).toMatchObject({ exit: 2 });
    expect(readFileSync(join(folder, 'effects.log'), 'utf8')).toBe('begun\n');

    running.kill('SIGKILL');
    await running.ended;
    writeFileSync(join(folder, 'go'), '');
    expect((await errand(['resume', run], later)).exit).toBe(0);
  });
});
