/** The command on the oldest Node that `engines` lets in, as it is installed and as a checkout has it. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { builtLauncher } from '../src/cli/built-errand.cases.ts';

const ROOT = join(import.meta.dirname, '..');
const FILE = process.platform === 'win32' ? 'node.exe' : 'node';
const OLDEST = join(import.meta.dirname, 'oldest-node/node_modules/node/bin', FILE);
const isThere = existsSync(OLDEST);
if (!isThere) process.emitWarning('The oldest Node is not installed: `npm test` does that.');

const WORKFLOW = `
workflow: {name: old, entry_point: double}
nodes:
  - {name: double, type: transform, arguments: {by: 21}, code: input.by * 2, routes: [{to: ask}]}
  - {name: ask, type: human_gate, prompt: 'Right?', options: [{value: 'yes'}], routes: [{to: tell}]}
  - {name: tell, type: script, command: echo, args: ['{{ double.output }}']}
output: {reported: '{{ tell.output.stdout }}'}
`;

const folder = mkdtempSync(join(tmpdir(), 'errand-oldest-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('is the one that the package asks for', () => {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));
  const { dependencies } = read('test/oldest-node/package.json') as {
    readonly dependencies: { readonly node: string };
  };
  expect(read('package.json')).toMatchObject({
    engines: { node: `>=${dependencies.node.replace(/\.0$/, '')}` },
  });
});

describe.skipIf(!isThere).each([
  ['installed', builtLauncher],
  ['in a checkout', () => join(ROOT, 'bin/errand.mjs')],
])('%s', (name, launcher) => {
  it('runs, pauses, continues, explains and removes, and says nothing of its own', () => {
    const home = join(folder, name);
    const command = launcher();
    writeFileSync(join(folder, 'old.yaml'), WORKFLOW);
    const errand = (...args: readonly string[]): ReturnType<typeof spawnSync> =>
      spawnSync(OLDEST, [command, ...args], {
        cwd: folder,
        encoding: 'utf8',
        env: {
          PATH: process.env['PATH'] ?? '',
          ERRAND_HOME: home,
          // the sources are compiled once, not for each command
          NODE_COMPILE_CACHE: join(folder, 'cache'),
        },
      });
    const run = errand('run', 'old.yaml', '--format', 'json', '--quiet');
    expect(run).toMatchObject({ status: 5, stderr: '' });
    const { run: id } = JSON.parse(String(run.stdout)) as { readonly run: string };
    const answered = errand('answer', id, '--value', 'yes', '--quiet');
    expect(answered).toMatchObject({ status: 0, stderr: '' });
    expect(JSON.parse(String(answered.stdout))).toEqual({ reported: '42\n' });
    expect(errand('explain', id)).toMatchObject({ status: 0, stderr: '' });
    expect(errand('delete', id, '--quiet')).toMatchObject({ status: 0, stderr: '' });
    expect(errand('show', id).status).toBe(2);
    // what is promised and cannot be kept here is said
    expect(errand('doctor', '--format', 'json')).toMatchObject({
      status: 0,
      stdout: expect.stringContaining('cannot detect all damage'),
    });
  });
});
