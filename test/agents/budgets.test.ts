/** The contract: budgets, of runs, children and nodes. A call sets aside its input and 1,000 tokens. */
import { describe, expect } from 'vitest';
import { agent, rows, times, type Row, type LoggedEvent } from './table.ts';

/** A token costs a micro-dollar, so that both kinds of budget have the same figures. */
const PRICE = { simulate_price_per_mtok: { input: 1, output: 1 } };
const answer = (tokens: number): object => ({
  answer: 'ok',
  usage: { input_tokens: tokens, output_tokens: 0 },
});

/** Two calls of 600 tokens, one after the other. */
const twice = (limits: object): Pick<Row, 'models' | 'runtime' | 'header' | 'nodes'> => ({
  models: { m: [answer(600)] },
  runtime: PRICE,
  header: { limits },
  nodes: [agent({ routes: [{ to: 'b' }] }), agent({}, 'b')],
});

const most = (events: readonly LoggedEvent[]): number => {
  let [open, peak] = [0, 0];
  for (const { type } of events) {
    if (type === 'effect:requested') peak = Math.max(peak, ++open);
    if (type === 'effect:succeeded' || type === 'effect:failed') open--;
  }
  return peak;
};

const questionOf = (events: readonly LoggedEvent[]): unknown =>
  events.find(({ type }) => type === 'gate:opened')?.['prompt'];

describe('enforced', () => {
  rows([
    {
      it: 'a call that would go over is not made: the run ends',
      ...twice({ budget_usd: 0.0012 }),
      steps: [
        {
          exit: 4,
          says: {
            error: {
              kind: 'limit.budget',
              details: { limit: 1200, spent: 600 },
              location: { node: 'b' },
            },
            costs: { totalUsdMicros: 600 },
          },
          calls: ['sim/m ok'],
        },
      ],
    },
    {
      it: 'tokens too; what fits is made',
      ...twice({ budget_tokens: 1700 }),
      steps: [{ says: { status: 'completed' }, calls: ['sim/m ok', 'sim/m ok'] }],
    },
    {
      it: '0 means 0, and what is free costs nothing',
      models: { m: [answer(1)] },
      header: { limits: { budget_usd: 0 } },
      nodes: [agent({ routes: [{ to: 'b' }] }), agent({ budget: { tokens: 0 } }, 'b')],
      steps: [
        {
          exit: 4,
          says: { error: { kind: 'limit.budget', location: { node: 'b' } } },
          calls: ['sim/m ok'],
        },
      ],
    },
    {
      it: 'a call that still overspends is kept, and the next one is not made',
      models: { m: [answer(5000)] },
      runtime: PRICE,
      header: { limits: { budget_tokens: 3000 } },
      nodes: [agent({ routes: [{ to: 'b' }] }), agent({}, 'b')],
      steps: [
        {
          exit: 4,
          says: { error: { kind: 'limit.budget', details: { spent: 5000 } } },
          calls: ['sim/m ok'],
          events: ['node:completed a', 'run:failed'],
        },
      ],
    },
    {
      it: 'max_tokens of a node is what its call may cost',
      models: { m: [answer(10)] },
      header: { limits: { budget_tokens: 100 } },
      nodes: [agent({ max_tokens: 50 })],
      steps: [{ says: { status: 'completed' } }],
    },
    {
      it: 'a node and a child have their own, which are ordinary failures',
      models: { m: [answer(600)] },
      runtime: PRICE,
      files: {
        'child.yaml': JSON.stringify({
          workflow: { name: 'c', entry_point: 'x', limits: { budget_usd: 0.0012 } },
          nodes: [agent({ routes: [{ to: 'y' }] }, 'x'), agent({}, 'y')],
        }),
      },
      nodes: [
        agent({
          budget: { usd: 0.0005 },
          routes: [{ to: '$end' }, { on_error: 'limit.budget', to: 'c' }],
        }),
        {
          name: 'c',
          type: 'workflow',
          workflow: './child.yaml',
          routes: [{ to: '$end' }, { on_error: 'limit.budget', to: 'h' }],
        },
        { name: 'h', type: 'set', value: '{{ failing.error.kind }}' },
      ],
      steps: [{ says: { output: 'limit.budget' }, calls: ['sim/m ok'] }],
    },
    {
      it: 'what others have set aside is waited for, so that a group never overspends together',
      models: { m: [{ ...answer(300), delay: '30ms' }] },
      header: { limits: { budget_tokens: 2100 }, entry_point: 'g' },
      nodes: ['p', 'q', 'r', 's'].map((name) => agent({}, name)),
      top: { parallel: [{ name: 'g', agents: ['p', 'q', 'r', 's'] }] },
      steps: [
        {
          says: { status: 'completed' },
          calls: times(4, 'sim/m ok'),
          look: (events) => expect(most(events)).toBe(2),
        },
      ],
    },
  ]);
});

describe('asked and watched', () => {
  const asked = {
    exit: 5,
    says: { status: 'paused', waiting: { reason: 'budget', options: ['raise', 'abort'] } },
    events: ['budget:paused', 'gate:opened b'],
  };
  const asking = twice({ budget_usd: 0.0012, budget_mode: 'ask' });
  rows([
    {
      it: 'raise lets it grow by its own amount',
      ...asking,
      steps: [asked, { do: 'answer RUN --value raise', says: { costs: { totalUsdMicros: 1200 } } }],
    },
    {
      it: 'and by what the call may cost where that is more, so that one answer is enough for each call',
      ...twice({ budget_usd: 0.0001, budget_mode: 'ask' }),
      steps: [
        {
          ...asked,
          events: ['gate:opened a'],
          look: (events) =>
            expect(questionOf(events)).toMatch(
              /^The next call may cost \$0\.001\d+, and \$0\.0001 of the budget of the run \(\$0\.0001\) is left\. Raise the budget by \$0\.00\d+, or abort\?$/,
            ),
        },
        {
          do: 'answer RUN --value raise',
          exit: 5,
          says: { costs: { totalUsdMicros: 600 } },
          calls: ['sim/m ok'],
        },
        { do: 'answer RUN --value raise', says: { status: 'completed' } },
      ],
    },
    {
      it: 'a budget of 0 too',
      ...twice({ budget_tokens: 0, budget_mode: 'ask' }),
      steps: [
        {
          ...asked,
          events: ['gate:opened a'],
          look: (events) =>
            expect(questionOf(events)).toMatch(
              /^The next call may use (\d+) tokens, and 0 tokens of the budget of the run \(0 tokens\) are left\. Raise the budget by \1 tokens, or abort\?$/,
            ),
        },
        { do: 'answer RUN --value raise', exit: 5, calls: ['sim/m ok'] },
      ],
    },
    {
      it: 'or by what the answer says; too little asks again',
      ...asking,
      steps: [
        asked,
        ...['{"usd": -1}', '{"eur": 1}', '{"tokens": 5}'].map((by) => ({
          do: ['answer', 'RUN', '--value', `{"raise": ${by}}`],
          exit: 2,
        })),
        { do: ['answer', 'RUN', '--value', '{"raise": {"usd": 0.0001}}'], exit: 5 },
        {
          do: ['answer', 'RUN', 'b', '--value', '{"raise": {"usd": 1}}'],
          says: { status: 'completed' },
        },
      ],
    },
    {
      it: 'abort ends the run; a resume asks again',
      ...asking,
      steps: [
        asked,
        { do: 'answer RUN --value abort', exit: 4, says: { error: { kind: 'limit.budget' } } },
        { do: 'resume RUN', exit: 5, says: { waiting: { reason: 'budget' } } },
        {
          do: 'answer RUN --value raise',
          says: { status: 'completed' },
          calls: ['sim/m ok', 'sim/m ok'],
        },
      ],
    },
    {
      it: 'nobody to ask is limit.budget',
      ...asking,
      steps: [{ do: 'run t.yaml --no-gates', exit: 4, says: { error: { kind: 'limit.budget' } } }],
    },
    {
      it: 'one question for a whole group, also after a cooldown that they shared',
      models: {
        m: [{ fail: { kind: 'provider.rate_limited', retry_after: 0.05 } }, answer(600)],
      },
      header: { limits: { budget_tokens: 900, budget_mode: 'ask' }, entry_point: 'g' },
      nodes: ['p', 'q'].map((name) => agent({}, name)),
      top: { parallel: [{ name: 'g', agents: ['p', 'q'] }] },
      steps: [
        { exit: 5, says: { waiting: { reason: 'budget', all: { length: 1 } } }, calls: [] },
        { do: ['answer', 'RUN', '--value', '{"raise": {"tokens": 200}}'], exit: 5 },
        {
          do: ['answer', 'RUN', '--value', '{"raise": {"tokens": 9000}}'],
          says: { status: 'completed' },
        },
      ],
    },
    {
      it: 'audit warns once and continues',
      ...twice({ budget_usd: 0.0001, budget_mode: 'audit' }),
      steps: [
        {
          says: { costs: { totalUsdMicros: 1200 } },
          calls: ['sim/m ok', 'sim/m ok'],
          events: ['budget:warning'],
        },
      ],
    },
  ]);
});
