/** The contract: who retries a model call, and broken streams. */
import { describe, expect } from 'vitest';
import { agent, fail, restsMs, rows, times, type Row } from './table.ts';

const LIMITED = fail('provider.rate_limited', 0.02);
const BROKEN = { stream: ['The lab', 'el is'], cut: true };
const RETRY = { max: 2, backoff: 'none' };

describe('a schedule inside the node', () => {
  rows([
    {
      it: 'six attempts at a rate limit, each after its hint, then all of them in provider.exhausted',
      models: { m: [fail('provider.rate_limited', 0.03)] },
      nodes: [agent()],
      steps: [
        {
          exit: 3,
          says: {
            error: {
              kind: 'provider.exhausted',
              category: 'transient',
              attempts: times(6, { kind: 'provider.rate_limited', target: 'sim/m' }),
              cause: { kind: 'provider.rate_limited', provider: { retryAfterMs: 30 } },
            },
          },
          calls: times(6, 'sim/m provider.rate_limited'),
          events: ['node:started a', 'node:failed a', 'run:failed'],
          look: (events) => {
            const rests = restsMs(events, 'sim/m');
            expect(rests.length).toBe(5);
            for (const restMs of rests) expect(restMs).toBeGreaterThanOrEqual(30);
          },
        },
      ],
    },
    {
      it: 'three attempts where the provider is overloaded, and a late success is one',
      models: {
        m: [fail('provider.overloaded', 0), fail('provider.server_error', 0.01), { answer: 'x' }],
      },
      nodes: [agent()],
      steps: [
        {
          says: { output: { result: 'x' } },
          calls: ['sim/m provider.overloaded', 'sim/m provider.server_error', 'sim/m ok'],
        },
      ],
    },
    {
      it: 'what is fatal is not tried again, nor is what nobody recognises',
      models: { m: [fail('provider.auth')], n: [fail('provider.unknown')] },
      nodes: [
        agent({ routes: [{ to: '$end' }, { on_error: 'provider.auth', to: 'b' }] }),
        agent({ model: 'sim/n' }, 'b'),
      ],
      steps: [
        {
          exit: 3,
          says: { error: { kind: 'provider.unknown', retryable: null } },
          calls: ['sim/m provider.auth', 'sim/n provider.unknown'],
        },
      ],
    },
  ]);
});

describe('a route that takes over', () => {
  const overtaken = (route: object): Pick<Row, 'models' | 'nodes'> => ({
    models: { m: [LIMITED] },
    nodes: [agent({ routes: [{ to: '$end' }, route] })],
  });
  const threeTries = {
    exit: 3,
    says: {
      error: {
        kind: 'provider.rate_limited',
        attempts: times(3, { kind: 'provider.rate_limited' }),
      },
    },
    calls: times(3, 'sim/m provider.rate_limited'),
  };
  rows([
    {
      it: 'by a kind alone',
      ...overtaken({ on_error: 'provider.rate_limited', retry: RETRY }),
      steps: [
        {
          ...threeTries,
          events: [
            'node:started a',
            'node:retrying a',
            'node:started a',
            'node:retrying a',
            'node:started a',
          ],
          look: (events) => {
            for (const { type, delayMs } of events)
              if (type === 'node:retrying') expect(delayMs).toBe(20);
          },
        },
      ],
    },
    {
      it: 'by a kind in a list of the workflow',
      models: { m: [LIMITED] },
      nodes: [agent()],
      header: {
        on_error: [{ on_error: ['provider.timeout', 'provider.rate_limited'], retry: RETRY }],
      },
      steps: [threeTries],
    },
    {
      it: 'a wide route does not, and passes over provider.exhausted as a retry',
      ...overtaken({ on_error: 'provider.*', retry: RETRY }),
      steps: [
        {
          exit: 3,
          says: { error: { kind: 'provider.exhausted' } },
          calls: times(6, 'sim/m provider.rate_limited'),
          events: ['node:started a'],
        },
      ],
    },
    {
      it: 'nor does `true`, which takes provider.exhausted by any other move',
      models: { m: [fail('provider.overloaded', 0.01)] },
      nodes: [
        agent({
          routes: [{ to: '$end' }, { on_error: true, retry: RETRY }, { on_error: true, to: 'b' }],
        }),
        { name: 'b', type: 'set', value: '{{ failing.error.kind }}' },
      ],
      steps: [
        { says: { output: 'provider.exhausted' }, calls: times(3, 'sim/m provider.overloaded') },
      ],
    },
    {
      it: 'a route that names provider.exhausted runs the schedule again, from the start',
      models: {
        m: [
          ...times(3, fail('provider.overloaded', 0.01)),
          fail('provider.overloaded', 0.01),
          { answer: 'x' },
        ],
      },
      nodes: [
        agent({ routes: [{ to: '$end' }, { on_error: 'provider.exhausted', retry: RETRY }] }),
      ],
      steps: [
        {
          says: { output: { result: 'x' } },
          calls: [...times(4, 'sim/m provider.overloaded'), 'sim/m ok'],
          events: ['node:started a', 'node:started a'],
        },
      ],
    },
    {
      it: 'a failure that is taken over spends its entry for this try, and a re-run has all again',
      models: {
        m: [LIMITED, LIMITED, { answer: 'm' }],
        n: [LIMITED],
      },
      nodes: [
        agent({
          model: ['sim/m', 'sim/n'],
          routes: [{ to: '$end' }, { on_error: 'provider.rate_limited', retry: RETRY }],
        }),
      ],
      steps: [
        {
          says: { output: { result: 'm' } },
          calls: [
            'sim/m provider.rate_limited',
            'sim/n provider.rate_limited',
            'sim/m provider.rate_limited',
            'sim/n provider.rate_limited',
            'sim/m ok',
          ],
        },
      ],
    },
    {
      it: 'the kind of the last failure says whether it was taken over',
      models: { m: [LIMITED], n: [fail('provider.overloaded', 0)] },
      nodes: [
        agent({
          model: ['sim/m', 'sim/n'],
          routes: [{ to: '$end' }, { on_error: 'provider.rate_limited', halt: {} }],
        }),
      ],
      steps: [
        {
          exit: 3,
          says: { error: { kind: 'provider.exhausted', cause: { kind: 'provider.overloaded' } } },
          calls: ['sim/m provider.rate_limited', ...times(3, 'sim/n provider.overloaded')],
        },
      ],
    },
  ]);
});

describe('a stream that broke', () => {
  rows([
    {
      it: 'fails the node, and the next model is not asked; a handler sees what had arrived',
      models: { m: [BROKEN] },
      nodes: [
        agent({
          model: ['sim/m', 'sim/n'],
          routes: [{ to: '$end' }, { on_error: 'provider.stream_interrupted', to: 'h' }],
        }),
        { name: 'h', type: 'set', value: '{{ [failing.error, failing.output, a.output] }}' },
      ],
      steps: [
        {
          says: {
            output: [
              { kind: 'provider.stream_interrupted', category: 'ambiguous', outcome: 'partial' },
              { result: 'The label is', partial: true },
              { result: 'The label is', partial: true },
            ],
          },
          calls: ['sim/m provider.stream_interrupted'],
        },
      ],
    },
    {
      it: 'before its first content is like a call that failed',
      models: { m: [{ stream: [], cut: true }], n: [{ answer: 'n' }] },
      nodes: [agent({ model: ['sim/m', 'sim/n'] })],
      steps: [{ says: { output: { result: 'n' } } }],
    },
    {
      it: 'is begun anew where the node says restart',
      models: { m: [BROKEN, { answer: 'whole' }] },
      nodes: [agent({ on_partial: 'restart' })],
      steps: [
        {
          says: { output: { result: 'whole' } },
          calls: ['sim/m provider.stream_interrupted', 'sim/m ok'],
        },
      ],
    },
    {
      it: 'is kept where the node says keep_partial, with a word in the events and in what was written',
      models: {
        m: [
          { tool_calls: [{ name: 'write_state', arguments: { key: 'tags', value: ['t'] } }] },
          BROKEN,
        ],
      },
      nodes: [
        agent({ on_partial: 'keep_partial', writes: ['tags'], routes: [{ to: 'b' }] }),
        { name: 'b', type: 'set', value: '{{ {"a": a.output, "tags": state.tags} }}' },
      ],
      header: { state: { tags: { type: 'array', default: [], merge: 'append' } } },
      steps: [
        {
          says: { output: { a: { result: 'The label is', partial: true }, tags: ['t'] } },
          events: ['error:suppressed', 'node:completed a'],
        },
      ],
    },
  ]);
});
