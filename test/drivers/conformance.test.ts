/**
 * The same failure behaviours on every driver: equal results, equal reports but for ids and times,
 * equal attempts. What only real effects show is left to the drivers that run them.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunHandle } from '../../src/drivers/local.ts';
import type { TemporalDriver } from '../../src/drivers/temporal/client.ts';
import { openStage, whyNot, type Stage } from '../temporal/place.ts';
import { act, planOf, type DriverCase } from './case.ts';
import { CASES } from './cases.ts';
import { carryThrough, LOCAL, SIMULATED, stored, type Subject } from './subjects.ts';
import type { Told } from './told.ts';

const LOCALLY = new Map<string, Promise<Told>>();

function locally(each: DriverCase): Promise<Told> {
  const known = LOCALLY.get(each.name) ?? LOCAL.tell(each);
  LOCALLY.set(each.name, known);
  return known;
}

describe('the local driver', () => {
  it.each(CASES)('$name, the same each time', async (each) => {
    expect(await LOCAL.tell(each)).toEqual(await locally(each));
  });
});

describe('the simulated driver does what the local one does', () => {
  it.each(CASES.filter(({ isReal }) => isReal !== true))('$name', async (each) => {
    expect(await SIMULATED.tell(each)).toEqual(await locally(each));
  });
});

const skipped = whyNot('the failure behaviours on Temporal');

describe.skipIf(skipped !== undefined)('the Temporal driver does what the local one does', () => {
  let stage: Stage;
  let temporal: Subject;

  beforeAll(async () => {
    stage = await openStage('conformance');
    await stage.worker({ functions: { act } });
    temporal = subject(await stage.client());
  }, 300_000);

  afterAll(() => stage?.close());

  it.concurrent.each(CASES)('$name', { timeout: 60_000 }, async (each) => {
    expect(await temporal.tell(each)).toEqual(await locally(each));
  });
});

function subject(driver: TemporalDriver): Subject {
  return {
    name: 'temporal',
    tell: (each) =>
      carryThrough(each, planOf(each), {
        driver,
        // it goes on by itself
        atTime: async (run): Promise<RunHandle> => {
          const events = await stored(driver.store, run);
          const paused = events.findLast(({ type }) => type === 'run:paused');
          return driver.follow(run, (paused?.seq ?? 0) + 1);
        },
        read: (run) => stored(driver.store, run),
      }),
  };
}
