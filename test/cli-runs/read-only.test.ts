/** Reading runs needs no right to write: on a read-only disk, or in a folder of another user. */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { anyErrand, startErrand } from '../survival/process.ts';
import { untilLine } from '../survival/until.ts';

const root = mkdtempSync(join(tmpdir(), 'errand-read-only-'));
const isRoot = process.getuid?.() === 0;
const FILE = 'workflow: {name: t, entry_point: a}\nnodes: [{name: a, type: set, value: 7}]\n';
const LONG = `workflow: {name: t, entry_point: a}
nodes: [{name: a, type: script, command: bash, args: [-c, "echo began > did"], routes: [{to: b}]}, {name: b, type: wait, duration: 100s}]
`;
const mounted: string[] = [];
const closed: string[] = [];
afterEach(() => {
  for (const folder of mounted.splice(0)) execFileSync('umount', [folder]);
  for (const folder of closed.splice(0)) chmodSync(folder, 0o755);
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** Root may write to anything, except to what is mounted to be read only. */
function makeReadOnly(folder: string): boolean {
  if (!isRoot) {
    for (const file of readdirSync(folder)) chmodSync(join(folder, file), 0o444);
    chmodSync(folder, 0o555);
    closed.push(folder);
    return true;
  }
  try {
    execFileSync('mount', ['--bind', folder, folder], { stdio: 'ignore' });
    mounted.push(folder);
    execFileSync('mount', ['-o', 'remount,bind,ro', folder], { stdio: 'ignore' });
    return true;
  } catch {
    process.emitWarning('Nothing can be mounted here, so reading without writing is not tried.');
    return false;
  }
}

let places = 0;
function place(text: string): { readonly cwd: string; readonly home: string } {
  const cwd = join(root, String(++places));
  const home = join(cwd, 'home');
  mkdirSync(home, { recursive: true });
  writeFileSync(join(cwd, 't.yaml'), text);
  return { cwd, home };
}

interface Listed {
  readonly run: string;
  readonly status: string;
}

async function listed(cwd: string, home: string): Promise<readonly Listed[]> {
  const ended = await anyErrand(['runs', '--format', 'json'], { cwd, env: { ERRAND_HOME: home } });
  expect(ended.exit, ended.stderr).toBe(0);
  return JSON.parse(ended.stdout) as readonly Listed[];
}

describe.skipIf(process.platform === 'win32')('a store that can only be read', () => {
  it('is read, and a new run is refused as unavailable', async () => {
    const { cwd, home } = place(FILE);
    const env = { ERRAND_HOME: home };
    expect((await anyErrand(['run', 't.yaml'], { cwd, env })).exit).toBe(0);
    if (!makeReadOnly(home)) return;
    const before = readdirSync(home);
    const [first] = await listed(cwd, home);
    expect(first).toMatchObject({ status: 'completed' });
    const run = first?.run ?? '';
    for (const command of ['show', 'costs', 'audit', 'explain', 'watch']) {
      const ended = await anyErrand([command, run, '--format', 'json'], { cwd, env });
      expect(ended.exit, `${command}: ${ended.stderr}`).toBe(0);
    }
    expect(readdirSync(home)).toEqual(before);
    const again = await anyErrand(['run', 't.yaml', '--format', 'json'], { cwd, env });
    expect(again.exit).toBe(6);
    expect(JSON.parse(again.stdout)).toMatchObject({ error: { kind: 'store.unavailable' } });
  });

  it('is read with the log that a killed process left, or names the missing file', async () => {
    const { cwd, home } = place(LONG);
    const running = startErrand(['run', 't.yaml'], { cwd, env: { ERRAND_HOME: home } });
    await untilLine(join(cwd, 'did'));
    running.kill('SIGKILL');
    await running.ended;
    const copy = join(cwd, 'copy');
    cpSync(home, copy, { recursive: true });
    rmSync(join(copy, 'errand.db-shm'));
    if (!makeReadOnly(home) || !makeReadOnly(copy)) return;
    expect(await listed(cwd, home)).toMatchObject([{ status: 'interrupted' }]);
    const refused = await anyErrand(['runs'], { cwd, env: { ERRAND_HOME: copy } });
    expect(refused.exit).toBe(6);
    expect(refused.stderr).toContain('errand.db-shm');
    expect(refused.stderr).toContain('ERRAND_HOME');
  });
});
