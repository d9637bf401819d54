/** The store goes away in the middle of a run and comes back: nothing is lost and nothing is repeated. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/machine/state/events.ts';
import { expectWholeLog } from './books.ts';
import { BREAKAGES, mountSmallDisk, unmount, type BreakageName } from './breakages.ts';
import { takeUp, undisturbed, type Undisturbed } from './journey.ts';
import { logOf, type LegEnd } from './one-leg.ts';
import { legWithOutage } from './outage-leg.ts';
import { inPlace, prepare, type Prepared } from './place.ts';
import { errand, killable } from './process.ts';
import { text } from './subjects.ts';

const root = mkdtempSync(join(tmpdir(), 'errand-outages-'));
const disk = join(root, 'disk');
const hasDisk = mountSmallDisk(disk);
afterAll(() => {
  if (hasDisk) unmount(disk);
  rmSync(root, { recursive: true, force: true });
});

// what is left of a failed case would fill the disk of those after it
afterEach(() => {
  if (!hasDisk) return;
  for (const left of readdirSync(disk)) rmSync(join(disk, left), { recursive: true });
});

const deed = (name: string, to: string, more: object = {}): object => ({
  name,
  type: 'script',
  command: 'sh',
  args: ['deed.sh', name],
  routes: [{ to }],
  ...more,
});

let prepared: Prepared;
let expected: Undisturbed;
beforeAll(async () => {
  const workflow = {
    workflow: { name: 't', entry_point: 'one' },
    nodes: [
      deed('one', 'safe_two', {}),
      deed('safe_two', 'three', { idempotent: true }),
      deed('three', 'note'),
      { name: 'note', type: 'set', value: 'done' },
    ],
  };
  const files = { 't.yaml': text(JSON.parse(JSON.stringify(workflow))) };
  const subject = { name: 'outage', files, input: {}, answers: [] };
  prepared = prepare(subject, join(root, 'workflow'));
  expected = await undisturbed(prepared, root);
});

const suppressedIn = (events: readonly RunEvent[]): readonly string[] =>
  events.flatMap((event) => (event.type === 'error:suppressed' ? [event.error.kind] : []));

const FULL: BreakageName = 'its disk is full';
const NAMES = (Object.keys(BREAKAGES) as BreakageName[]).filter((name) => hasDisk || name !== FULL);

/** A store that is away may come back by itself; somebody has to make room on a disk. */
const ADVICE = {
  away: { category: 'transient', action: { kind: 'resume_run' } },
  full: {
    category: 'configuration',
    retryable: false,
    message: 'There is no room left to write to the store',
    details: { reason: 'full' },
    action: { kind: 'fix_setup', detail: expect.stringMatching(/^Make room .*`errand resume`/) },
  },
};
const placeOf = (name: BreakageName): string => (name === FULL ? disk : root);

describe('an outage', () => {
  it('is tried with a full disk too', ({ skip }) => {
    skip(!hasDisk, 'nobody may mount a small disk here');
  });

  it.each(NAMES)('halts the run without an ending, and it can be resumed: %s', (breakage) =>
    inPlace(prepared, placeOf(breakage), async (place) => {
      const { job } = place;
      const { stdout } = await killable({ ...job, outage: { breakage, append: 1 } });
      expect((JSON.parse(stdout) as LegEnd).result).toMatchObject({
        status: 'interrupted',
        error: { kind: 'store.unavailable', ...ADVICE[breakage === FULL ? 'full' : 'away'] },
      });
      await BREAKAGES[breakage].mend(job.store);
      const { events = [] } = (await logOf(job.store)) ?? {};
      expect(events.at(-1)?.type).not.toMatch(/^run:/);
      await takeUp(place, expected);
    }),
  );

  it.each(
    NAMES.flatMap((name) => [
      { name, what: 'is got over when it passes in time', failures: 2, onOutage: 'halt' as const },
      { name, what: 'is waited out if the host likes', failures: 5, onOutage: 'wait' as const },
    ]),
  )('$what, and is reported: $name', ({ name, failures, onOutage }) =>
    inPlace(prepared, placeOf(name), async ({ job }) => {
      const outage = { breakage: name, append: 1, failures };
      const { result } = await legWithOutage({ ...job, onOutage }, outage);
      expect(result).toEqual(expected.ending);
      const { events = [] } = (await logOf(job.store)) ?? {};
      expectWholeLog(events);
      expect(suppressedIn(events)).toEqual(['store.unavailable', 'store.unavailable']);
    }),
  );

  it('after any append loses nothing', async () => {
    const breakage = 'its files are taken away';
    for (let append = 1; append < expected.appends; append++) {
      await inPlace(prepared, root, async (place) => {
        await killable({ ...place.job, outage: { breakage, append } });
        await BREAKAGES[breakage].mend(place.job.store);
        await takeUp(place, expected);
      });
    }
  });
});

describe('the command', () => {
  it('ends with 6 when its store is gone, and continues when it is back', async () => {
    const cwd = join(root, 'command');
    mkdirSync(cwd);
    const away = 'for f in errand.db errand.db-wal errand.db-shm; do mv "$ERRAND_HOME/$f" .; done';
    const workflow = {
      workflow: { name: 't', entry_point: 'a' },
      nodes: [
        {
          name: 'a',
          type: 'script',
          command: 'sh',
          args: ['-c', `echo x >> count; test -f back || { ${away}; }`],
          idempotent: true,
        },
      ],
    };
    writeFileSync(join(cwd, 't.yaml'), text(workflow));
    const env = { ERRAND_HOME: join(cwd, 'home') };
    const gone = await errand(['run', 't.yaml', '--format', 'json'], { cwd, env });
    const said = JSON.parse(gone.stdout) as { run: string };
    expect(gone.exit).toBe(6);
    expect(said).toMatchObject({ status: 'interrupted', error: { kind: 'store.unavailable' } });
    // reported once, in the answer, and not a second time by Node
    expect(gone.stderr).toBe('');
    const lost = await errand(['resume', said.run, '--format', 'json'], { cwd, env });
    expect(lost.exit).not.toBe(0);
    expect(lost.stderr).not.toContain('    at ');
    for (const suffix of ['', '-wal', '-shm']) {
      rmSync(join(env.ERRAND_HOME, `errand.db${suffix}`), { force: true });
      writeFileSync(
        join(env.ERRAND_HOME, `errand.db${suffix}`),
        readFileSync(join(cwd, `errand.db${suffix}`)),
      );
    }
    writeFileSync(join(cwd, 'back'), '');
    const back = await errand(['resume', said.run, '--format', 'json'], { cwd, env });
    expect({ exit: back.exit, said: JSON.parse(back.stdout) as object }).toMatchObject({
      exit: 0,
      said: { status: 'completed' },
    });
    expect(readFileSync(join(cwd, 'count'), 'utf8')).toBe('x\nx\n');
  });
});
