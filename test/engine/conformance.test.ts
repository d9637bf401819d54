/**
 * The same failure behaviours on every backend: equal results, equal reports but for ids and times,
 * equal attempts. Cases that need real effects run only on the backends that have them. Each commit takes half of
 * them on Temporal; executions that soon continue as new are what few depend on, so an eighth there.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { RunEvent } from '../../src/machine/state/events.ts';
import { howToRepeat, sampled } from '../sampled.ts';
import { openStage, whyNot, type Stage } from '../temporal/stage.ts';
import { act, type DriverCase } from './case.ts';
import { CASES } from './cases.ts';
import { hasLostTask } from './lost-task.ts';
import { LOCAL, mcpServers, SIMULATED, type Subject } from './subjects.ts';
import { temporalSubject } from './temporal-subject.ts';
import type { CaseOutcome } from './case-outcome.ts';

const LOCALLY = new Map<string, Promise<CaseOutcome>>();

function locally(each: DriverCase): Promise<CaseOutcome> {
  const known = LOCALLY.get(each.name) ?? LOCAL.tell(each);
  LOCALLY.set(each.name, known);
  return known;
}

const RESTLESS = { oneOf: 8, what: 'executions that soon continue as new' };
const SHORT = CASES.filter(({ isLong }) => isLong !== true);

describe('the local backend', () => {
  it.each(SHORT)('$name, the same each time', async (each) => {
    expect(await LOCAL.tell(each)).toEqual(await locally(each));
  });
});

describe('the simulated backend does what the local one does', () => {
  it.each(CASES.filter(({ isReal }) => isReal !== true))('$name', async (each) => {
    expect(await SIMULATED.tell(each)).toEqual(await locally(each));
  });
});

/** Enough of an event for `hasLostTask`. */
const about = (type: string, more: object = {}): RunEvent =>
  ({ type, effect: { key: 'k' }, ...more }) as unknown as RunEvent;
const silent = { details: { temporal: [{ timeoutType: 'HEARTBEAT' }] } };

describe('a task that the server lost', () => {
  it.each([
    ['asked for again', [about('effect:requested'), about('effect:requested')], true],
    ['without a heartbeat', [about('effect:failed', { error: silent })], true],
    [
      'not one that failed',
      [about('effect:requested'), about('effect:failed', { error: {} }), about('effect:requested')],
      false,
    ],
    [
      'nor one of a run that was resumed',
      [about('effect:requested'), about('run:resumed'), about('effect:requested')],
      false,
    ],
  ])('is recognised: %s', (_, events, isLost) => {
    expect(hasLostTask(events)).toBe(isLost);
  });
});

const skipped = whyNot('the failure behaviours on Temporal');

describe.skipIf(skipped !== undefined)('the Temporal backend does what the local one does', () => {
  let stage: Stage;
  let temporal: Subject;
  let restless: Subject;

  beforeAll(async () => {
    stage = await openStage('conformance');
    await stage.worker({ functions: { act }, tools: { act }, servers: mcpServers() });
    temporal = temporalSubject(await stage.client());
    restless = temporalSubject(await stage.client({ maxHistoryEvents: 8 }));
  });

  afterAll(async () => {
    await stage?.close();
    process.stdout.write(
      `\ncases on Temporal: ${howToRepeat('test/engine/conformance.test.ts')}\n`,
    );
  });

  it.concurrent.each(CASES)('$name', { timeout: 900_000 }, async (each) => {
    expect(await temporal.tell(each)).toEqual(await locally(each));
  });

  it.concurrent.each(sampled(SHORT, RESTLESS))(
    '$name, in executions that soon continue as new',
    { timeout: 900_000 },
    async (each) => {
      expect(await restless.tell(each)).toEqual(await locally(each));
    },
  );
});
