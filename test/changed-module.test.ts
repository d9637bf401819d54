/** A module that changed while a run rested is adopted, and that is said and recorded. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LAUNCHER } from '../src/cli/run-errand.cases.ts';

let folder = '';

const FLOW = `
workflow: { name: pay, entry_point: ask, on_unhandled: fail, module: ./lib/functions.ts }
nodes:
  - { name: ask, type: human_gate, prompt: Pay?, options: [{ value: yes }], routes: [{ to: pay }] }
  - { name: pay, type: call, function: pay }
`;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'errand-module-'));
  mkdirSync(join(folder, 'lib'));
  write('pay.yaml', FLOW);
  write('lib/functions.ts', `import { fee } from './fee.ts';\nexport const pay = () => fee;\n`);
  write('lib/fee.ts', 'export const fee: number = 1;\n');
});

afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

/** In a process of its own, which loads a module as it is now. */
function command(args: readonly string[], from = '.') {
  const { status, stdout, stderr } = spawnSync(process.execPath, [LAUNCHER, ...args], {
    cwd: join(folder, from),
    encoding: 'utf8',
    env: { PATH: process.env['PATH'] ?? '', ERRAND_HOME: join(folder, '.errand') },
  });
  return { status, stdout, stderr };
}

function pausedRun(): string {
  const { status, stdout } = command(['run', 'pay.yaml', '--format', 'json']);
  expect(status).toBe(5);
  return (JSON.parse(stdout) as { run: string }).run;
}

interface Begin {
  readonly type: string;
  readonly modules?: Readonly<Record<string, string>>;
  readonly drift?: unknown;
}

function begins(run: string): readonly Begin[] {
  const { stdout } = command(['export', run]);
  return stdout
    .split('\n')
    .filter((line) => /"type":"run:(started|resumed)"/.test(line))
    .map((line) => JSON.parse(line) as Begin);
}

describe('a module of a run that rests', () => {
  it('is recorded with the files that it imports, and adopted with a note where one has changed', () => {
    const run = pausedRun();
    write('lib/fee.ts', 'export const fee: number = 2;\n');
    // from another folder, so that the names are those of the workflow and not of the caller
    const answered = command(['answer', run, '--value', 'yes'], 'lib');
    expect(answered).toMatchObject({ status: 0, stdout: '2\n' });
    expect(answered.stderr).toContain('changed since: the module lib/fee.ts');
    expect(answered.stderr).not.toContain('Changed since the run last ran');
    const [started, resumed] = begins(run);
    expect(Object.keys(started?.modules ?? {})).toEqual(['lib/fee.ts', 'lib/functions.ts']);
    expect(resumed).toMatchObject({
      modules: { 'lib/functions.ts': started?.modules?.['lib/functions.ts'] },
      drift: { kept: [], changed: [], modules: ['lib/fee.ts'] },
    });
    expect(command(['audit', run]).stdout.replace(/\s+/g, ' ')).toContain(
      'adopted the changed module lib/fee.ts',
    );
  });

  it('is not mentioned where nothing in it has changed', () => {
    const run = pausedRun();
    const answered = command(['answer', run, '--value', 'yes']);
    expect(answered).toMatchObject({ status: 0, stdout: '1\n' });
    expect(answered.stderr).not.toContain('changed');
    const [, resumed] = begins(run);
    expect(resumed).not.toHaveProperty('modules');
    expect(resumed).not.toHaveProperty('drift');
  });
});
