/** The contract: an agent's answers, raises, and what it writes to the shared state. */
import { describe } from 'vitest';
import { agent, call, rows, times } from './table.ts';

const N = { n: { type: 'number' } };
const LOOK = `export const look = tool({ writes: false, run: ({ id }) => { did('look ' + id); return id; } });`;

const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

describe('an answer', () => {
  rows([
    {
      it: 'off its schema is sent back twice, then it is agent.output_invalid',
      models: {
        m: [{ answer: 'no' }, { answer: { n: 'x' } }, { answer: { n: 1 } }],
        bad: [{ answer: '{}' }],
      },
      nodes: [
        agent({ output: N, routes: [{ to: 'b' }] }),
        agent({ model: 'sim/bad', output: N }, 'b'),
      ],
      steps: [
        {
          exit: 3,
          says: { error: { kind: 'agent.output_invalid', location: { node: 'b' } } },
          calls: [...times(3, 'sim/m ok'), ...times(3, 'sim/bad ok')],
        },
      ],
    },
    {
      it: 'nested deeper than any log can hold is off its schema',
      models: {
        m: [{ answer: `{"n": ${nested(5000)}}` }, { answer: '{"n": [[1]]}' }],
        bad: [{ answer: `{"n": ${nested(600)}}` }],
      },
      nodes: [
        agent({ output: { n: { type: 'array' } }, routes: [{ to: 'b' }] }),
        agent({ model: 'sim/bad', output: { n: { type: 'array' } } }, 'b'),
      ],
      steps: [
        {
          exit: 3,
          says: { error: { kind: 'agent.output_invalid', location: { node: 'b' } } },
          calls: [...times(2, 'sim/m ok'), ...times(3, 'sim/bad ok')],
        },
      ],
    },
    {
      it: 'with a number beyond the largest is off its schema',
      models: {
        m: [
          { answer: '{"n": 1e400}' },
          { answer: `{"n": -${'9'.repeat(400)}}` },
          { answer: '{"n": 1e300}' },
        ],
        bad: [{ answer: '{"n": [{"deep": 1e999}]}' }],
      },
      nodes: [
        agent({
          output: N,
          routes: [{ to: 'b', when: '{{ output.n > 100 }}' }, { to: '$end' }],
        }),
        agent({ model: 'sim/bad', output: { n: { type: 'array' } } }, 'b'),
      ],
      steps: [
        {
          exit: 3,
          says: { error: { kind: 'agent.output_invalid', location: { node: 'b' } } },
          calls: [...times(3, 'sim/m ok'), ...times(3, 'sim/bad ok')],
        },
      ],
    },
    {
      it: 'is held to its schema deep inside, and may stand between fences',
      models: {
        m: [
          { answer: { list: [{ n: 1 }, { n: 'two' }] } },
          { answer: '```json\n{"list": [{"n": 1}]}\n```' },
        ],
      },
      nodes: [
        agent({
          output_schema: {
            type: 'object',
            properties: {
              list: { type: 'array', items: { type: 'object', properties: N, required: ['n'] } },
            },
            required: ['list'],
          },
        }),
      ],
      steps: [{ says: { output: { list: [{ n: 1 }] } }, calls: times(2, 'sim/m ok') }],
    },
    {
      it: 'is checked by the assertions, whose failure is routed',
      models: { m: [{ answer: { n: 1 } }, { answer: { n: 2 } }] },
      nodes: [
        agent({
          output: N,
          assert: [
            { that: '{{ output.n > 1 }}', raise: 'n.small', message: 'n is {{ output.n }}' },
          ],
          routes: [{ to: '$end' }, { on_error: 'n.small', retry: { max: 1, backoff: 'none' } }],
        }),
      ],
      steps: [{ says: { output: { n: 2 } }, events: ['node:failed a', 'node:completed a'] }],
    },
    {
      it: 'turns are limited',
      models: { m: [call('look', { id: 1 })] },
      module: LOOK,
      nodes: [agent({ max_turns: 2 })],
      steps: [{ exit: 4, says: { error: { kind: 'limit.turns' } }, did: ['look 1', 'look 1'] }],
    },
  ]);
});

describe('a raise', () => {
  const raised = { errand_error: true, kind: 'triage.odd', message: 'Odd', details: { x: 1 } };
  const odd = { kind: 'triage.odd', class: 'domain', message: 'Odd', details: { x: 1 } };
  const route = (kind: string): object[] => [{ to: '$end' }, { on_error: kind, to: 'h' }];
  const handler = { name: 'h', type: 'set', value: '{{ failing.error }}' };
  rows([
    {
      it: 'in the answer is routed by its kind, whatever the schema says',
      models: { m: [{ answer: raised }] },
      nodes: [agent({ output: N, raises: ['triage.odd'], routes: route('triage.odd') }), handler],
      steps: [{ says: { output: odd } }],
    },
    {
      it: 'of Conductor too; a missing message is the kind, other details are a value, an undeclared kind is marked',
      models: { m: [{ answer: { conductor_error: true, kind: 'triage.odd', details: 'x' } }] },
      nodes: [agent({ raises: ['triage.other'] })],
      steps: [
        {
          exit: 3,
          says: {
            error: {
              kind: 'triage.odd',
              message: 'triage.odd',
              details: { value: 'x' },
              undeclared: true,
            },
          },
        },
      ],
    },
    {
      it: 'by the built-in tool, also where nothing is declared',
      models: {
        m: [call('raise_error', { kind: 'triage.odd', message: 'Odd', details: { x: 1 } })],
      },
      nodes: [
        agent({ raises: ['triage.odd'], routes: route('triage.odd') }),
        { ...handler, routes: [{ to: 'b' }] },
        agent({}, 'b'),
      ],
      steps: [{ exit: 3, says: { error: odd } }],
    },
    {
      it: 'that is malformed or claims a kind of the runtime is internal.envelope_invalid',
      models: {
        m: [{ answer: { errand_error: true, message: 'no kind' } }],
        n: [call('raise_error', { kind: 'provider.auth', message: 'me' })],
      },
      nodes: [
        agent({ routes: route('internal.envelope_invalid') }),
        { name: 'h', type: 'set', value: 1, routes: [{ to: 'b' }] },
        agent({ model: 'sim/n' }, 'b'),
      ],
      steps: [
        {
          exit: 3,
          says: { error: { kind: 'internal.envelope_invalid', location: { node: 'b' } } },
        },
      ],
    },
    {
      it: 'beside other calls waits for them, and nothing comes in afterwards',
      models: {
        m: [
          {
            tool_calls: [
              { name: 'slow', arguments: {} },
              { name: 'raise_error', arguments: { kind: 'triage.odd', message: 'Odd' } },
              { name: 'slow', arguments: { id: 2 } },
            ],
          },
        ],
      },
      module: `export const slow = tool({ writes: false, run: async () => {
        await new Promise((resolve) => setTimeout(resolve, 50)); did('slow'); return 1; } });`,
      nodes: [agent()],
      steps: [
        {
          exit: 3,
          says: { error: { kind: 'triage.odd' } },
          calls: ['sim/m ok', 'slow ok'],
          did: ['slow'],
          events: ['effect:succeeded a', 'effect:succeeded a', 'node:failed a', 'run:failed'],
        },
      ],
    },
  ]);
});

describe('shared state', () => {
  const header = {
    state: {
      tags: { type: 'array', default: [], merge: 'append' },
      other: { type: 'number', default: 0 },
    },
  };
  const write = (key: string, value: unknown): object => call('write_state', { key, value });
  const after = { name: 'b', type: 'set', value: '{{ state }}' };
  rows([
    {
      it: 'is written when the node completes, by the keys that it names',
      models: { m: [write('tags', ['x']), write('tags', ['y']), { answer: 'end' }] },
      header,
      nodes: [
        agent({ writes: ['tags'], routes: [{ to: 'b' }] }),
        { ...after, value: '{{ state.tags }}' },
      ],
      steps: [
        {
          says: { output: ['x', 'y'] },
          calls: ['sim/m ok', 'write_state ok', 'sim/m ok', 'write_state ok', 'sim/m ok'],
        },
      ],
    },
    {
      it: 'a value of another type is sent back to the model',
      models: { m: [write('other', 'many'), write('other', 2), { answer: 'end' }] },
      header,
      nodes: [agent({ writes: ['other'], routes: [{ to: 'b' }] }), after],
      steps: [
        {
          says: { output: { tags: [], other: 2 } },
          calls: [
            'sim/m ok',
            'write_state tool.input_invalid',
            'sim/m ok',
            'write_state ok',
            'sim/m ok',
          ],
        },
      ],
    },
    {
      it: 'another key fails the node, and nothing is written',
      models: { m: [write('tags', ['x']), write('other', 1)] },
      header,
      nodes: [
        agent({
          writes: ['tags'],
          routes: [{ to: '$end' }, { on_error: 'agent.permission_denied', to: 'b' }],
        }),
        { ...after, value: '{{ [state.tags, state.other] }}' },
      ],
      steps: [{ says: { output: [[], 0] } }],
    },
  ]);
});
