/** The contract: the chain of models, and long waits. */
import { describe, expect } from 'vitest';
import { agent, call, fail, restsMs, rows, times, endsOf } from './table.ts';

const RETRY = { max: 2, backoff: 'none' };

describe('the chain', () => {
  const chain = (name: string, to: string, ...model: readonly (string | object)[]): object =>
    agent({ model, routes: [{ to }] }, name);
  const FILTERED = { model: 'sim/z', on: ['provider.content_filter'] };
  rows([
    {
      it: 'asks the next healthy entry at once and waits only when none is',
      models: {
        m: [fail('provider.rate_limited', 0.06), { answer: 'm' }],
        n: [fail('provider.overloaded', 30)],
      },
      nodes: [chain('a', '$end', 'sim/m', 'sim/n')],
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
      nodes: [chain('a', '$end', 'sim/m', 'sim/n')],
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
      it: 'a spent quota leads to any provider, a fatal failure only to a later entry that names it',
      models: {
        quota: [fail('provider.quota_exhausted')],
        filter: [fail('provider.content_filter')],
        bad: [fail('provider.invalid_request')],
        auth: [fail('provider.auth')],
      },
      nodes: [
        chain('a', 'b', 'sim/quota', { model: 'sim/x', on: ['provider.content_filter'] }),
        chain('b', 'c', 'sim/filter', 'sim/y', FILTERED),
        chain('c', 'd', 'sim/bad', { model: 'sim/any', on: 'any' }),
        chain('d', '$end', 'sim/auth', 'sim/y', FILTERED),
      ],
      steps: [
        {
          exit: 3,
          says: { error: { kind: 'provider.auth', location: { node: 'd' } } },
          calls: [
            'sim/quota provider.quota_exhausted',
            'sim/x ok',
            'sim/filter provider.content_filter',
            'sim/z ok',
            'sim/bad provider.invalid_request',
            'sim/any ok',
            'sim/auth provider.auth',
          ],
        },
      ],
    },
    {
      it: 'an open breaker is no request and no attempt; the next entry is asked at once',
      models: { m: [fail('provider.server_error', 0)] },
      nodes: [
        agent({ routes: [{ to: 'b' }, { on_error: 'provider.exhausted', to: 'b' }] }),
        chain('b', '$end', 'sim/m', 'sim/n'),
      ],
      steps: [
        {
          calls: [...times(5, 'sim/m provider.server_error'), 'sim/m breaker.open', 'sim/n ok'],
          events: ['breaker:changed', 'node:completed b'],
          look: (events) => {
            const refused = events.find(({ error }) => error?.kind === 'breaker.open');
            expect(refused).toMatchObject({
              type: 'effect:failed',
              error: { outcome: 'not_started' },
            });
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
      it: 'a file that changed meanwhile is asked with its new words and its new model',
      models: { m: [fail('provider.rate_limited', 3600)] },
      nodes: [agent()],
      steps: [
        { exit: 5 },
        {
          write: {
            't.yaml': JSON.stringify({
              workflow: { name: 't', entry_point: 'a' },
              nodes: [agent({ model: 'sim/n', prompt: 'the new words' })],
            }),
          },
          do: 'resume RUN',
          says: { output: { result: 'the new words' } },
          calls: ['sim/m provider.rate_limited', 'sim/n ok'],
        },
      ],
    },
    {
      it: 'with --wait it stays, and after a kill it waits on',
      models: { m: [fail('provider.rate_limited', 200)], n: [call('mark'), { answer: 'n' }] },
      // nothing but the wait keeps the process until then
      module: `export const mark = tool({ writes: false, run: () => { setTimeout(() => did('late'), 1500).unref(); return 1; } });`,
      nodes: [agent({}, 'p'), agent({ model: 'sim/n' }, 'q')],
      top: { parallel: [{ name: 'g', agents: ['p', 'q'] }] },
      header: { entry_point: 'g' },
      steps: [
        { do: 'run t.yaml --wait', isKilled: true },
        {
          do: 'resume RUN',
          exit: 5,
          says: { waiting: { reason: 'time', node: 'p', until: expect.stringMatching(/^20/) } },
          // the two are beside each other, so only the order in each is certain
          look: (events) => {
            const endsOfMember = (member: string): readonly string[] =>
              endsOf(events.filter(({ path }) => path?.startsWith(`g[${member}]`)));
            expect(endsOfMember('p')).toEqual(['sim/m provider.rate_limited']);
            expect(endsOfMember('q')).toEqual(['sim/n ok', 'mark ok', 'sim/n ok']);
          },
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
  ]);
});
