import { expect, test } from 'vitest';
import type { CarryingOn, KeepingSchedules } from '../carry-on.ts';
import type { Engine } from '../errand.ts';
import type { RunnableWorkflow } from '../errand-options.ts';
import { workflow } from '../../workflow/authoring/define.ts';
import { HOUR_MS, newPlace, type Place } from './cases/carry-on.cases.ts';

const MINUTE_MS = 60_000;

/** The clock of a place begins at six. */
function scheduled(
  overlap: 'skip' | 'queue' = 'skip',
  cron = '0 * * * *',
): RunnableWorkflow & ReturnType<typeof workflow> {
  return workflow({
    name: 'report',
    entryPoint: 'write',
    input: { limit: { type: 'number', default: 1 } },
    schedule: [{ cron, overlap, input: { limit: 3 } }],
    nodes: [{ name: 'write', type: 'call', function: 'write' }],
  });
}

interface Server {
  readonly errand: Engine;
  readonly keeping: KeepingSchedules;
  readonly carrying: CarryingOn;
  readonly warnings: string[];
  readonly close: () => Promise<void>;
}

async function serve(
  place: Place,
  served: RunnableWorkflow,
  {
    write = () => 'written',
    maxRuns = Infinity,
  }: { readonly write?: () => unknown; readonly maxRuns?: number } = {},
): Promise<Server> {
  const errand = await place.open({ workflows: [served], functions: { write } });
  const carrying = await errand.carryOn({ maxRuns });
  const warnings: string[] = [];
  const keeping = await errand.keepSchedules({
    workflows: () => [served],
    carrying,
    onWarning: ({ kind }) => void warnings.push(kind),
  });
  const close = async (): Promise<void> => {
    await place.clock.passUntil(carrying.stop({ graceMs: 0 }));
    await errand.close();
  };
  return { errand, keeping, carrying, warnings, close };
}

async function starts(place: Place): Promise<string[]> {
  return (await place.store.list()).map(({ startedAt }) => startedAt.slice(11, 16)).toReversed();
}

test('one run starts at each time, however many servers there are', async () => {
  const place = newPlace();
  const served = scheduled();
  const servers = [];
  for (let n = 0; n < 3; n++) servers.push(await serve(place, served));
  await place.pass(3 * HOUR_MS + MINUTE_MS);
  expect(await starts(place)).toEqual(['07:00', '08:00', '09:00']);
  const [run] = await place.store.list();
  expect((await place.store.get(run?.run ?? '')).input).toEqual({ limit: 3 });
  expect(run?.run).toMatch(/^schedule-[0-9a-f]{16}-20261117T090000Z$/);
  expect(servers.flatMap(({ warnings }) => warnings)).toEqual([]);
  for (const { close } of servers) await close();
});

test('the time before the first server is not made up for', async () => {
  const place = newPlace();
  await place.pass(90 * MINUTE_MS);
  const { close } = await serve(place, scheduled());
  await place.pass(20 * MINUTE_MS);
  expect(await starts(place)).toEqual([]);
  await place.pass(20 * MINUTE_MS);
  expect(await starts(place)).toEqual(['08:00']);
  await close();
});

test('of what was missed while nobody served, the latest starts', async () => {
  const place = newPlace();
  const served = scheduled('queue');
  const first = await serve(place, served);
  await place.pass(61 * MINUTE_MS);
  await first.close();
  await place.pass(5 * HOUR_MS);
  const reader = await place.open();
  expect(await reader.serverNotes()).toMatchObject({
    schedules: [
      {
        workflow: 'report',
        next: '2026-11-17T13:00:00.000Z',
        missed: '2026-11-17T08:00:00.000Z',
        last: { at: '2026-11-17T07:00:00.000Z', outcome: 'started' },
      },
    ],
    endpoints: [],
  });
  const second = await serve(place, served);
  await place.pass(5000);
  const ticks = (await place.store.list()).map(({ run }) => run.slice(-7, -3));
  expect(ticks).toEqual(['1200', '0700']);
  await second.close();
});

test('while a run is not over, its times are skipped', async () => {
  const place = newPlace();
  const ends: (() => void)[] = [];
  const write = (): Promise<string> => new Promise((resolve) => ends.push(() => resolve('x')));
  const served = scheduled('skip');
  const { errand, close } = await serve(place, served, { write });
  await place.pass(3 * HOUR_MS + MINUTE_MS);
  expect(ends).toHaveLength(1);
  const [[state] = []] = await errand.scheduleStates([served.plan]);
  expect(state).toMatchObject({
    cron: '0 * * * *',
    timezone: 'UTC',
    overlap: 'skip',
    next: '2026-11-17T10:00:00.000Z',
    last: { at: '2026-11-17T09:00:00.000Z', outcome: 'skipped' },
  });
  ends[0]?.();
  await place.pass(HOUR_MS);
  expect(await starts(place)).toEqual(['07:00', '10:00']);
  await close();
});

test('or wait for it, one after the other', async () => {
  const place = newPlace();
  const ends: (() => void)[] = [];
  const write = (): Promise<string> => new Promise((resolve) => ends.push(() => resolve('x')));
  const served = scheduled('queue');
  const { errand, close } = await serve(place, served, { write });
  await place.pass(3 * HOUR_MS + MINUTE_MS);
  expect(ends).toHaveLength(1);
  const [[state] = []] = await errand.scheduleStates([served.plan]);
  expect(state?.queued).toBe(2);
  for (let n = 0; n < 3; n++) {
    ends[n]?.();
    await place.pass(MINUTE_MS);
    expect(ends).toHaveLength(Math.min(n + 2, 3));
  }
  const ids = (await place.store.list()).map(({ run }) => run.slice(-7, -1)).toReversed();
  expect(ids).toEqual(['070000', '080000', '090000']);
  await close();
});

test('a server that dies between the note and the start leaves no hole', async () => {
  const place = newPlace();
  const served = scheduled();
  const first = await serve(place, served);
  const create = place.store.create.bind(place.store);
  place.store.create = () => new Promise(() => undefined);
  await place.pass(HOUR_MS + 5000);
  expect(await starts(place)).toEqual([]);
  place.store.create = create;
  // the first one hangs for ever, as one that was killed
  const second = await serve(place, served);
  await place.pass(5000);
  const [run] = await place.store.list();
  expect(run?.run).toMatch(/T070000Z$/);
  expect(first.warnings).toEqual([]);
  await second.close();
});

test('a time waits while there is no room', async () => {
  const place = newPlace();
  const ends: (() => void)[] = [];
  const write = (): Promise<string> => new Promise((resolve) => ends.push(() => resolve('x')));
  const served = scheduled();
  const { errand, close } = await serve(place, served, { write, maxRuns: 1 });
  await errand.start(served);
  await place.pass(HOUR_MS + MINUTE_MS);
  expect(ends).toHaveLength(1);
  ends[0]?.();
  await place.pass(5000);
  expect(ends).toHaveLength(2);
  expect((await place.store.list())[0]?.run).toMatch(/T070000Z$/);
  await close();
});

test('a start that is refused is shown, warned of once, and not tried hot', async () => {
  const place = newPlace();
  const served = scheduled();
  const broken = { ...served, plan: { ...served.plan, entryPoint: 'nowhere' } };
  const { errand, warnings, close } = await serve(place, broken);
  await place.pass(HOUR_MS + 10 * MINUTE_MS);
  expect(warnings).toHaveLength(1);
  const [[state] = []] = await errand.scheduleStates([broken.plan]);
  expect(state?.last).toMatchObject({ outcome: 'refused', error: { kind: warnings[0] } });
  expect(state?.last?.run).toBeUndefined();
  await close();
});

test('a clock that is set back repeats nothing', async () => {
  const place = newPlace();
  const served = scheduled('skip', '*/10 * * * *');
  const { close } = await serve(place, served);
  await place.pass(25 * MINUTE_MS);
  expect(await starts(place)).toEqual(['06:10', '06:20']);
  shiftClock(place, -20 * MINUTE_MS);
  await place.pass(20 * MINUTE_MS);
  expect(await starts(place)).toEqual(['06:10', '06:20']);
  await place.pass(6 * MINUTE_MS);
  expect((await starts(place)).length).toBe(3);
  await close();
});

test('a clock that was ahead for a while stops no schedule', async () => {
  const place = newPlace();
  const { errand, close } = await serve(place, scheduled('skip', '*/10 * * * *'));
  const setRight = shiftClock(place, 2 * HOUR_MS);
  await place.pass(11 * MINUTE_MS);
  setRight();
  expect((await errand.serverNotes()).schedules).toMatchObject([
    { isAhead: true, last: { at: '2026-11-17T08:10:00.000Z' }, next: '2026-11-17T06:20:00.000Z' },
  ]);
  await place.pass(30 * MINUTE_MS);
  const ticks = (await place.store.list()).map(({ run }) => run.slice(-7, -3)).toReversed();
  expect(ticks).toEqual(['0800', '0810', '0620', '0630', '0640']);
  expect(await starts(place)).toEqual(['06:00', '06:10', '06:20', '06:30', '06:40']);
  const [noted] = (await errand.serverNotes()).schedules;
  expect(noted).not.toHaveProperty('isAhead');
  await close();
});

/** The clock of the store is wrong from now on, until it is set right. */
function shiftClock({ store }: Place, byMs: number): () => void {
  const notes = store.notes.bind(store);
  store.notes = async (topic) => {
    const found = await notes(topic);
    return { ...found, nowMs: found.nowMs + byMs };
  };
  return () => {
    store.notes = notes;
  };
}

test('an input that another version of the file gives starts no second run', async () => {
  const place = newPlace();
  const served = scheduled();
  const other = {
    ...served,
    plan: { ...served.plan, schedule: [{ ...firstOf(served), input: { limit: 9 } }] },
  };
  const servers = [await serve(place, served), await serve(place, other)];
  await place.pass(HOUR_MS + MINUTE_MS);
  expect(await starts(place)).toEqual(['07:00']);
  expect(servers.flatMap(({ warnings }) => warnings)).toEqual([]);
  for (const { close } of servers) await close();
});

function firstOf({ plan }: RunnableWorkflow) {
  const [first] = plan.schedule ?? [];
  if (first === undefined) throw new Error('no schedule');
  return first;
}
