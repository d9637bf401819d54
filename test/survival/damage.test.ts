/**
 * Any byte of the store is changed, of a finished run and of one that was killed half-way: it is found
 * and named, or it does not matter. `ERRAND_FLIPS=all` tries every byte.
 */
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ErrandError, isKind } from '../../src/errors/thrown/errand-error.ts';
import { logOf, oneLeg, type Job } from './one-leg.ts';
import { prepare } from './place.ts';
import { errand, killable } from './process.ts';
import { text } from './subjects.ts';

const FLIPS = process.env['ERRAND_FLIPS'] === 'all' ? Infinity : 50;
const root = mkdtempSync(join(tmpdir(), 'errand-damaged-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));

const SUFFIXES = ['', '-wal', '-shm'];
const EXPECTED = { status: 'completed', output: { kept: 'one', state: ['a', 'b'] } };

let base: Omit<Job, 'store'>;
const homes = { finished: '', halfDone: '' };
const runs = { finished: '', halfDone: '' };

beforeAll(async () => {
  const set = (name: string, to: string): object => ({
    name,
    type: 'set',
    value: name,
    state: { log: [name] },
    routes: [{ to }],
  });
  const workflow = {
    workflow: {
      name: 't',
      entry_point: 'one',
      state: { log: { type: 'array', default: [], merge: 'append' } },
    },
    nodes: [
      {
        name: 'one',
        type: 'script',
        command: 'sh',
        args: ['deed.sh', 'one'],
        idempotent: true,
        routes: [{ to: 'a' }],
      },
      set('a', 'pause'),
      { name: 'pause', type: 'wait', duration: '1ms', routes: [{ to: 'b' }] },
      set('b', 'stop'),
      { name: 'stop', type: 'wait', duration: '1ms' },
    ],
    output: { kept: '{{ one.output.did }}', state: '{{ state.log }}' },
  };
  const files = { 't.yaml': text(JSON.parse(JSON.stringify(workflow))) };
  const subject = { name: 'damage', files, input: {}, answers: [] };
  const { plan, directory, folder, file } = prepare(subject, join(root, 'workflow'));
  const world = join(root, 'world');
  base = { plan, directory, file: join(folder, file), world, input: {}, answers: [] };
  for (const name of ['finished', 'halfDone'] as const) {
    homes[name] = join(root, name);
    mkdirSync(homes[name]);
    const job = { ...base, store: join(homes[name], 'errand.db') };
    const kill = { when: 'after' as const, append: 3 };
    await killable(name === 'finished' ? job : { ...job, kill });
    // read from a copy: to look at a log that a dead process left is to tidy it up
    copyStore(job.store, join(root, `look-${name}.db`));
    runs[name] = (await logOf(join(root, `look-${name}.db`)))?.run ?? '';
  }
});

function copyStore(from: string, to: string): void {
  for (const suffix of SUFFIXES) {
    rmSync(`${to}${suffix}`, { force: true });
    if (existsSync(`${from}${suffix}`)) copyFileSync(`${from}${suffix}`, `${to}${suffix}`);
  }
}

function flip(path: string, at: number): void {
  const bytes = readFileSync(path);
  bytes[at] = (bytes[at] ?? 0) ^ (1 << (at % 8));
  writeFileSync(path, bytes);
}

/** Spread over the whole file, and dense where every format keeps its head. */
function positionsIn(path: string): readonly number[] {
  const size = statSync(path).size;
  if (FLIPS >= size) return Array.from({ length: size }, (_, index) => index);
  const head = Array.from({ length: 12 }, (_, index) => index * 9);
  const spread = Array.from({ length: FLIPS }, (_, index) =>
    Math.floor(((index + 0.5) * size) / FLIPS),
  );
  return [...head, ...spread].filter((at) => at < size);
}

/** What the log says of a run, or what a resumption makes of it. */
async function lookAt(name: keyof typeof homes, store: string): Promise<unknown> {
  if (name === 'halfDone')
    return (await oneLeg({ ...base, store, resume: { run: runs[name] } })).result;
  const last = (await logOf(store))?.events.at(-1);
  return last?.type === 'run:completed' ? { status: 'completed', output: last.output } : last;
}

describe('any byte that is changed', () => {
  it.each([
    ['finished', ''],
    ['halfDone', ''],
    ['halfDone', '-wal'],
  ] as const)(
    'of a run that is %s is found and named, or does not matter: errand.db%s',
    async (name, suffix) => {
      const work = join(root, 'work.db');
      const seen = { same: 0, corrupt: 0 };
      const from = join(homes[name], 'errand.db');
      for (const at of positionsIn(`${from}${suffix}`)) {
        copyStore(from, work);
        flip(`${work}${suffix}`, at);
        const found = await lookAt(name, work).catch((error: unknown) => error);
        if (found instanceof ErrandError && isKind(found, 'store.corrupt')) {
          expect(found.report.details, `byte ${at}`).toBeDefined();
          seen.corrupt++;
          continue;
        }
        expect(found, `byte ${at}`).toEqual(EXPECTED);
        seen.same++;
      }
      // all of a run that was killed early is still in the write-ahead log
      if (name === 'finished' || suffix !== '') expect(seen.corrupt).toBeGreaterThan(0);
    },
    3_600_000,
  );

  it.each([
    ['show', 'finished', '', { table: 'events', seq: 1, row: 1 }],
    ['show', 'halfDone', '-wal', { file: 'wal' }],
    ['resume', 'halfDone', '-wal', { file: 'wal' }],
  ] as const)('errand %s of a run that is %s says so, and exits with 6', async (...row) => {
    const [command, name, suffix, details] = row;
    const cwd = join(root, `${command}-${name}`);
    mkdirSync(cwd);
    copyStore(join(homes[name], 'errand.db'), join(cwd, 'errand.db'));
    // in the text of an event
    const file = join(cwd, `errand.db${suffix}`);
    flip(file, readFileSync(file).indexOf('"run:started"') + 5);
    const { exit, stdout, stderr } = await errand([command, runs[name], '--format', 'json'], {
      cwd,
      env: { ERRAND_HOME: cwd },
    });
    expect({ exit, said: JSON.parse(stdout) as unknown }).toMatchObject({
      exit: 6,
      said: { error: { kind: 'store.corrupt', details } },
    });
    expect(stderr).not.toContain('    at ');
  });
});
