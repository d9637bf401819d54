/**
 * An agent with eight tool calls that is stopped at each of its calls, of models and of tools, and
 * resumed in every possible way. The model knows only what it is shown: a conversation that starts
 * anew would make its calls again.
 */
import { describe, expect, it } from 'vitest';
import {
  simulate,
  type Simulation,
  type SimulationOptions,
} from '../../src/rehearsal/simulated-run.ts';
import type { Execution } from '../../src/rehearsal/world/execution-record.ts';
import type { Speaker } from '../../src/rehearsal/world/model-fate.ts';
import type { ReportDraft } from '../../src/errors/report/report.ts';
import { LAWS } from './all-laws.ts';
import { planOfFiles, type DrawnPlan } from './plans.ts';
import { isType } from '../../src/rehearsal/laws/subject.ts';

const NAMES = ['lookup', 'charge', 'send', 'box/read', 'box/write', 'plain', 'charge', 'lookup'];

/** The next call, by the results that it was shown. */
const stateless: Speaker = ({ messages }) => {
  const made = messages.filter(({ role }) => role === 'tool').length;
  const name = NAMES[made];
  return name === undefined
    ? { type: 'answer', answer: { n: made }, delayMs: 0 }
    : { type: 'tool_calls', calls: [{ name, arguments: { id: made % 6 } }], delayMs: 0 };
};

const AUTH: ReportDraft = { kind: 'provider.auth', message: 'The key was refused' };
const LOST: ReportDraft = {
  kind: 'tool.failed',
  message: 'Its reply was lost',
  outcome: 'unknown',
};

function planWith(...routes: readonly object[]): Omit<DrawnPlan, 'isTimeless'> {
  return planOfFiles({
    'main.yaml': JSON.stringify({
      workflow: {
        name: 'main',
        entry_point: 'a',
        runtime: { mcp_servers: { box: { type: 'stdio', command: 'x' } } },
      },
      nodes: [
        {
          name: 'a',
          model: 'sim/m',
          prompt: 'Do it all',
          tools: [...new Set(NAMES)],
          output: { n: { type: 'number' } },
          ...(routes.length === 0 ? {} : { routes: [{ to: '$end' }, ...routes] }),
        },
      ],
    }),
  });
}

interface Door {
  readonly name: string;
  readonly plan: Omit<DrawnPlan, 'isTimeless'>;
  readonly options: SimulationOptions;
}

const DOORS: readonly Door[] = [
  { name: 'resumed', plan: planWith(), options: { resumes: 1 } },
  {
    name: 'parked for a while',
    plan: planWith({ on_error: 'provider.auth', park: { for: '1h' } }),
    options: {},
  },
  {
    name: 'parked until someone resumes it',
    plan: planWith({ on_error: 'provider.auth', park: true }),
    options: { resumes: 1 },
  },
  {
    name: 'asked about and retried',
    plan: planWith({ on_error: 'provider.auth', ask: { options: ['retry', 'abort'] } }),
    options: { answers: { a: 'retry' } },
  },
];

/** Results at the node: a model's and a tool's by turns, and the last answer. */
const RESULTS = 2 * NAMES.length + 1;

async function run(door: Door, failsAt: number, failure: ReportDraft): Promise<Simulation> {
  const fails = { a: [...Array.from({ length: failsAt }, () => null), failure, null] };
  const simulation = await simulate(door.plan.plan, { speaker: stateless, fails, ...door.options });
  const breaches = LAWS.flatMap((law) => law.breaches({ ...simulation, ...door.plan }));
  expect(breaches, `result ${failsAt}`).toEqual([]);
  return simulation;
}

function toolsOf({ executions }: Simulation): readonly string[] {
  return executions.flatMap(({ work }) => (work.type === 'tool' ? [work.tool] : []));
}

function shownIn({ work }: Execution): number {
  if (work.type !== 'model') return 0;
  return work.call.messages.filter(({ role }) => role === 'tool').length;
}

/** For each model request: how many results it contained, beside how many were in the log. */
function untold({ executions, events }: Simulation): readonly string[] {
  return executions.flatMap((execution) => {
    const { effect, afterSeq, number } = execution;
    if (effect.type !== 'model') return [];
    const results = events.filter(
      (event) =>
        event.seq <= afterSeq && isType(event, 'effect:succeeded') && event.effect.type === 'tool',
    );
    const reported = shownIn(execution);
    return reported === results.length
      ? []
      : [`request ${number} tells ${reported} of ${results.length}`];
  });
}

describe.each(DOORS)('an agent that a model failed, $name', (door) => {
  it('continues its conversation, whichever call it was', async () => {
    for (let result = 0; result < RESULTS; result += 2) {
      const simulation = await run(door, result, AUTH);
      const where = `result ${result}`;
      expect(simulation.result, where).toEqual({ status: 'completed', output: { n: 8 } });
      expect(toolsOf(simulation), where).toEqual(NAMES);
      expect(untold(simulation), where).toEqual([]);
    }
  });
});

/** Calls that may not be made twice. */
const DOUBTFUL = [1, 2, 4, 5, 6];

describe.each(DOUBTFUL)('an agent whose call %i has an unknown outcome', (made) => {
  const plan = planWith();
  const result = 2 * made + 1;

  it('repeats that call alone, and continues its conversation', async () => {
    const door = { name: 'repeat', plan, options: { answers: { a: 'repeat' } } };
    const simulation = await run(door, result, LOST);
    expect(simulation.result).toEqual({ status: 'completed', output: { n: 8 } });
    expect(toolsOf(simulation)).toEqual([...NAMES.slice(0, made + 1), ...NAMES.slice(made)]);
    expect(untold(simulation)).toEqual([]);
  });

  it('takes what a person enters for the result of that call', async () => {
    const edit = { edit: { it: 'did happen' } };
    const door = { name: 'edit', plan, options: { answers: { a: edit } } };
    const simulation = await run(door, result, LOST);
    expect(simulation.result).toEqual({ status: 'completed', output: { n: 8 } });
    expect(toolsOf(simulation)).toEqual(NAMES);
    const last = simulation.executions.at(-1)?.work;
    const reported = last?.type === 'model' ? last.call.messages : [];
    expect(reported).toContainEqual(
      expect.objectContaining({ role: 'tool', name: NAMES[made], result: { it: 'did happen' } }),
    );
  });
});
