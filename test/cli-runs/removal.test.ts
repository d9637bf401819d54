/** `errand delete` and `errand prune`: what they remove, what they leave, and what they refuse. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { openSqliteStore } from '../../src/stores/sqlite/sqlite.ts';
import { postgresPrograms, startPostgres } from '../postgres-server.ts';
import { anyErrand, startErrand, type Ended } from '../survival/process.ts';
import { text } from '../survival/subjects.ts';

const root = mkdtempSync(join(tmpdir(), 'errand-removal-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let places = 0;

const INPUT = { who: { type: 'string' } };
const FILES = {
  good: text({
    workflow: { name: 'good', entry_point: 'a', input: INPUT },
    nodes: [{ name: 'a', type: 'set', value: '{{ workflow.input.who }}' }],
    output: { who: '{{ a.output }}' },
  }),
  bad: text({
    workflow: { name: 'bad', entry_point: 'a', input: INPUT, module: './tools.mjs' },
    nodes: [
      {
        name: 'a',
        type: 'call',
        function: 'breaks',
        arguments: { who: '{{ workflow.input.who }}' },
      },
    ],
  }),
  gated: text({
    workflow: { name: 'gated', entry_point: 'a', input: INPUT },
    nodes: [
      {
        name: 'a',
        type: 'human_gate',
        prompt: 'Is it {{ workflow.input.who }}?',
        options: [{ label: 'Yes', value: 'y' }],
      },
    ],
  }),
  long: text({
    workflow: { name: 'long', entry_point: 'a' },
    nodes: [
      { name: 'a', type: 'script', command: 'sh', args: ['-c', 'echo > begun; exec sleep 600'] },
    ],
  }),
};
const TOOLS = 'export const breaks = ({ who }) => { throw new Error(`broken by ${who}`); };\n';

interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly options: Parameters<typeof anyErrand>[1];
  readonly do: (...args: readonly string[]) => Promise<Ended>;
  /** The id of a new run. */
  readonly run: (file: keyof typeof FILES, who?: string) => Promise<string>;
  readonly listed: () => Promise<readonly string[]>;
}

function newPlace(env: Record<string, string> = {}): Place {
  const cwd = join(root, `place-${++places}`);
  mkdirSync(cwd);
  for (const [name, file] of Object.entries(FILES)) writeFileSync(join(cwd, `${name}.yaml`), file);
  writeFileSync(join(cwd, 'tools.mjs'), TOOLS);
  const home = join(cwd, 'home');
  const options = { cwd, env: { ERRAND_HOME: home, ...env } };
  const act: Place['do'] = (...args) => anyErrand(args, options);
  return {
    cwd,
    home,
    options,
    do: act,
    run: async (file, who = 'nobody') => {
      const { stdout } = await act('run', `${file}.yaml`, '-i', `who=${who}`, '--format', 'json');
      return (JSON.parse(stdout) as { run: string }).run;
    },
    listed: async () => {
      const { stdout } = await act('runs', '--quiet');
      return stdout.split('\n').filter((line) => line !== '');
    },
  };
}

/** Whether any file below the folder has the text. */
function isAnywhere(folder: string, wanted: string): boolean {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .some((path) => statSync(path).isFile() && readFileSync(path).includes(wanted));
}

interface Pruned {
  readonly isDryRun: boolean;
  readonly runs: readonly { readonly run: string; readonly status: string }[];
}

function pruned({ stdout }: Ended): Pruned {
  return JSON.parse(stdout) as Pruned;
}

function kindOf({ stdout }: Ended): string | undefined {
  return (JSON.parse(stdout) as { error?: { kind?: string } }).error?.kind;
}

describe('errand delete', () => {
  it('leaves runs to a Temporal server, and needs none of its packages to say so', async () => {
    const { exit, stderr } = await newPlace({ ERRAND_ON: 'temporal' }).do('delete', 'some-run');
    expect([exit, stderr]).toEqual([2, expect.stringContaining('A Temporal server keeps and')]);
  });

  it('leaves nothing of a run in any file, and nothing of the others is touched', async () => {
    const place = newPlace();
    const runs = [
      await place.run('bad', 'Alice-Secret'),
      await place.run('gated', 'Alice-Secret'),
      await place.run('good', 'Alice-Secret'),
    ];
    const other = await place.run('bad', 'Bob-Secret');
    expect(isAnywhere(place.home, 'Alice-Secret')).toBe(true);
    for (const run of runs) {
      const ended = await place.do('delete', run, '--format', 'json');
      expect([ended.exit, ended.stderr]).toEqual([0, '']);
      expect(JSON.parse(ended.stdout)).toMatchObject({ run, removedBy: expect.any(String) });
      expect(existsSync(join(place.home, 'runs', run))).toBe(false);
    }
    expect(isAnywhere(place.home, 'Alice-Secret')).toBe(false);
    expect(isAnywhere(place.home, 'Bob-Secret')).toBe(true);
    expect(readFileSync(join(place.home, 'internal.jsonl'), 'utf8')).toContain('Bob-Secret');
    expect(await place.listed()).toEqual([other]);
    expect((await place.do('resume', other)).exit).toBe(3);

    for (const command of ['show', 'resume', 'cancel', 'explain', 'watch', 'delete']) {
      const asked = await place.do(command, runs[0] ?? '', '--format', 'json');
      expect([command, asked.exit]).toEqual([command, 2]);
      expect(asked.stdout + asked.stderr).toMatch(/was removed on \d{4}-\d\d-\d\d by /);
      expect(asked.stdout + asked.stderr).toContain('run.not_found');
    }
  });

  it('refuses a run that a process is running, and removes it when the process is gone', async () => {
    const place = newPlace();
    const running = startErrand(['run', 'long.yaml'], place.options);
    while (!existsSync(join(place.cwd, 'begun'))) await new Promise((go) => setTimeout(go, 20));
    const [run = ''] = await place.listed();
    const refused = await place.do('delete', run, '--format', 'json');
    expect([refused.exit, kindOf(refused)]).toEqual([2, 'run.already_active']);
    expect(pruned(await place.do('prune', '--older-than', '0s', '--format', 'json')).runs).toEqual(
      [],
    );
    running.kill('SIGINT');
    await running.ended;
    expect((await place.do('delete', run)).exit).toBe(0);
    expect(await place.listed()).toEqual([]);
  });

  it('says which webhooks of its runs were never sent, as prune does', async () => {
    const place = newPlace();
    await place.run('good');
    const store = await openSqliteStore({ path: join(place.home, 'errand.db'), now: Date.now });
    for (const id of ['one', 'two']) await store.addEndpoint({ id, name: id });
    await store.close();
    const [first, second] = [await place.run('good'), await place.run('good')];
    const removed = await place.do('delete', first);
    expect(removed).toMatchObject({ exit: 0, stderr: expect.stringContaining('Removed') });
    expect(removed.stderr).toContain(`2 webhooks of ${first} had not been sent`);
    const all = await place.do('prune', '--status', 'completed', '--yes', '--format', 'json');
    expect(all.stderr).toContain(`2 webhooks of ${second} had not been sent`);
    expect(all.stderr.match(/had not been sent/g)).toHaveLength(1);
  });

  it('suggests a run, and follows no path out of its folder', async () => {
    const place = newPlace();
    const run = await place.run('good');
    expect((await place.do('delete', run.slice(0, 9))).stderr).toContain(`Did you mean ${run}?`);
    for (const id of ['..', '../..', '.', `../runs/${run}`])
      expect([id, (await place.do('delete', id)).exit]).toEqual([id, 2]);
    expect(existsSync(join(place.home, 'runs', run, 'events.jsonl'))).toBe(true);
    expect(await place.listed()).toEqual([run]);
  });

  it('creates no store', async () => {
    const place = newPlace();
    expect((await place.do('delete', 'abc')).exit).toBe(2);
    expect((await place.do('prune', '--older-than', '1d')).exit).toBe(0);
    expect(existsSync(place.home)).toBe(false);
  });

  it('removes a run that the store has lost, and one whose row was deleted by hand', async () => {
    const place = newPlace();
    const [lost, torn, whole] = [
      await place.run('good', 'lost'),
      await place.run('good', 'torn'),
      await place.run('good', 'whole'),
    ];
    const db = new DatabaseSync(join(place.home, 'errand.db'));
    db.exec(`DELETE FROM runs WHERE id = '${torn}'`);
    db.close();
    const shown = await place.do('show', torn, '--format', 'json');
    expect([shown.exit, shown.stdout + shown.stderr]).toEqual([
      6,
      expect.stringContaining('store.corrupt'),
    ]);
    const listed = await place.do('runs', '--quiet');
    expect([listed.exit, listed.stdout.trim().split('\n')]).toEqual([0, [whole, lost]]);
    expect(listed.stderr).toContain(torn);
    expect((await place.do('retry', whole, '--from', 'a')).exit).toBe(0);
    expect((await place.do('delete', torn)).exit).toBe(0);
    const healed = await place.do('runs', '--quiet');
    expect([healed.stderr, healed.stdout.trim().split('\n')]).toEqual(['', [whole, lost]]);

    rmSync(join(place.home, 'errand.db'));
    expect((await place.do('show', lost)).exit).toBe(6);
    expect((await place.do('delete', lost)).exit).toBe(0);
    expect((await place.do('show', lost)).exit).toBe(2);
  });
});

describe('errand prune', () => {
  it('lists what it would remove, and removes it with --yes', async () => {
    const place = newPlace();
    const [good, bad, gated] = [
      await place.run('good'),
      await place.run('bad'),
      await place.run('gated'),
    ];
    const prune = async (...args: readonly string[]): Promise<Pruned> => {
      const ended = await place.do('prune', ...args, '--format', 'json');
      expect(ended.exit).toBe(0);
      return pruned(ended);
    };
    expect(await prune('--older-than', '1d')).toEqual({ isDryRun: true, runs: [] });
    const all = await prune('--older-than', '0s');
    expect(all.runs.map(({ run }) => run)).toEqual([bad, good]);
    expect((await prune('--workflow', 'good')).runs.map(({ run }) => run)).toEqual([good]);
    expect((await prune('--status', 'paused')).runs.map(({ run }) => run)).toEqual([gated]);
    expect(await place.listed()).toHaveLength(3);

    const text_ = await place.do('prune', '--older-than', '0s');
    expect(text_.stdout).toContain(bad);
    expect(text_.stderr).toContain('errand prune --older-than 0s --yes');
    expect(await prune('--status', 'failed', '--yes')).toMatchObject({
      isDryRun: false,
      runs: [{ run: bad, status: 'failed' }],
    });
    expect((await prune('--older-than', '0s', '--yes')).runs.map(({ run }) => run)).toEqual([good]);
    expect(await place.listed()).toEqual([gated]);
    expect(existsSync(join(place.home, 'runs', good))).toBe(false);
    expect((await place.do('answer', gated, '--value', 'y')).exit).toBe(0);
    await prune('--older-than', '0s', '--yes');
    expect(await place.listed()).toEqual([]);
  });

  it.each([
    ['nothing', []],
    ['an age without a unit', ['--older-than', '30']],
    ['an age that is none', ['--older-than', 'long']],
    ['a status that is none', ['--status', 'running']],
  ])('refuses %s', async (_, args) => {
    const place = newPlace();
    expect((await place.do('prune', ...args, '--yes')).exit).toBe(2);
  });
});

const programs = postgresPrograms();
describe.runIf(programs !== undefined)('on PostgreSQL', () => {
  it('a run is removed from the server and from here, and only it', async () => {
    const server = await startPostgres(programs ?? '');
    try {
      const place = newPlace({ ERRAND_STORE: server.url });
      const [run, other] = [await place.run('bad', 'Alice'), await place.run('good', 'Bob')];
      expect((await place.do('delete', run)).exit).toBe(0);
      expect(isAnywhere(place.home, 'Alice')).toBe(false);
      expect(await place.listed()).toEqual([other]);
      expect((await place.do('show', run)).stderr).toContain('was removed on');
      expect((await place.do('prune', '--older-than', '0s', '--yes')).exit).toBe(0);
      expect(await place.listed()).toEqual([]);
    } finally {
      await server.remove();
    }
  });
});
