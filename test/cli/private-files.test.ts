/** What a run leaves on the disk is for its owner alone, whatever the umask, and also what was there before. */
import { spawnSync } from 'node:child_process';
import { chmodSync, globSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
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
  it('nothing is open to others', () => {
    errand(umask, ['run', 'f.yaml']);
    errand(umask, ['draft', 'x', '--model', 'sim/w', '--simulate', 'bad.sim.yaml']);
    const home = join(place.folder, '.errand');
    expect(globSync('**/draft.yaml', { cwd: home })).toHaveLength(1);
    expect(openIn(home)).toEqual([]);
  });

  it('nothing that is made in a folder of one’s own choice is open, and the folder is left as it is', () => {
    const home = join(place.folder, 'shared');
    mkdirSync(home);
    chmodSync(home, 0o755);
    errand(umask, ['run', 'f.yaml'], { ERRAND_HOME: home });
    expect(openIn(home)).toEqual([`${home} 755`]);
  });

  it('what was open before is closed', () => {
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
    expect(stdout + stderr).toContain('no SQLite database');
  });

  it('keeps them where it is a database of somebody else', () => {
    const path = join(place.folder, 'other.db');
    const db = new DatabaseSync(path);
    db.exec('CREATE TABLE cookies (name TEXT)');
    db.close();
    chmodSync(path, 0o644);
    place.run(['runs'], { env: { ERRAND_STORE: 'sqlite:other.db' } });
    expect(statSync(path).mode & 0o777).toBe(0o644);
  });
});
