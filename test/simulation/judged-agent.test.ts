/**
 * An agent whose output a second model judges, stopped at each call of either model and around every
 * commit, and resumed in every possible way: no reply and no verdict that is in the log is asked for
 * again, and no call of a tool is made twice.
 */
import { describe, expect, it } from 'vitest';
import {
  simulate,
  type Simulation,
  type SimulationOptions,
} from '../../src/rehearsal/simulated-run.ts';
import type { Speaker } from '../../src/rehearsal/world/model-fate.ts';
import { isType, ofType } from '../../src/rehearsal/laws/subject.ts';
import { LAWS } from './all-laws.ts';
import { planOfFiles, type DrawnPlan } from './plans.ts';

/** Charges once, then writes what was asked for; the judge lets only the third version pass. */
const speaker: Speaker = ({ messages, judges }) => {
  if (judges === true) {
    const passed = JSON.stringify(messages).includes('"n\\": 3');
    return { type: 'answer', answer: { passed, feedback: 'More' }, delayMs: 0 };
  }
  const hasCharged = messages.some(({ role }) => role === 'tool');
  if (!hasCharged)
    return { type: 'tool_calls', calls: [{ name: 'charge', arguments: { id: 1 } }], delayMs: 0 };
  const reported = messages.filter((each) => each.role === 'user' && each.text === 'More').length;
  return { type: 'answer', answer: { n: 1 + reported }, delayMs: 0 };
};

function planWith(retries: number, ...routes: readonly object[]): Omit<DrawnPlan, 'isTimeless'> {
  return planOfFiles({
    'main.yaml': JSON.stringify({
      workflow: { name: 'main', entry_point: 'a' },
      nodes: [
        {
          name: 'a',
          model: 'sim/m',
          prompt: 'Do it all',
          tools: ['charge'],
          output: { n: { type: 'number' } },
          validator: { criteria: 'It is enough', model: 'sim/j', max_retries: retries },
          ...(routes.length === 0 ? {} : { routes: [{ to: '$end' }, ...routes] }),
        },
      ],
    }),
  });
}

/** Results at the node: model, tool, then three outputs and three verdicts. */
const RESULTS = 8;
const AUTH = { kind: 'provider.auth', message: 'The key was refused' } as const;

interface Door {
  readonly name: string;
  readonly plan: (retries: number) => Omit<DrawnPlan, 'isTimeless'>;
  readonly options: SimulationOptions;
}

const DOORS: readonly Door[] = [
  { name: 'resumed', plan: (retries) => planWith(retries), options: { resumes: 4 } },
  {
    name: 'parked',
    plan: (retries) => planWith(retries, { on_error: true, park: true }),
    options: { resumes: 4 },
  },
  {
    name: 'asked about and retried',
    plan: (retries) => planWith(retries, { on_error: true, ask: { options: ['retry', 'abort'] } }),
    options: { answers: { a: 'retry' } },
  },
];

function askedAgain({ events }: Simulation): readonly string[] {
  return ofType(events, 'effect:requested').flatMap(({ seq, effect }) => {
    const isKnown = events.some(
      (event) =>
        event.seq < seq && isType(event, 'effect:succeeded') && event.effect.key === effect.key,
    );
    return isKnown ? [`event ${seq} asks ${effect.target} again`] : [];
  });
}

async function run(door: Door, retries: number, options: SimulationOptions): Promise<void> {
  const drawn = door.plan(retries);
  const simulation = await simulate(drawn.plan, { speaker, ...door.options, ...options });
  const where = JSON.stringify([retries, options.fails, options.deaths]);
  expect(simulation.result, where).toEqual({ status: 'completed', output: { n: 3 } });
  expect(askedAgain(simulation), where).toEqual([]);
  const charged = simulation.executions.filter(({ work }) => work.type === 'tool');
  // a person may have said that it happened before it did
  expect(charged.length, where).toBeLessThanOrEqual(1);
  const breaches = LAWS.flatMap((law) =>
    law.breaches({ ...simulation, ...drawn }).map((breach) => `${law.name}: ${breach}`),
  );
  expect(breaches, where).toEqual([]);
}

describe.each(DOORS)('an agent that is judged, $name', (door) => {
  // with fewer retries its node fails by the verdict itself, once or twice
  it.each([0, 1, 2])('continues after every failure, with %i retries', async (retries) => {
    await run(door, retries, {});
    for (let result = 0; result < RESULTS; result++) {
      if (result === 1) continue;
      const fails = { a: [...Array.from({ length: result }, () => null), AUTH, null] };
      await run(door, retries, { fails });
    }
  });
});

/** More than the run has. */
const COMMITS = 20;

describe.each(['before', 'after'] as const)(
  'an agent that is judged, whose process dies',
  (when) => {
    it(`continues ${when} every commit`, async () => {
      const door = { name: 'killed', plan: planWith, options: {} };
      // the call of the tool may be lost with the process: it did happen, says the person
      const answers = { a: { edit: { id: 1 } } };
      for (let commit = 1; commit <= COMMITS; commit++)
        await run(door, 2, { answers, deaths: [{ commit, when }] });
    });
  },
);
