/** The contract: an agent that is killed in the middle continues there, and nothing is repeated. */
import { describe, expect } from 'vitest';
import { agent, call, rows, type LoggedEvent } from './table.ts';

const ONCE = (flags: string): string => `
export const first = tool({ writes: false, run: () => 1 });
export const second = tool({ ${flags}, run: (_, { attempt, idempotencyKey }) => {
  did('second ' + idempotencyKey);
  // the one that is killed never answers; the time only keeps a process from living for ever
  return attempt === 0 ? new Promise((resolve) => setTimeout(resolve, 20000)) : { ok: true };
} });
export const third = tool({ writes: true, run: () => { did('third'); return 3; } });`;

const MODEL = { m: [call('first'), call('second'), call('third'), { answer: 'end' }] };
const NODE = agent({ tools: ['first', 'second', 'third'] });

function requestsOf(target: string, events: readonly LoggedEvent[]): readonly LoggedEvent[] {
  return events.filter(
    ({ effect, type }) => type === 'effect:requested' && effect?.target === target,
  );
}

describe('killed in the middle of a tool', () => {
  rows([
    {
      it: 'one that may be repeated is asked again with the same key, and all else is kept',
      models: MODEL,
      module: ONCE('writes: true, idempotent: true'),
      nodes: [NODE],
      steps: [
        { isKilled: true },
        {
          do: 'resume RUN',
          says: {
            output: { result: 'end' },
            costs: {
              attempts: [
                {},
                {},
                {},
                { target: 'second', outcome: 'unknown' },
                { target: 'second', attempt: 1 },
                {},
                {},
                {},
              ],
            },
          },
          calls: [
            'sim/m ok',
            'first ok',
            'sim/m ok',
            'second ok',
            'sim/m ok',
            'third ok',
            'sim/m ok',
          ],
          events: ['node:started a', 'node:completed a'],
          look: (events) => {
            const second = requestsOf('second', events);
            expect(second.map(({ attempt }) => attempt)).toEqual([0, 1]);
            expect(second[0]?.effect?.key).toBe(second[1]?.effect?.key);
          },
        },
      ],
    },
    {
      it: 'one that may not is in doubt, fails the node and asks, also at a plain resume',
      models: MODEL,
      module: ONCE('writes: true'),
      nodes: [NODE],
      steps: [
        { isKilled: true },
        {
          do: 'resume RUN',
          exit: 5,
          says: { waiting: { reason: 'outcome', node: 'a' } },
          calls: ['sim/m ok', 'first ok', 'sim/m ok', 'second effect.outcome_unknown'],
        },
        { do: 'resume RUN', exit: 5, says: { waiting: { reason: 'outcome', node: 'a' } } },
        {
          do: 'answer RUN --value abort',
          exit: 3,
          says: { error: { kind: 'effect.outcome_unknown' } },
        },
      ],
    },
    {
      it: 'one that is gone back behind is on the bill, and is asked about before it is done again',
      module: `import { existsSync } from 'node:fs';
export const one = tool({ run: () => 1 });
export const two = tool({ run: () => {
  did('two');
  return existsSync('again') ? 2 : new Promise((resolve) => setTimeout(resolve, 20000));
} });`,
      nodes: [
        { name: 'a', type: 'tool', tool: 'one', routes: [{ to: 'b' }] },
        { name: 'b', type: 'tool', tool: 'two' },
      ],
      steps: [
        { isKilled: true },
        {
          write: { again: '' },
          do: 'retry RUN --from a',
          exit: 5,
          says: { waiting: { reason: 'outcome', node: 'b' } },
          calls: ['one ok', 'two effect.outcome_unknown', 'one ok'],
          did: ['two'],
        },
        {
          do: 'answer RUN --value repeat',
          says: {
            output: 2,
            costs: {
              attempts: [{}, { target: 'two', outcome: 'unknown' }, { target: 'one' }, {}],
            },
          },
          calls: ['one ok', 'two effect.outcome_unknown', 'one ok', 'two ok'],
          did: ['two', 'two'],
        },
      ],
    },
    ...(['tool', 'agent'] as const).map((who) => ({
      it: `one that may be repeated keeps its key when it is gone back behind (of ${who === 'tool' ? 'a tool node' : 'an agent'})`,
      models: { m: [call('two'), call('two'), { answer: 'end' }, call('two'), { answer: 'end' }] },
      module: `import { existsSync } from 'node:fs';
export const one = tool({ run: () => 1 });
export const two = tool({ idempotent: true, run: () => {
  did('two');
  return existsSync('again') ? 2 : new Promise((resolve) => setTimeout(resolve, 20000));
} });`,
      nodes: [
        { name: 'a', type: 'tool', tool: 'one', routes: [{ to: 'b' }] },
        who === 'tool' ? { name: 'b', type: 'tool', tool: 'two' } : agent({ tools: ['two'] }, 'b'),
      ],
      steps: [
        { isKilled: true },
        {
          write: { again: '' },
          do: 'retry RUN --from a',
          did: ['two', 'two'],
          look: (events: readonly LoggedEvent[]) => {
            const two = requestsOf('two', events);
            expect(two.map(({ attempt }) => attempt)).toEqual([0, 1]);
            expect(two[1]?.effect?.key).toBe(two[0]?.effect?.key);
          },
        },
        {
          do: 'retry RUN --from b',
          look: (events: readonly LoggedEvent[]) => {
            const [first, , third] = requestsOf('two', events);
            // the second one ended, so this is another one
            expect(third).toMatchObject({ attempt: 0 });
            expect(third?.effect?.key).not.toBe(first?.effect?.key);
          },
        },
      ],
    })),
    {
      it: 'beside it a safe call ends first',
      models: {
        m: [
          {
            tool_calls: [
              { name: 'safe', arguments: {} },
              { name: 'second', arguments: {} },
            ],
          },
          { answer: 'end' },
        ],
      },
      module: `${ONCE('writes: true')}
export const safe = tool({ writes: false, idempotent: true, run: (_, { attempt }) =>
  attempt === 0 ? new Promise((resolve) => setTimeout(resolve, 20000)) : 'safe' });`,
      nodes: [agent({ tools: ['safe', 'second'] })],
      steps: [
        { isKilled: true },
        {
          do: 'resume RUN',
          exit: 5,
          says: { waiting: { reason: 'outcome', node: 'a' } },
          calls: ['sim/m ok', 'second effect.outcome_unknown', 'safe ok'],
        },
      ],
    },
    {
      it: 'a call of a model that was lost is the same request of the script',
      models: {
        m: [call('mark'), { answer: 'second', delay: '8s' }, { answer: 'third' }],
      },
      runtime: { simulate_price_per_mtok: { input: 1, output: 1 } },
      // the file is written once the log has the second request of the model, after that of the tool
      module: `import { globSync, readFileSync } from 'node:fs';
const requests = () => globSync('home/runs/*/events.jsonl').flatMap((file) => readFileSync(file, 'utf8').match(/"effect:requested"/g) ?? []);
export const mark = tool({ writes: false, run: () => {
  const timer = setInterval(() => requests().length > 2 && (clearInterval(timer), did('mark')), 20);
  return 1;
} });`,
      nodes: [agent()],
      steps: [
        { isKilled: true },
        {
          do: 'resume RUN',
          says: {
            output: { result: 'second' },
            costs: {
              attempts: [
                {},
                {},
                { outcome: 'unknown', estimated: true },
                { attempt: 1, outcome: 'succeeded' },
              ],
            },
          },
        },
      ],
    },
  ]);
});
