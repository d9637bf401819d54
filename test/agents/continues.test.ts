/** The contract: a conversation is not begun anew, and what is in doubt can be looked up. */
import { describe, expect } from 'vitest';
import { agent, call, fail, rows, type LoggedEvent } from './table.ts';

const PAY = `export const pay = tool({ writes: true,
  output: { type: 'object', properties: { receipt: { type: 'number' } }, required: ['receipt'] },
  run: ({ to }, { idempotencyKey }) => { did('paid ' + to); return { receipt: 7 }; } });`;

const PAYING = { m: [call('pay', { to: 'ada' }), fail('provider.auth'), { answer: 'done' }] };

const paid = { says: { output: { result: 'done' } }, did: ['paid ada'] };

/** Only where the model says the same once more does it happen once more. */
const clerk = (...routes: readonly object[]): object =>
  agent({
    tools: ['pay'],
    ...(routes.length === 0 ? {} : { routes: [{ to: '$end' }, ...routes] }),
  });

describe('an agent that has paid when its model fails', () => {
  rows([
    {
      it: 'continues where it was when the run is resumed',
      models: PAYING,
      module: PAY,
      nodes: [clerk()],
      steps: [
        { exit: 3, did: ['paid ada'] },
        {
          do: 'resume RUN',
          ...paid,
          calls: ['sim/m ok', 'pay ok', 'sim/m provider.auth', 'sim/m ok'],
          events: ['node:started a', 'node:failed a', 'node:started a', 'node:completed a'],
        },
      ],
    },
    {
      it: 'continues when a park is cut short',
      models: PAYING,
      module: PAY,
      nodes: [clerk({ on_error: 'provider.auth', park: { for: '1h' } })],
      steps: [{ exit: 5 }, { do: 'resume RUN --now', ...paid }],
    },
    {
      it: 'continues when a person says retry',
      models: PAYING,
      module: PAY,
      nodes: [clerk({ on_error: 'provider.auth', ask: { options: ['retry', 'abort'] } })],
      steps: [{ exit: 5 }, { do: 'answer RUN --value retry', ...paid }],
    },
    {
      it: 'continues inside a sub-workflow and a group',
      models: PAYING,
      module: PAY,
      files: {
        'child.yaml': JSON.stringify({
          workflow: { name: 'child', entry_point: 'c', module: './tools.ts' },
          nodes: [agent({ tools: ['pay'] }, 'c')],
        }),
      },
      nodes: [{ name: 'w', type: 'workflow', workflow: './child.yaml' }],
      header: { entry_point: 'g' },
      top: { parallel: [{ name: 'g', agents: ['w'], routes: [{ to: '$end' }] }] },
      steps: [{ exit: 3 }, { do: 'resume RUN', did: ['paid ada'] }],
    },
    {
      it: 'is answered from the log when a retry route begins it anew, without cost',
      models: {
        m: [
          call('pay', { to: 'ada' }),
          fail('provider.auth'),
          call('pay', { to: 'ada' }),
          call('pay', { to: 'bob' }),
          { answer: 'done' },
        ],
      },
      module: PAY,
      nodes: [clerk({ on_error: 'provider.auth', retry: { max: 1, backoff: 'none' } })],
      steps: [
        {
          says: { output: { result: 'done' } },
          did: ['paid ada', 'paid bob'],
          look: (events) => {
            const own = events.filter(({ effect }) => effect?.target === 'pay');
            expect(own.map(({ type, replayed }) => `${type} ${replayed === true}`)).toEqual([
              'effect:requested false',
              'effect:succeeded false',
              'effect:succeeded true',
              'effect:requested false',
              'effect:succeeded false',
            ]);
            expect(own[2]?.effect?.key).toBe(own[0]?.effect?.key);
          },
        },
        { do: 'costs RUN', says: { attempts: [{}, {}, {}, {}, {}, {}, {}] } },
      ],
    },
    {
      it: 'hears its new prompt, and keeps what it did',
      models: PAYING,
      module: PAY,
      nodes: [clerk()],
      steps: [
        { exit: 3 },
        {
          write: {
            't.yaml': JSON.stringify({
              workflow: {
                name: 't',
                entry_point: 'a',
                module: './tools.ts',
                runtime: { simulate: PAYING },
              },
              nodes: [agent({ tools: ['pay'], prompt: 'Pay her' })],
            }),
          },
          do: 'resume RUN',
          ...paid,
          look: (events) => {
            const asked = events.findLast(({ type }) => type === 'effect:requested');
            expect(asked).toMatchObject({ prompt: { text: 'Pay her' } });
          },
        },
      ],
    },
  ]);
});

const NOTIFY = `${PAY}
export const notify = tool({ writes: true,
  output: { type: 'object', properties: { sent: { type: 'boolean' } }, required: ['sent'] },
  run: (_, { attempt }) => {
    did('notify');
    return attempt === 0 ? new Promise((resolve) => setTimeout(resolve, 20000)) : { sent: true };
  } });`;

const NOTIFYING = {
  m: [call('lookup'), call('notify', { to: 'ada', password: 'hunter2' }), { answer: 'done' }],
};

const LOOKUP = `${NOTIFY}
export const lookup = tool({ writes: true, run: () => 1 });`;

function keyOf(events: readonly LoggedEvent[]): string {
  const asked = events.find(
    ({ type, effect }) => type === 'effect:requested' && effect?.target === 'notify',
  );
  return asked?.effect?.key ?? 'never asked for';
}

const inDoubt = {
  type: 'tool',
  target: 'notify',
  arguments: { to: 'ada', password: '[redacted]' },
};

describe('an agent that is killed in a call that may not be repeated', () => {
  const asked = {
    do: 'resume RUN',
    exit: 5,
    says: { waiting: { reason: 'outcome', node: 'a', inDoubt, all: [{ inDoubt }] } },
    look: (events: readonly LoggedEvent[]): void => {
      const opened = events.find(({ type }) => type === 'gate:opened');
      expect(opened).toMatchObject({ inDoubt: { ...inDoubt, key: keyOf(events) } });
      expect(opened?.['prompt']).toContain('notify with {"to":"ada","password":"[redacted]"}');
      expect(opened?.['prompt']).toContain(keyOf(events));
    },
  };
  const start = {
    models: NOTIFYING,
    module: LOOKUP,
    nodes: [agent({ tools: ['lookup', 'notify'] })],
  };
  rows([
    {
      it: 'repeats that call and no other',
      ...start,
      steps: [
        { isKilled: true },
        asked,
        { do: 'show RUN', says: { waiting: { inDoubt } } },
        {
          do: 'answer RUN --value repeat',
          says: { output: { result: 'done' } },
          did: ['notify', 'notify'],
          calls: [
            'sim/m ok',
            'lookup ok',
            'sim/m ok',
            'notify effect.outcome_unknown',
            'notify ok',
            'sim/m ok',
          ],
        },
        { do: 'audit RUN', says: [{ what: 'resume' }, { what: 'answer', inDoubt }] },
        {
          do: 'explain RUN',
          says: { life: [{ error: { details: { effect: 'tool', target: 'notify' } } }] },
        },
      ],
    },
    {
      it: 'sees what the call gave, in the form that the tool gives',
      ...start,
      steps: [
        { isKilled: true },
        asked,
        { do: ['answer', 'RUN', '--value', '{"edit": {"sent": "yes"}}'], exit: 2 },
        {
          do: ['answer', 'RUN', '--value', '{"edit": {"sent": true}}'],
          says: { output: { result: 'done' } },
          did: ['notify'],
        },
      ],
    },
    {
      it: 'is asked again after abort, and continues then',
      ...start,
      steps: [
        { isKilled: true },
        asked,
        { do: 'answer RUN --value abort', exit: 3 },
        { do: 'resume RUN', exit: 5, says: { waiting: { reason: 'outcome' } } },
        {
          do: 'answer RUN --value repeat',
          says: { output: { result: 'done' } },
          did: ['notify', 'notify'],
        },
      ],
    },
  ]);
});
