/**
 * The same failure behaviours on every driver: equal results, equal reports but for ids and times,
 * equal attempts. What only real effects show is left to the drivers that run them.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openStage, whyNot, type Stage } from '../temporal/place.ts';
import { act, type DriverCase } from './case.ts';
import { CASES } from './cases.ts';
import { LOCAL, mcpServers, SIMULATED, type Subject } from './subjects.ts';
import { temporalSubject } from './temporal-subject.ts';
import type { Told } from './told.ts';

const LOCALLY = new Map<string, Promise<Told>>();

function locally(each: DriverCase): Promise<Told> {
  const known = LOCALLY.get(each.name) ?? LOCAL.tell(each);
  LOCALLY.set(each.name, known);
  return known;
}

const SHORT = CASES.filter(({ isLong }) => isLong !== true);

describe('the local driver', () => {
  it.each(SHORT)('$name, the same each time', async (each) => {
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
  let restless: Subject;

  beforeAll(async () => {
    stage = await openStage('conformance');
    await stage.worker({ functions: { act }, tools: { act }, servers: mcpServers() });
    temporal = temporalSubject(await stage.client());
    restless = temporalSubject(await stage.client({ maxHistoryEvents: 8 }));
  }, 300_000);

  afterAll(() => stage?.close());

  it.concurrent.each(CASES)('$name', { timeout: 60_000 }, async (each) => {
    expect(await temporal.tell(each)).toEqual(await locally(each));
  });

  it.concurrent.each(SHORT)(
    '$name, in executions that soon continue as new',
    { timeout: 60_000 },
    async (each) => {
      expect(await restless.tell(each)).toEqual(await locally(each));
    },
  );
});
