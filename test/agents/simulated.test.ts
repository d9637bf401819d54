/** The contract: simulated models, and what they cost. */
import { describe, expect } from 'vitest';
import { agent, call, fail, rows } from './table.ts';

const PRICE = { simulate_price_per_mtok: { input: 1, output: 10 } };

describe('what a simulated model says', () => {
  rows([
    {
      it: 'without a script it echoes the prompt or gives JSON that fits; a whole stream is an answer; it is free',
      models: { m: [{ stream: ['The lab', 'el is x'] }] },
      nodes: [
        agent({ model: 'sim/none', prompt: 'Say {{ 1 + 1 }}', routes: [{ to: 'b' }] }),
        agent(
          {
            model: 'sim/none',
            output: { label: { type: 'string', enum: ['x', 'y'] }, n: { type: 'number' } },
            routes: [{ to: 'c' }],
          },
          'b',
        ),
        agent({}, 'c'),
      ],
      top: { output: { a: '{{ a.output }}', b: '{{ b.output }}', c: '{{ c.output }}' } },
      steps: [
        {
          says: {
            output: {
              a: { result: 'Say 2' },
              b: { label: 'x', n: expect.any(Number) },
              c: { result: 'The label is x' },
            },
            costs: {
              totalUsdMicros: 0,
              attempts: [{ inputTokens: 2, outputTokens: 2, estimated: false }, {}, {}],
            },
          },
        },
      ],
    },
    {
      it: 'the n-th request of a node gets the n-th entry, the last one repeats, each node by itself',
      models: { m: [{ answer: 'one' }, { answer: 'two' }] },
      nodes: [
        agent({ routes: [{ to: 'b', when: "{{ output.result == 'two' }}" }, { to: 'again' }] }),
        { name: 'again', type: 'set', value: 1, routes: [{ to: 'a' }] },
        agent({ routes: [{ to: 'c' }] }, 'b'),
        agent({ model: 'sim/n' }, 'c'),
      ],
      top: { output: { a: '{{ a.output.result }}', b: '{{ b.output.result }}' } },
      header: { limits: { max_iterations: 20 } },
      steps: [
        {
          says: { output: { a: 'two', b: 'one' } },
          calls: ['sim/m ok', 'sim/m ok', 'sim/m ok', 'sim/n ok'],
        },
      ],
    },
    {
      it: 'an answer is text or JSON, and a script may be in a file',
      models: { m: './m.sim.yaml' },
      files: { 'm.sim.yaml': '- {answer: {n: 7}, delay: 30ms}\n- answer: plain\n' },
      nodes: [
        agent({ output: { n: { type: 'number' } }, routes: [{ to: 'b' }] }),
        agent({ model: 'sim/text' }, 'b'),
      ],
      runtime: { simulate: { m: './m.sim.yaml', text: [{ answer: 'plain' }] } },
      top: { output: { a: '{{ a.output.n }}', b: '{{ b.output.result }}' } },
      steps: [
        {
          says: { output: { a: 7, b: 'plain' } },
          look: (events) => {
            const [asked, answered] = events.filter(({ type }) => type.startsWith('effect:'));
            const tookMs = Date.parse(answered?.at ?? '') - Date.parse(asked?.at ?? '');
            expect(tookMs).toBeGreaterThanOrEqual(29);
          },
        },
      ],
    },
    {
      it: 'a member counts for itself',
      models: { m: [{ answer: 'one' }, { answer: 'two' }] },
      nodes: [agent({}, 'one')],
      top: {
        for_each: [{ name: 'g', source: '{{ [1, 2] }}', as: 'x', agent: agent({}, 'one') }],
        nodes: undefined,
      },
      header: { entry_point: 'g' },
      steps: [{ says: { output: { outputs: [{ result: 'one' }, { result: 'one' }] } } }],
    },
    {
      it: 'what was raised with a status goes through extract and classify',
      models: {
        m: [
          {
            fail: {
              provider: 'openai',
              status: 429,
              headers: { 'retry-after': '1' },
              body: { error: { code: 'insufficient_quota', message: 'You exceeded your quota' } },
            },
          },
        ],
      },
      nodes: [agent()],
      steps: [
        {
          exit: 3,
          says: {
            error: { kind: 'provider.quota_exhausted', category: 'capacity', retryable: false },
          },
          calls: ['sim/m provider.quota_exhausted'],
        },
      ],
    },
    {
      it: 'a child inherits the runtime unless it has its own',
      models: { m: [{ answer: 'of the parent' }] },
      files: {
        'child.yaml': JSON.stringify({
          workflow: { name: 'c', entry_point: 'x' },
          nodes: [agent({ model: undefined }, 'x')],
        }),
        'own.yaml': JSON.stringify({
          workflow: {
            name: 'o',
            entry_point: 'x',
            runtime: { default_model: 'sim/m', simulate: { m: [{ answer: 'its own' }] } },
          },
          nodes: [agent({ model: undefined }, 'x')],
        }),
      },
      runtime: { default_model: 'sim/m' },
      nodes: [
        { name: 'c', type: 'workflow', workflow: './child.yaml', routes: [{ to: 'o' }] },
        { name: 'o', type: 'workflow', workflow: './own.yaml' },
      ],
      top: { output: { c: '{{ c.output.result }}', o: '{{ o.output.result }}' } },
      steps: [{ says: { output: { c: 'of the parent', o: 'its own' } } }],
    },
  ]);
});

describe('costs', () => {
  const usage = (input: number, output: number): object => ({
    usage: { input_tokens: input, output_tokens: output },
  });
  rows([
    {
      it: 'a row for each attempt, failed ones and free ones too',
      models: {
        m: [
          { ...fail('provider.rate_limited', 0.02), ...usage(100, 0) },
          { ...call('look'), ...usage(200, 10) },
          {
            answer: 'done',
            usage: { input_tokens: 300, output_tokens: 20, cached_tokens: 50, reasoning_tokens: 5 },
          },
        ],
      },
      runtime: PRICE,
      module: `export const look = tool({ writes: false, run: () => 1 });`,
      nodes: [agent()],
      steps: [
        {
          says: {
            costs: {
              totalUsdMicros: 900,
              failedUsdMicros: 100,
              attempts: [
                {
                  type: 'model',
                  target: 'sim/m',
                  attempt: 0,
                  kind: 'provider.rate_limited',
                  outcome: 'failed',
                  inputTokens: 100,
                  costUsdMicros: 100,
                  estimated: false,
                },
                {
                  type: 'model',
                  attempt: 1,
                  outcome: 'succeeded',
                  inputTokens: 200,
                  outputTokens: 10,
                  costUsdMicros: 300,
                  estimated: false,
                },
                {
                  type: 'tool',
                  target: 'look',
                  attempt: 0,
                  outcome: 'succeeded',
                  costUsdMicros: 0,
                },
                {
                  type: 'model',
                  attempt: 0,
                  cachedTokens: 50,
                  reasoningTokens: 5,
                  costUsdMicros: 500,
                  outcome: 'succeeded',
                },
              ],
            },
          },
        },
      ],
    },
    {
      it: 'answers that were sent back for their schema count as failed, the last one too',
      models: {
        m: [
          { answer: 'no', ...usage(100, 0) },
          { answer: { n: 1 }, ...usage(200, 0) },
        ],
        n: [{ answer: 'no', ...usage(1000, 0) }],
      },
      runtime: PRICE,
      nodes: [
        agent({ output: { n: { type: 'number' } }, routes: [{ to: 'b' }] }),
        agent({ model: 'sim/n', output: { n: { type: 'number' } } }, 'b'),
      ],
      steps: [{ exit: 3, says: { costs: { totalUsdMicros: 3300, failedUsdMicros: 3100 } } }],
    },
    {
      it: 'a stream that was cut is on the bill',
      models: { m: [{ stream: ['abcd', 'efgh'], cut: true, ...usage(10, 2) }] },
      runtime: PRICE,
      nodes: [agent()],
      steps: [
        {
          exit: 3,
          says: {
            error: { kind: 'provider.stream_interrupted' },
            costs: {
              totalUsdMicros: 30,
              failedUsdMicros: 30,
              attempts: [{ outcome: 'partial', inputTokens: 10, outputTokens: 2 }],
            },
          },
        },
      ],
    },
  ]);
});
