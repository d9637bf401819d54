/** A log that lost its end: noticed before anything runs, at every door, and nothing is overwritten. */
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openErrand } from '../../src/open-errand.ts';
import { anyErrand, errand, type Ended } from './process.ts';
import { text } from './subjects.ts';

const root = mkdtempSync(join(tmpdir(), 'errand-lost-log-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

let places = 0;

/** A gate, a payment, and then whatever the file `then.sh` says. */
const PAYMENT = text({
  workflow: { name: 'pay', entry_point: 'ask' },
  nodes: [
    {
      name: 'ask',
      type: 'human_gate',
      prompt: 'On?',
      options: [{ label: 'Yes', value: 'y', route: 'pay' }],
    },
    {
      name: 'pay',
      type: 'script',
      command: 'sh',
      args: ['-c', 'echo PAID >> effects.log'],
      routes: [{ to: 'then' }],
    },
    { name: 'then', type: 'script', command: 'sh', args: ['then.sh'], routes: [{ to: '$end' }] },
  ],
});

interface Place {
  readonly cwd: string;
  readonly home: string;
  readonly run: string;
  readonly do: (...args: readonly string[]) => Promise<Ended>;
  /** In a process that its script kills. */
  readonly die: (...args: readonly string[]) => Promise<Ended>;
}

function newPlace(file = PAYMENT): Omit<Place, 'run'> {
  const cwd = join(root, `place-${++places}`);
  mkdirSync(cwd);
  writeFileSync(join(cwd, 'pay.yaml'), file);
  writeFileSync(join(cwd, 'then.sh'), 'kill -9 $PPID\n');
  const home = join(cwd, 'home');
  const place = { cwd, env: { ERRAND_HOME: home } };
  return {
    cwd,
    home,
    do: (...args) => anyErrand(args, place),
    die: (...args) => errand(args, place),
  };
}

/** Killed after the payment, and then its write-ahead log is gone. */
async function afterLoss(): Promise<Place> {
  const place = newPlace();
  expect((await place.do('run', 'pay.yaml')).exit).toBe(5);
  const [run = ''] = readdirSync(join(place.home, 'runs'));
  expect((await place.die('answer', run, '--value', 'y')).signal).toBe('SIGKILL');
  for (const name of ['errand.db-wal', 'errand.db-shm']) rmSync(join(place.home, name));
  return { ...place, run };
}

function exportOf({ home, run }: Pick<Place, 'home' | 'run'>): string {
  return join(home, 'runs', run, 'events.jsonl');
}

function paid({ cwd }: Pick<Place, 'cwd'>): number {
  return readFileSync(join(cwd, 'effects.log'), 'utf8').split('PAID').length - 1;
}

function refusedAs(ended: Ended): unknown {
  return (JSON.parse(ended.stdout) as { error?: { kind?: string } }).error?.kind;
}

it('is found at every door of the command, and the evidence is kept', async () => {
  const place = await afterLoss();
  const { run } = place;
  const before = readFileSync(exportOf(place), 'utf8');
  const known = before.trimEnd().split('\n').length;
  for (const args of [
    ['answer', run, '--value', 'y'],
    ['resume', run],
    ['retry', run],
    ['retry', run, '--from', 'ask'],
    ['cancel', run],
  ]) {
    const ended = await place.do(...args, '--format', 'json');
    expect([args, ended.exit, refusedAs(ended)]).toEqual([args, 6, 'store.corrupt']);
    expect(ended.stdout).toMatch(new RegExp(`Event \\d+ of run ${run} is missing`));
  }
  expect(readFileSync(exportOf(place), 'utf8')).toBe(before);
  expect(known).toBeGreaterThan(5);
  expect(paid(place)).toBe(1);

  for (const command of ['show', 'explain', 'costs', 'audit']) {
    const looked = await place.do(command, run);
    expect([command, looked.exit]).toEqual([command, 0]);
    expect(looked.stderr).toContain('store.corrupt');
  }
  expect(readFileSync(exportOf(place), 'utf8')).toBe(before);
});

it.each([
  ['a blank line', (text: string) => `${text}\n`],
  ['many blank lines', (text: string) => `${text}${'\n'.repeat(200_000)}`],
  ['a line that lost its end', (text: string) => `${text.slice(0, -2)}\n`],
  ['zero bytes', (text: string) => `${text}${'\0'.repeat(100_000)}\n`],
  ['zero bytes before the last event', (text: string) => text.replace(/\n(?=.*\n$)/, '\n\0\0\0')],
  [
    'lines of somebody else',
    (text: string) => `${text}{"seq": 1}\n{"seq":99,"run":"other"}\nhello`,
  ],
])('is found also where the export ends in %s', async (_, damage) => {
  const place = await afterLoss();
  writeFileSync(exportOf(place), damage(readFileSync(exportOf(place), 'utf8')));
  const ended = await place.do('answer', place.run, '--value', 'y', '--format', 'json');
  expect([ended.exit, refusedAs(ended)]).toEqual([6, 'store.corrupt']);
  expect(paid(place)).toBe(1);
});

it('is found by a library that has the store open, also when it adopts', async () => {
  const place = await afterLoss();
  const { run, cwd, home } = place;
  const before = readFileSync(exportOf(place), 'utf8');
  const warnings: string[] = [];
  const library = await openErrand({
    store: `sqlite:${join(home, 'errand.db')}`,
    directory: cwd,
    adopt: true,
    onWarning: ({ kind }) => void warnings.push(kind),
  });
  await expect(library.resume(run)).rejects.toMatchObject({ kind: 'store.corrupt' });
  await expect(library.answer(run, { value: 'y' })).rejects.toMatchObject({
    kind: 'store.corrupt',
  });
  await expect(library.cancel(run)).rejects.toMatchObject({ kind: 'store.corrupt' });
  await library.close();
  expect(paid(place)).toBe(1);
  expect(readFileSync(exportOf(place), 'utf8')).toBe(before);
});

it.each([
  ['lost its end', (): void => undefined],
  ['is gone', ({ home }: Place): void => rmSync(join(home, 'errand.db'))],
])('is found by a start under the id of a run whose log %s', async (_, lose) => {
  const place = await afterLoss();
  lose(place);
  // a start that is not refused pays, and must not kill this process
  writeFileSync(join(place.cwd, 'then.sh'), 'true\n');
  const before = readFileSync(exportOf(place), 'utf8');
  const library = await openErrand({
    store: `sqlite:${join(place.home, 'errand.db')}`,
    directory: place.cwd,
  });
  const file = await library.load('pay.yaml');
  const start = library.start(file, { id: place.run, answers: [{ gate: 'ask', value: 'y' }] });
  await expect(start).rejects.toMatchObject({ kind: 'store.corrupt' });
  const other = await library.start(file, { id: 'order-8' });
  expect(await other.result()).toMatchObject({ status: 'paused' });
  await library.close();
  expect(paid(place)).toBe(1);
  expect(readFileSync(exportOf(place), 'utf8')).toBe(before);
});

it('is found by an export and by an import, which write nothing', async () => {
  const place = newPlace();
  expect((await place.do('run', 'pay.yaml')).exit).toBe(5);
  const [run = ''] = readdirSync(join(place.home, 'runs'));
  expect((await place.do('export', run, '--output', 'old.jsonl')).exit).toBe(0);
  writeFileSync(join(place.cwd, 'then.sh'), 'exit 3\n');
  copyFileSync(join(place.home, 'errand.db'), join(place.cwd, 'backup.db'));
  expect((await place.do('answer', run, '--value', 'y')).exit).toBe(3);
  expect((await place.do('export', run, '--output', 'new.jsonl')).exit).toBe(0);

  copyFileSync(join(place.cwd, 'backup.db'), join(place.home, 'errand.db'));
  const exported = await place.do('export', run, '--output', 'lost.jsonl');
  expect([exported.exit, exported.stdout]).toEqual([6, '']);
  expect(exported.stderr).toContain('is missing');
  expect(existsSync(join(place.cwd, 'lost.jsonl'))).toBe(false);

  rmSync(join(place.home, 'errand.db'));
  const imported = await place.do('import', 'old.jsonl', '--format', 'json');
  expect([imported.exit, refusedAs(imported)]).toEqual([6, 'store.corrupt']);
  expect(JSON.parse((await place.do('runs', '--format', 'json')).stdout)).toEqual([]);
  expect((await place.do('import', 'new.jsonl')).exit).toBe(0);
  writeFileSync(join(place.cwd, 'then.sh'), 'true\n');
  expect((await place.do('resume', run)).exit).toBe(0);
  expect(paid(place)).toBe(1);
});

it('is found where the run has begun in what was lost', async () => {
  const place = newPlace();
  await place.die('run', 'pay.yaml', '--answer', 'ask=y');
  const [run = ''] = readdirSync(join(place.home, 'runs'));
  for (const name of ['errand.db-wal', 'errand.db-shm']) rmSync(join(place.home, name));
  for (const command of ['resume', 'cancel']) {
    const ended = await place.do(command, run, '--format', 'json');
    expect([ended.exit, refusedAs(ended)]).toEqual([6, 'store.corrupt']);
  }
  for (const command of ['show', 'explain', 'costs', 'audit', 'watch'])
    expect([command, (await place.do(command, run)).exit]).toEqual([command, 6]);
  expect((await place.do('show', 'nobody')).exit).toBe(2);
  expect(existsSync(exportOf({ ...place, run }))).toBe(true);
});

it('is found in a store that was put back from an old copy', async () => {
  const place = newPlace();
  writeFileSync(join(place.cwd, 'then.sh'), 'exit 3\n');
  expect((await place.do('run', 'pay.yaml')).exit).toBe(5);
  const [run = ''] = readdirSync(join(place.home, 'runs'));
  copyFileSync(join(place.home, 'errand.db'), join(place.cwd, 'backup.db'));
  expect((await place.do('answer', run, '--value', 'y')).exit).toBe(3);
  copyFileSync(join(place.cwd, 'backup.db'), join(place.home, 'errand.db'));
  const ended = await place.do('answer', run, '--value', 'y', '--format', 'json');
  expect([ended.exit, refusedAs(ended)]).toEqual([6, 'store.corrupt']);
  expect(paid(place)).toBe(1);

  // gone on with where nobody had exported it: the numbers are higher, and it is another story
  const aside = join(place.cwd, 'aside.jsonl');
  copyFileSync(exportOf({ ...place, run }), aside);
  rmSync(exportOf({ ...place, run }));
  writeFileSync(join(place.cwd, 'then.sh'), 'true\n');
  expect((await place.do('answer', run, '--value', 'y')).exit).toBe(0);
  copyFileSync(aside, exportOf({ ...place, run }));
  const again = await place.do('retry', run, '--from', 'then', '--format', 'json');
  expect([again.exit, refusedAs(again)]).toEqual([6, 'store.corrupt']);
  expect(again.stdout).toContain('differs from the one');
});

it.each([
  ['missing', (path: string) => rmSync(path)],
  ['behind', (path: string) => writeFileSync(path, firstLines(path, 2))],
  ['torn at its end', (path: string) => writeFileSync(path, readFileSync(path).subarray(0, -9))],
  ['empty', (path: string) => writeFileSync(path, '')],
  ['no export at all', (path: string) => writeFileSync(path, 'hello\nthere\n')],
  ['of another run', (path: string) => appendFileSync(path, '{"seq":99,"run":"other"}\n')],
])('is not what an export that is %s means: it is repaired', async (_, change) => {
  const place = newPlace();
  writeFileSync(join(place.cwd, 'then.sh'), 'true\n');
  await place.do('run', 'pay.yaml');
  const [run = ''] = readdirSync(join(place.home, 'runs'));
  change(exportOf({ ...place, run }));
  expect((await place.do('answer', run, '--value', 'y')).exit).toBe(0);
  const lines = readFileSync(exportOf({ ...place, run }), 'utf8')
    .trimEnd()
    .split('\n');
  const seqs = lines.map((line) => (JSON.parse(line) as { seq: number }).seq);
  expect(seqs).toEqual(seqs.map((__, index) => index + 1));
  expect(lines.at(-1)).toContain('run:completed');
});

function firstLines(path: string, count: number): string {
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, count)
    .map((line) => `${line}\n`)
    .join('');
}
