/** The contract: the chain of models, and long waits. */
import { describe, expect } from 'vitest';
import { agent, fail, restsMs, rows } from './table.ts';

const RETRY = { max: 2, backoff: 'none' };

describe('the chain', () => {
  const chain = (...model: readonly (string | object)[]): object => agent({ model });
  rows([
    {
      it: 'asks the next healthy entry at once and waits only when none is',
      models: {
        m: [fail('provider.rate_limited', 0.06), { answer: 'm' }],
        n: [fail('provider.overloaded', 30)],
      },
      nodes: [chain('sim/m', 'sim/n')],
      steps: [
        {
          says: {
            output: { result: 'm' },
            costs: { attempts: [{ attempt: 0 }, { attempt: 1 }, { attempt: 2 }] },
          },
          calls: ['sim/m provider.rate_limited', 'sim/n provider.overloaded', 'sim/m ok'],
          look: (events) => expect(restsMs(events, 'sim/m')[0]).toBeGreaterThanOrEqual(60),
        },
      ],
    },
    {
      it: 'attempts count for each entry',
      models: { m: [fail('provider.overloaded', 0)], n: [fail('provider.timeout', 0)] },
      nodes: [chain('sim/m', 'sim/n')],
      steps: [
        {
          exit: 3,
          says: { error: { kind: 'provider.exhausted', attempts: { length: 6 } } },
          look: (events) => {
            const made = events.filter(({ type }) => type === 'effect:requested');
            const asked = (target: string): number =>
              made.filter(({ effect }) => effect?.target === target).length;
            expect([asked('sim/m'), asked('sim/n')]).toEqual([3, 3]);
          },
        },
      ],
    },
    {
      it: 'a spent quota goes on to another provider, whatever its entry is for',
      models: { m: [fail('provider.quota_exhausted')], n: [{ answer: 'n' }] },
      nodes: [chain('sim/m', { model: 'sim/n', on: ['provider.content_filter'] })],
      steps: [
        {
          says: { output: { result: 'n' } },
          calls: ['sim/m provider.quota_exhausted', 'sim/n ok'],
        },
      ],
    },
    {
      it: 'fatal goes only to a later entry that names the kind',
      models: { m: [fail('provider.content_filter')], n: [{ answer: 'n' }], o: [{ answer: 'o' }] },
      nodes: [chain('sim/m', 'sim/n', { model: 'sim/o', on: ['provider.content_filter'] })],
      steps: [
        { says: { output: { result: 'o' } }, calls: ['sim/m provider.content_filter', 'sim/o ok'] },
      ],
    },
    {
      it: 'and to nobody else',
      models: { m: [fail('provider.auth')] },
      nodes: [chain('sim/m', 'sim/n', { model: 'sim/o', on: ['provider.content_filter'] })],
      steps: [
        { exit: 3, says: { error: { kind: 'provider.auth' } }, calls: ['sim/m provider.auth'] },
      ],
    },
    {
      it: '`on: any` names all',
      models: { m: [fail('provider.invalid_request')], n: [{ answer: 'n' }] },
      nodes: [chain('sim/m', { model: 'sim/n', on: 'any' })],
      steps: [
        {
          says: { output: { result: 'n' } },
          calls: ['sim/m provider.invalid_request', 'sim/n ok'],
        },
      ],
    },
    {
      it: 'a cooldown holds for all branches, and one call goes first',
      models: {
        m: [fail('provider.rate_limited', 0.3), { answer: 'ok', delay: '40ms' }],
        n: [{ answer: 'n', delay: '100ms' }],
      },
      nodes: [
        agent({}, 'p'),
        agent({ model: 'sim/n', routes: [{ to: 'q2' }] }, 'q'),
        agent({ routes: [{ to: '$end' }] }, 'q2'),
      ],
      top: { parallel: [{ name: 'g', agents: ['p', 'q'] }] },
      header: { entry_point: 'g' },
      runtime: {
        simulate: {
          m: [fail('provider.rate_limited', 0.3), { answer: 'ok', delay: '40ms' }],
          n: [{ answer: 'n', delay: '100ms' }],
        },
      },
      steps: [
        {
          // q2 would be limited too if it asked: its first entry fails
          calls: [
            'sim/m provider.rate_limited',
            'sim/n ok',
            'sim/m ok',
            'sim/m provider.rate_limited',
            'sim/m ok',
          ],
          look: (events) => {
            const [first, probe, held] = events.filter(
              ({ type, effect }) => type === 'effect:requested' && effect?.target === 'sim/m',
            );
            expect([first, probe, held].map((event) => event?.path)).toEqual([
              'g[p]/p',
              'g[p]/p',
              'g[q]/q2',
            ]);
          },
        },
      ],
    },
  ]);
});

describe('long waits', () => {
  rows([
    {
      it: 'a hint above two minutes parks the run; a resume keeps it, --now cuts it',
      models: { m: [fail('provider.rate_limited', 3600), { answer: 'x' }] },
      nodes: [agent({ timeout_seconds: 5 })],
      steps: [
        {
          exit: 5,
          says: {
            status: 'paused',
            waiting: { reason: 'time', node: 'a', until: expect.stringMatching(/^20/) },
          },
        },
        { do: 'resume RUN', exit: 5, calls: ['sim/m provider.rate_limited'] },
        {
          do: 'resume RUN --now',
          says: { output: { result: 'x' } },
          calls: ['sim/m provider.rate_limited', 'sim/m ok'],
        },
      ],
    },
    {
      it: 'a hint past the deadline of the run ends it now',
      models: { m: [fail('provider.rate_limited', 30)] },
      nodes: [agent()],
      header: { limits: { timeout_seconds: 10 } },
      steps: [
        {
          exit: 4,
          says: { error: { kind: 'limit.run_timeout', cause: { kind: 'provider.rate_limited' } } },
        },
      ],
    },
    {
      it: 'also where a route has taken over',
      models: { m: [fail('provider.rate_limited', 30)] },
      nodes: [
        agent({ routes: [{ to: '$end' }, { on_error: 'provider.rate_limited', retry: RETRY }] }),
      ],
      header: { limits: { timeout_seconds: 10 } },
      steps: [
        {
          exit: 4,
          says: { error: { kind: 'limit.run_timeout', cause: { kind: 'provider.rate_limited' } } },
        },
      ],
    },
    {
      it: 'the time of a node leaves out its backoffs, and its calls have what is left',
      models: {
        m: [fail('provider.rate_limited', 1.6), { answer: 'x', delay: '20ms' }],
        n: [fail('provider.rate_limited', 1.6), { answer: 'x', delay: '30s' }],
      },
      nodes: [
        agent({ timeout_seconds: 1.5, routes: [{ to: 'b' }] }),
        agent({ model: 'sim/n', timeout_seconds: 1.5 }, 'b'),
      ],
      steps: [
        {
          exit: 4,
          says: { error: { kind: 'limit.node_timeout', location: { node: 'b' } } },
          calls: [
            'sim/m provider.rate_limited',
            'sim/m ok',
            'sim/n provider.rate_limited',
            'sim/n cancelled.call',
          ],
        },
      ],
    },
    {
      it: 'a call that goes first and is stopped leaves the model to the next try',
      models: {
        m: [fail('provider.rate_limited', 0.02), { answer: 'late', delay: '30s' }, { answer: 'x' }],
      },
      nodes: [
        agent({
          timeout_seconds: 1.5,
          routes: [{ to: '$end' }, { on_error: 'limit.node_timeout', retry: RETRY }],
        }),
      ],
      steps: [
        {
          says: { output: { result: 'x' } },
          calls: ['sim/m provider.rate_limited', 'sim/m cancelled.call', 'sim/m ok'],
        },
      ],
    },
  ]);
});
