/** Every exit code of the published table, reached through the real command. */
import { spawnSync } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { EXITS } from '../../src/errors/catalog/exit-codes.ts';
import { startErrand } from '../survival/process.ts';
import { untilLine } from '../survival/until.ts';
import { newPlace, type Place } from './errand.ts';

const SET = 'workflow: {name: w, entry_point: a, on_unhandled: fail}\nnodes:\n';
const FILES: Readonly<Record<string, string>> = {
  'ok.yaml': `${SET}  - {name: a, type: set, value: 1}\n`,
  'fails.yaml': `${SET}  - {name: a, type: script, command: sh, args: ["-c", "exit 1"]}\n`,
  'halts.yaml': `${SET}  - {name: a, type: set, value: 1, routes: [{halt: {message: Enough}}]}\n`,
  'steps.yaml': `workflow: {name: w, entry_point: a, limits: {max_iterations: 3}, on_unhandled: fail}\nnodes:\n  - {name: a, type: set, value: 1, routes: [{to: a}]}\n`,
  'gate.yaml': `${SET}  - {name: a, type: human_gate, prompt: Go?, options: [{label: Y, value: y}]}\n`,
  'ticks.yaml': `${SET}  - {name: a, type: wait, duration: 20ms, routes: [{to: a}]}\n`,
  'slow.yaml': `${SET}  - {name: a, type: script, command: sh, args: ["-c", "echo begun > begun; sleep 60"]}\n`,
};

const reached = new Set<number>();

describe('the exit code', () => {
  let place: Place;
  beforeAll(() => {
    place = newPlace();
    for (const [name, text] of Object.entries(FILES)) place.write(name, text);
  });
  afterAll(() => place.remove());

  it.each([
    ['a completed run', ['run', 'ok.yaml'], 0],
    ['a word that is no command', ['rnu'], 2],
    ['a file that is not there', ['run', 'nowhere.yaml'], 2],
    ['a failed run', ['run', 'fails.yaml'], 3],
    ['a halted run', ['run', 'halts.yaml'], 3],
    ['a run at a limit', ['run', 'steps.yaml'], 4],
    ['a run that waits', ['run', 'gate.yaml'], 5],
  ])('of %s', (_what, args, exit) => {
    expect(place.run(args).exit).toBe(exit);
    reached.add(exit);
  });

  it('of a store that cannot be trusted', () => {
    const home = join(place.folder, 'broken');
    expect(place.run(['run', 'ok.yaml'], { env: { ERRAND_HOME: home } }).exit).toBe(0);
    const file = join(home, 'errand.db');
    writeFileSync(file, `no database at all ${readFileSync(file, 'latin1').slice(30)}`, 'latin1');
    const { exit, stderr } = place.run(['runs'], { env: { ERRAND_HOME: home } });
    expect([exit, stderr]).toEqual([6, expect.stringMatching(/store|database/i)]);
    reached.add(6);
  });

  it('of a folder that cannot hold runs', () => {
    writeFileSync(join(place.folder, 'file'), '');
    const env = { ERRAND_HOME: join(place.folder, 'file', 'home') };
    const { exit, stderr } = place.run(['run', 'ok.yaml'], { env });
    expect([exit, stderr]).toEqual([6, expect.stringContaining('ERRAND_HOME')]);
    expect(stderr).not.toContain(place.folder);
  });

  it.skipIf(process.platform === 'win32')('of a current folder that no longer exists', () => {
    const inGone = 'mkdir gone && cd gone && rmdir ../gone && exec "$@"';
    const { status, stderr } = spawnSync(
      'sh',
      ['-c', inGone, 'sh', process.execPath, LAUNCHER, 'runs'],
      { cwd: place.folder, encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([2, expect.stringContaining('no longer exists')]);
  });

  it.skipIf(!existsSync('/dev/full'))('of a result that cannot be written', () => {
    const full = openSync('/dev/full', 'w');
    const { status, stderr } = spawnSync(process.execPath, [LAUNCHER, 'schema'], {
      cwd: place.folder,
      encoding: 'utf8',
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    expect([status, stderr]).toEqual([1, 'errand: cannot write to stdout (ENOSPC)\n']);
  });

  it('of a run whose reader goes away, and which is resumed later', () => {
    const typed = 'set -o pipefail; "$0" "$1" run ticks.yaml --json | head -n 1';
    const { status, stdout } = spawnSync('bash', ['-c', typed, process.execPath, LAUNCHER], {
      cwd: place.folder,
      env: { ...place.env, ERRAND_HOME: join(place.folder, 'piped') },
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([130, expect.stringContaining('run:started')]);
  });

  it('of a defect of Errand, which is named as one and shows no internals', () => {
    // what no code of ours expects: a runtime that is broken
    writeFileSync(
      join(place.folder, 'break.mjs'),
      "Array.prototype.toSorted = () => { throw new TypeError('broken on purpose in ' + import.meta.url) };",
    );
    const broken = { NODE_OPTIONS: `--import ${join(place.folder, 'break.mjs')}` };
    const { exit, stdout, stderr } = place.run(['validate', 'ok.yaml'], { env: broken });
    expect([exit, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/kind +internal\.unexpected .*\n[^]*id +err_\w+/);
    expect(stderr).not.toContain(place.folder);
    expect(stderr).not.toMatch(/^ +at /m);
    reached.add(1);
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('of a run that %s stopped, and which is resumed later', async (signal, exit) => {
    const home = join(place.folder, signal);
    const folder = join(place.folder, signal.toLowerCase());
    const env = { ERRAND_HOME: home };
    expect(place.run(['init', `${signal.toLowerCase()}/x.yaml`]).exit).toBe(0);
    const running = startErrand(['run', '../slow.yaml'], { cwd: folder, env });
    await untilLine(join(place.folder, 'begun'));
    running.kill(signal);
    const ended = await running.ended;
    expect([ended.exit, ended.stdout]).toEqual([exit, '']);
    expect(ended.stderr).toMatch(/interrupted; the run is safe\. Resume with: errand resume/);
    writeFileSync(join(place.folder, 'begun'), '');
    reached.add(exit);
  });

  it('of every row of the table was reached', () => {
    expect([...reached].toSorted((a, b) => a - b)).toEqual(Object.keys(EXITS).map(Number));
  });
});
