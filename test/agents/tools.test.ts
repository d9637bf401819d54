/** The contract: an agent's tools and its policy. */
import { describe, expect } from 'vitest';
import { agent, call, rows, times, type LoggedEvent } from './table.ts';

const TOOLS = `
export const look = tool({
  description: 'Looks', writes: false, idempotent: true,
  input: { type: 'object', properties: { id: { type: 'number' } }, required: ['id'] },
  run: ({ id }) => { did('look ' + id); return { found: id }; },
});
export const pay = tool({ writes: true, run: ({ id = 0 }) => { did('pay ' + id); return { paid: id }; } });
export const broken = tool({ writes: false, run: () => { throw new Error('no luck'); } });
export const raising = tool({ writes: false, run: () => { throw raise('order.missing', 'No order', { id: 7 }); } });
export function plain() { did('plain'); return 1; }
`;

const outcomes = (events: readonly LoggedEvent[]): readonly unknown[] =>
  events
    .filter(({ type }) => type === 'effect:failed')
    .map(({ error }) => [error?.kind, error?.outcome]);

describe('tools', () => {
  rows([
    {
      it: 'null gives all that do not write; one that writes, or that does not say, must be named',
      models: { m: [call('look', { id: 1 }), call('pay'), call('plain'), call('plain')] },
      module: TOOLS,
      nodes: [agent()],
      steps: [
        {
          exit: 3,
          says: { error: { kind: 'tool.forbidden' } },
          calls: [
            'sim/m ok',
            'look ok',
            'sim/m ok',
            'pay tool.forbidden',
            'sim/m ok',
            'plain tool.forbidden',
            'sim/m ok',
            'plain tool.forbidden',
          ],
          did: ['look 1'],
          look: (events) =>
            expect(outcomes(events)).toEqual(times(3, ['tool.forbidden', 'not_started'])),
        },
      ],
    },
    {
      it: 'named ones, in parallel, keep their order; the same call twice is done twice',
      models: {
        m: [
          {
            tool_calls: [
              { name: 'pay', arguments: { id: 1 } },
              { name: 'pay', arguments: { id: 1 } },
              { name: 'plain', arguments: {} },
            ],
          },
          { answer: 'done' },
        ],
      },
      module: TOOLS,
      nodes: [agent({ tools: ['pay', 'plain'] })],
      steps: [
        {
          says: { output: { result: 'done' } },
          did: ['pay 1', 'pay 1', 'plain'],
          look: (events) => {
            const keys = events.filter(
              ({ type, effect }) => type === 'effect:requested' && effect?.type === 'tool',
            );
            expect(new Set(keys.map(({ effect }) => effect?.key)).size).toBe(3);
          },
        },
      ],
    },
    {
      it: 'that fail are shown to the model and do not fail the node',
      models: { m: [call('broken'), call('raising'), { answer: 'went on' }] },
      module: TOOLS,
      nodes: [agent()],
      steps: [
        {
          says: { output: { result: 'went on' } },
          calls: [
            'sim/m ok',
            'broken tool.failed',
            'sim/m ok',
            'raising order.missing',
            'sim/m ok',
          ],
        },
      ],
    },
    {
      it: 'an unknown tool and bad arguments are corrected at most three times',
      models: {
        m: [call('nobody'), call('look', { id: 'x' }), call('look'), { answer: 'fine' }],
        bad: [call('nobody')],
      },
      module: TOOLS,
      nodes: [agent({ routes: [{ to: 'b' }] }), agent({ model: 'sim/bad' }, 'b')],
      steps: [
        {
          exit: 3,
          says: { error: { kind: 'agent.output_invalid', location: { node: 'b' } } },
          calls: [
            'sim/m ok',
            'nobody tool.not_found',
            'sim/m ok',
            'look tool.input_invalid',
            'sim/m ok',
            'look tool.input_invalid',
            'sim/m ok',
            ...times(4, ['sim/bad ok', 'nobody tool.not_found']).flat(),
          ],
          look: (events) => {
            for (const [, outcome] of outcomes(events) as [string, string][])
              expect(outcome).toBe('not_started');
          },
        },
      ],
    },
    {
      it: 'are tried again as they declare, and only then shown',
      models: { m: [call('flaky'), call('busy'), { answer: 'done' }] },
      module: `let n = 0; let b = 0;
export const flaky = tool({ writes: false, retry: { max: 2, backoff: 'fixed', initialSeconds: 0.01 },
  run: (_, { attempt }) => { did('flaky ' + attempt); if (++n < 3) throw new Error('again'); return 1; } });
export const busy = tool({ writes: false, retry: { max: 1, backoff: 'none', on: ['order.busy'] },
  run: () => { did('busy ' + ++b); throw raise('order.busy', 'Busy'); } });`,
      nodes: [agent()],
      steps: [
        {
          says: { output: { result: 'done' } },
          did: ['flaky 0', 'flaky 1', 'flaky 2', 'busy 1', 'busy 2'],
          calls: [
            'sim/m ok',
            'flaky tool.failed',
            'flaky tool.failed',
            'flaky ok',
            'sim/m ok',
            'busy order.busy',
            'busy order.busy',
            'sim/m ok',
          ],
        },
      ],
    },
    {
      it: 'one that may not be repeated and is in doubt fails the node and asks',
      models: { m: [call('pay'), { answer: 'paid' }] },
      module: `export const pay = tool({ writes: true, timeoutMs: 30, run: () => { did('pay'); return new Promise(() => setTimeout(() => {}, 2000).unref()); } });`,
      nodes: [
        agent({ tools: ['pay'], routes: [{ to: '$end' }, { on_error: 'tool.*', to: '$end' }] }),
      ],
      steps: [
        {
          exit: 5,
          says: { waiting: { reason: 'outcome', node: 'a', options: ['repeat', 'edit', 'abort'] } },
          calls: ['sim/m ok', 'pay effect.outcome_unknown'],
        },
        {
          // the result of that call, and the conversation continues
          do: ['answer', 'RUN', '--value', '{"edit": {"receipt": 7}}'],
          says: { output: { result: 'paid' } },
          calls: ['sim/m ok', 'pay effect.outcome_unknown', 'pay ok', 'sim/m ok'],
          did: ['pay'],
        },
      ],
    },
    {
      it: 'one that acted and gave up at its time limit is not called again by itself, and the model is not asked to',
      models: { m: [call('pay'), { answer: 'unclear' }] },
      module: `export const pay = tool({ timeoutMs: 30, retry: { max: 2, backoff: 'none' },
  run: (_, { signal }) => { did('pay'); return new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason))); } });`,
      nodes: [agent({ tools: ['pay'] })],
      steps: [
        {
          says: { output: { result: 'unclear' } },
          calls: ['sim/m ok', 'pay tool.timeout', 'sim/m ok'],
          did: ['pay'],
          look: (events) =>
            expect(events.find(({ type }) => type === 'effect:failed')?.error).toMatchObject({
              outcome: 'partial',
              category: 'ambiguous',
              retryable: false,
            }),
        },
      ],
    },
    {
      it: 'an idempotent one is simply shown as a failure',
      models: { m: [call('slow'), { answer: 'well' }] },
      module: `export const slow = tool({ writes: false, idempotent: true, timeoutMs: 30, run: () => new Promise(() => setTimeout(() => {}, 2000).unref()) });`,
      nodes: [agent()],
      steps: [
        {
          says: { output: { result: 'well' } },
          calls: ['sim/m ok', 'slow tool.timeout', 'sim/m ok'],
        },
      ],
    },
  ]);
});

describe('policy', () => {
  const asking = agent({ tools: ['pay'], policy: { ask: ['pay'] } });
  const paying = { m: [call('pay', { id: 5 }), { answer: 'end' }] };
  const asked = {
    exit: 5,
    says: { waiting: { reason: 'gate', node: 'a', options: ['approve', 'deny'] } },
    did: [],
  };
  rows([
    {
      it: 'a person approves one call',
      models: { m: [call('pay', { id: 5 }), call('pay', { id: 5 }), { answer: 'end' }] },
      module: TOOLS,
      nodes: [asking],
      steps: [
        asked,
        { do: 'answer RUN --value perhaps', exit: 2, did: [] },
        { do: 'answer RUN a --value approve', exit: 5, did: ['pay 5'] },
        {
          do: 'answer RUN --value approve',
          says: { output: { result: 'end' } },
          did: ['pay 5', 'pay 5'],
        },
      ],
    },
    {
      it: 'a refusal is shown once, and the same call again fails the node',
      models: { m: [call('pay', { id: 5 })] },
      module: TOOLS,
      nodes: [asking],
      steps: [
        asked,
        {
          do: 'answer RUN --value deny',
          exit: 5,
          calls: ['sim/m ok', 'pay tool.denied', 'sim/m ok'],
        },
        {
          do: 'answer RUN --value deny',
          exit: 3,
          says: { error: { kind: 'tool.denied' } },
          did: [],
        },
        { do: 'audit RUN', says: times(2, { what: 'deny', node: 'a', path: 'a' }) },
      ],
    },
    {
      it: 'nobody to ask is a refusal',
      models: paying,
      module: TOOLS,
      nodes: [asking],
      steps: [
        {
          do: 'run t.yaml --no-gates',
          says: { output: { result: 'end' } },
          calls: ['sim/m ok', 'pay tool.denied', 'sim/m ok'],
          did: [],
        },
      ],
    },
    {
      it: 'what is denied, or not among what is allowed, is tool.denied',
      models: { m: [call('pay'), call('plain'), { answer: 'end' }] },
      module: TOOLS,
      nodes: [
        agent({
          tools: ['pay', 'plain', 'look'],
          policy: { allow: ['look', 'pay'], deny: ['pay'] },
        }),
      ],
      steps: [
        {
          calls: ['sim/m ok', 'pay tool.denied', 'sim/m ok', 'plain tool.denied', 'sim/m ok'],
          did: [],
        },
      ],
    },
    {
      it: 'an approval that was open when its group failed is asked for again',
      models: { m: [call('pay', { id: 5 }), { answer: 'end' }] },
      module: TOOLS,
      files: { go: '' },
      nodes: [
        asking,
        {
          name: 'b',
          type: 'script',
          command: 'sh',
          args: ['-c', 'test -f went || { touch went; exit 1; }'],
        },
      ],
      top: {
        parallel: [
          { name: 'g', agents: ['a', 'b'], failure_mode: 'all_or_nothing' },
          { name: 'f', agents: ['a', 'b'] },
        ],
      },
      header: { entry_point: 'f' },
      steps: [
        { exit: 3 },
        { do: 'resume RUN', exit: 5, says: { waiting: { reason: 'gate', node: 'a' } } },
        { do: 'answer RUN --value approve', says: { status: 'completed' }, did: ['pay 5'] },
      ],
    },
  ]);
});
