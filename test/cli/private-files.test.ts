/** What a run leaves on the disk is for its owner alone, whatever the umask, and also what was there before. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LAUNCHER } from '../../src/cli/run-errand.cases.ts';
import { newPlace, type Place } from './errand.ts';

const FAILING = `workflow: {name: f, entry_point: a, on_unhandled: fail}
nodes: [{name: a, type: script, command: sh, args: ["-c", "exit 3"]}]
`;

let place: Place;
beforeEach(() => {
  place = newPlace();
  place.write('f.yaml', FAILING);
  place.write('bad.sim.yaml', JSON.stringify([{ answer: 'nothing' }]));
});
afterEach(() => place.remove());

function errand(umask: string, args: readonly string[], env: Record<string, string> = {}): void {
  const command = `umask ${umask}; exec "$0" "$@"`;
  const argv = ['-c', command, process.execPath, LAUNCHER, ...args];
  const { status } = spawnSync('sh', argv, { cwd: place.folder, env: { ...place.env, ...env } });
  expect(status).toBe(3);
}

/** By name, without its run: what others may do with it. */
function openIn(folder: string): readonly string[] {
  return [folder, ...globSync('**/*', { cwd: folder }).map((name) => join(folder, name))].flatMap(
    (path) => {
      const mode = statSync(path).mode & 0o777;
      return (mode & 0o077) === 0 ? [] : [`${path} ${mode.toString(8)}`];
    },
  );
}

describe.each(['000', '022', '077'])('under the umask %s', (umask) => {
  it('no file is readable by others', () => {
    errand(umask, ['run', 'f.yaml']);
    errand(umask, ['draft', 'x', '--model', 'sim/w', '--simulate', 'bad.sim.yaml']);
    const home = join(place.folder, '.errand');
    expect(globSync('**/draft.yaml', { cwd: home })).toHaveLength(1);
    expect(openIn(home)).toEqual([]);
  });

  it('files in a folder of the user’s choice are private, and the folder itself is unchanged', () => {
    const home = join(place.folder, 'shared');
    mkdirSync(home);
    chmodSync(home, 0o755);
    errand(umask, ['run', 'f.yaml'], { ERRAND_HOME: home });
    expect(openIn(home)).toEqual([`${home} 755`]);
  });

  it('files that were readable become private', () => {
    errand(umask, ['run', 'f.yaml']);
    const home = join(place.folder, '.errand');
    const run = place.lastRun();
    writeFileSync(join(home, 'internal.jsonl'), '');
    for (const path of [home, join(home, 'runs'), join(home, 'runs', run)]) chmodSync(path, 0o755);
    for (const name of ['errand.db', 'internal.jsonl', `runs/${run}/events.jsonl`])
      chmodSync(join(home, name), 0o644);
    errand(umask, ['resume', run]);
    expect(openIn(home)).toEqual([]);
  });
});

describe('a store that is named by mistake', () => {
  it.each([['runs'], ['doctor']])('keeps its rights under `errand %s`', (command) => {
    const path = join(place.folder, 'notes.txt');
    writeFileSync(path, 'What is this?');
    chmodSync(path, 0o644);
    const { stdout, stderr } = place.run([command], { env: { ERRAND_STORE: 'sqlite:notes.txt' } });
    expect(statSync(path).mode & 0o777).toBe(0o644);
    expect(stdout + stderr).toContain('is not a SQLite database');
  });

  it('keeps its rights where it is another program’s database', () => {
    const path = join(place.folder, 'other.db');
    const db = new DatabaseSync(path);
    db.exec('CREATE TABLE cookies (name TEXT)');
    db.close();
    chmodSync(path, 0o644);
    place.run(['runs'], { env: { ERRAND_STORE: 'sqlite:other.db' } });
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });
});

describe('a link that a repository carries', () => {
  function run(env: Record<string, string> = {}): { status: number | null; stderr: string } {
    const { status, stderr } = spawnSync(process.execPath, [LAUNCHER, 'run', 'f.yaml'], {
      cwd: place.folder,
      encoding: 'utf8',
      env: { ...place.env, ...env },
    });
    return { status, stderr };
  }

  it.each(['internal.jsonl', 'errand.db', 'errand.db-wal', 'errand.db-shm'])(
    'is not followed as .errand/%s',
    (name) => {
      const victim = join(place.folder, 'victim');
      writeFileSync(victim, 'mine');
      chmodSync(victim, 0o644);
      mkdirSync(join(place.folder, '.errand'));
      symlinkSync(victim, join(place.folder, '.errand', name));
      const { status, stderr } = run();
      expect(status).toBe(6);
      expect(stderr).toContain(`${name} in the folder for runs is a link`);
      expect(readFileSync(victim, 'utf8')).toBe('mine');
      expect(statSync(victim).mode & 0o777).toBe(0o644);
    },
  );

  it.each(['.errand', '.errand/runs'])('is not followed as %s', (name) => {
    const victim = join(place.folder, 'victim');
    mkdirSync(victim);
    chmodSync(victim, 0o755);
    if (name !== '.errand') mkdirSync(join(place.folder, '.errand'));
    symlinkSync(victim, join(place.folder, name));
    expect(run().status).toBe(6);
    expect(readdirSync(victim)).toEqual([]);
    expect(statSync(victim).mode & 0o777).toBe(0o755);
  });

  it('is followed where the user names it', () => {
    const real = join(place.folder, 'real');
    mkdirSync(real);
    symlinkSync(real, join(place.folder, 'named'));
    expect(run({ ERRAND_HOME: join(place.folder, 'named') }).status).toBe(3);
    expect(readdirSync(real)).toContain('errand.db');
  });
});
