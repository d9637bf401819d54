/**
 * A run is killed before and after its commits, by a signal that nobody can catch, and taken up again:
 * it ends as if nothing had been. Each commit of ours takes a third of the workflows and a seventeenth of their places,
 * other ones with each; `SAMPLE=all` takes all at once, and `ERRAND_KILLS=all` does so with more workflows.
 */
import { globSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectWholeLog } from './books.ts';
import { exportedEvents, goOnByCommand, runKilled } from './by-command.ts';
import { EXAMPLES, NOT_ALONE, ROOT } from './examples.ts';
import { beginKillable, interrupted, undisturbed, type JourneyOptions } from './journey.ts';
import type { KillPoint } from './kill-points.ts';
import { logOf } from './one-leg.ts';
import { inPlace, prepare, prepareFile, type Prepared } from './place.ts';
import { bundleKillable, killable, type Bundled } from './process.ts';
import { generatedSubject } from './subjects.ts';
import { howToRepeat, sampled } from '../sampled.ts';

const IS_ALL = process.env['ERRAND_KILLS'] === 'all';
const SEEDS = Array.from({ length: IS_ALL ? 60 : 10 }, (_, index) => index + 1);
const AT_ONCE = 4;
/** An odd number, or all places of a workflow would be before an append, or all after one. */
const ONE_OF = 17;
const WORKFLOWS_ONE_OF = 3;
const LONG_MS = 900_000;

const root = mkdtempSync(join(tmpdir(), 'errand-kill-'));
const tried = { kills: 0, doubts: 0, runs: 0 };
let bundled: Bundled;
beforeAll(async () => {
  bundled = await bundleKillable();
  // a process that is killed leaves no compiled sources behind for the next one
  const prepared = prepare(generatedSubject(2), join(root, 'warm'));
  await inPlace(prepared, root, ({ job }) => killable(job, bundled.script));
});
afterAll(() => {
  bundled.remove();
  rmSync(root, { recursive: true, force: true });
  process.stdout.write(
    `\nkilled ${tried.kills} times in ${tried.runs} workflows; ${tried.doubts} effects in doubt (${howToRepeat('test/survival/kill.test.ts')})\n`,
  );
});

/** A few at a time: most of it is the start of processes. */
async function each<Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await work(item);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
}

/** The part of this commit. */
function some<Item>(items: readonly Item[], oneOf: number, what: string): readonly Item[] {
  return IS_ALL ? items : sampled(items, { oneOf, what });
}

/** Before and after each append. */
function pointsOf(appends: number): KillPoint[] {
  return Array.from({ length: appends * 2 }, (_, index) => ({
    when: index % 2 === 0 ? ('before' as const) : ('after' as const),
    append: 1 + Math.floor(index / 2),
  }));
}

async function kill(prepared: Prepared, options: JourneyOptions): Promise<number> {
  try {
    const begin = beginKillable(bundled.script);
    const { killed, doubts } = await interrupted(prepared, root, { begin, ...options });
    tried.kills += killed;
    tried.doubts += doubts;
    return killed;
  } catch (error) {
    const places = options.kills.map(({ when, append }) => `${when} append ${append}`);
    throw new Error(`${prepared.name}, killed ${places.join(' and ')}`, { cause: error });
  }
}

async function killEverywhere(prepared: Prepared): Promise<void> {
  const expected = await undisturbed(prepared, root);
  tried.runs++;
  const points = some(pointsOf(expected.appends), ONE_OF, prepared.name);
  await each(points, async (point) => void (await kill(prepared, { expected, kills: [point] })));
}

function preparedSeed(seed: number): Prepared {
  return prepare(generatedSubject(seed), join(root, `seed-${seed}`));
}

describe('killed around every append', () => {
  it.each(some(SEEDS, WORKFLOWS_ONE_OF, 'generated workflows to kill'))(
    'a generated workflow ends as undisturbed: seed %i',
    async (seed) => {
      await killEverywhere(preparedSeed(seed));
    },
    LONG_MS,
  );

  it.each(some(EXAMPLES, WORKFLOWS_ONE_OF, 'examples to kill'))(
    'an example ends as undisturbed: $file $input',
    async (example) => {
      const name = `${example.file} ${JSON.stringify(example.input)}`;
      const file = `examples/${example.file}`;
      const where = { name, folder: ROOT, file, plans: join(root, 'plans') };
      await killEverywhere(prepareFile({ answers: [], ...example, ...where }));
    },
    LONG_MS,
  );

  it('every example is killed, but for those that cannot run alone', () => {
    const all = globSync('examples/*.yaml', { cwd: ROOT }).map((path) => basename(path));
    const known = [...EXAMPLES.map(({ file }) => file), ...NOT_ALONE];
    expect(all.filter((file) => !known.includes(file))).toEqual([]);
  });
});

describe('killed again while it is taken up', () => {
  it.each(some(SEEDS.slice(0, IS_ALL ? 20 : 2), 2, 'workflows to kill again'))(
    'it still ends as undisturbed: seed %i',
    async (seed) => {
      const prepared = preparedSeed(seed);
      const expected = await undisturbed(prepared, root);
      const first: KillPoint = { when: 'after', append: Math.ceil(expected.appends / 2) };
      const points = pointsOf(IS_ALL ? 5 : 2);
      await each(points, async (second) => {
        const kills = IS_ALL ? [first, second, second] : [first, second];
        expect(await kill(prepared, { expected, kills })).toBeGreaterThan(1);
      });
    },
    LONG_MS,
  );
});

describe('the command itself, killed around its appends', () => {
  it.each(some(SEEDS.slice(0, IS_ALL ? 20 : 2), 2, 'workflows to kill by the command'))(
    'continues by the command, and what it exports has no gap: seed %i',
    async (seed) => {
      const prepared = preparedSeed(seed);
      const expected = await undisturbed(prepared, root);
      const last: KillPoint = { when: 'after', append: expected.appends };
      const first = pointsOf(2);
      const points = IS_ALL ? pointsOf(expected.appends) : [...first, last];
      let killed = 0;
      await each(points, async (point) => {
        const died = await kill(prepared, {
          expected,
          kills: [point],
          begin: (place, _, at) => runKilled(prepared, place, at),
          goOn: goOnByCommand(prepared.folder),
          inspect: async (place, run) => {
            const exported = exportedEvents(place, run);
            expectWholeLog(exported);
            const { events } = (await logOf(place.job.store)) ?? { events: [] };
            expect(exported.map(({ seq, type }) => `${seq} ${type}`)).toEqual(
              events.map(({ seq, type }) => `${seq} ${type}`),
            );
          },
        });
        killed += died;
      });
      // members that answer at the same moment may share a commit, so the last may never come
      expect(killed).toBeGreaterThanOrEqual(first.length);
    },
    LONG_MS,
  );
});
