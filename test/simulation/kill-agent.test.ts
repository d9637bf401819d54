/**
 * An agent with eight tool calls whose process dies before and after every commit: a call with a
 * result in the log is never made again, and for a call that may have happened and may not happen
 * twice a person is asked. All laws hold as well.
 */
import { describe, expect, it } from 'vitest';
import {
  simulate,
  type Simulation,
  type SimulationOptions,
} from '../../src/rehearsal/simulated-run.ts';
import type { Death } from '../../src/rehearsal/world/world.ts';
import { LAWS } from './all-laws.ts';
import { planOfFiles } from './plans.ts';
import { isType, ofType } from '../../src/rehearsal/laws/subject.ts';

const NAMES = ['lookup', 'charge', 'send', 'box/read', 'box/write', 'plain', 'charge', 'lookup'];

const DRAWN = planOfFiles({
  'main.yaml': JSON.stringify({
    workflow: {
      name: 'main',
      entry_point: 'a',
      runtime: {
        simulate: {
          m: [
            ...NAMES.map((name, id) => ({ tool_calls: [{ name, arguments: { id } }] })),
            { answer: { n: 8 } },
          ],
        },
        mcp_servers: { box: { type: 'stdio', command: 'x' } },
      },
    },
    nodes: [
      {
        name: 'a',
        model: 'sim/m',
        prompt: 'Do it all',
        tools: [...new Set(NAMES)],
        policy: { ask: ['send'] },
        output: { n: { type: 'number' } },
      },
    ],
  }),
});

async function run(deaths: readonly Death[], answers: SimulationOptions['answers']) {
  const simulation = await simulate(DRAWN.plan, { deaths, answers: answers ?? {} });
  const subject = { ...simulation, ...DRAWN };
  const breaches = LAWS.flatMap((law) => law.breaches(subject));
  expect(breaches, JSON.stringify(deaths)).toEqual([]);
  return simulation;
}

/** Calls that were made more often than a result of them was lost with its process. */
function repeated({ executions, events }: Simulation): readonly string[] {
  return executions.flatMap(({ number, effect, afterSeq }) => {
    const before = events.find(
      (event) =>
        event.seq <= afterSeq &&
        isType(event, 'effect:succeeded') &&
        event.effect.key === effect.key,
    );
    return before === undefined ? [] : [`${effect.target} again, execution ${number}`];
  });
}

describe('an agent with eight calls whose process dies around a commit', () => {
  const answers = { 'a/send#3.1': 'approve', a: 'abort' };

  it('repeats nothing that has a result, and asks about what may have happened', async () => {
    const whole = await run([], answers);
    expect(whole.result).toEqual({ status: 'completed', output: { n: 8 } });
    const tools = (of: Simulation): readonly string[] =>
      of.executions.flatMap(({ work }) => (work.type === 'tool' ? [work.tool] : []));
    expect(tools(whole)).toEqual(NAMES);
    const endings: Record<string, number> = {};
    for (let commit = 1; commit <= whole.commits.length; commit++)
      for (const when of ['before', 'after'] as const) {
        const died = await run([{ commit, when }], answers);
        const where = `${when} commit ${commit}`;
        expect(repeated(died), where).toEqual([]);
        const inDoubt = ofType(died.events, 'effect:failed').map(({ error }) => error.kind);
        if (died.result.status === 'completed') {
          expect(inDoubt, where).toEqual([]);
          expect(died.result, where).toEqual(whole.result);
          expect([...new Set(tools(died))].sort(), where).toEqual([...new Set(NAMES)].sort());
        } else {
          // the person answered that it counts
          expect(inDoubt, where).toEqual(['effect.outcome_unknown']);
          expect(died.result, where).toMatchObject({ error: { kind: 'effect.outcome_unknown' } });
          const asked = ofType(died.events, 'run:paused').at(-1)?.waiting;
          expect(asked, where).toMatchObject({ reason: 'outcome', node: 'a' });
          // made when its process died, or about to be: the next process cannot know
          const doubtful = ofType(died.events, 'effect:failed')[0]?.effect.key;
          const made = died.executions.filter(({ effect }) => effect.key === doubtful);
          expect(made.map(({ isIdempotent, ending }) => [isIdempotent, ending?.type])).toEqual(
            when === 'before' ? [[false, 'succeeded']] : [],
          );
        }
        endings[died.result.status] = (endings[died.result.status] ?? 0) + 1;
      }
    // each of the five that may not be repeated: after its request was stored, before its result was
    expect(endings).toEqual({ completed: 2 * whole.commits.length - 10, failed: 10 });
  });

  it('continues with the result that a person enters, and does nothing more', async () => {
    const whole = await run([], answers);
    for (let commit = 1; commit <= whole.commits.length; commit++) {
      const died = await run([{ commit, when: 'before' }], { ...answers, a: { edit: { n: 8 } } });
      expect(died.result, `before commit ${commit}`).toEqual(whole.result);
      expect(repeated(died), `before commit ${commit}`).toEqual([]);
    }
  });
});
