/** Regressions that the simulation found over many seeds, each as a test of its own. */
import { describe, expect, it } from 'vitest';
import { buildReport } from '../errors/report/build.ts';
import { chooseModel, newChain, noteFailure } from './policy/model-chain.ts';
import type { EventBody, RunEvent } from './state/events.ts';
import { rehearse } from './harness.cases.ts';
import { costsOf } from '../history/cost-ledger.ts';
import { nodeAtPath } from '../history/node-at-path.ts';
import { step } from './decide/step.ts';
import { Stage } from './conversation/conversation.cases.ts';

function failed(kind: string): ReturnType<typeof buildReport> {
  return buildReport({ kind, message: 'x' }, { stamp: { id: 'e', at: '' } });
}

describe('a chain after a fatal failure', () => {
  const chain = newChain([
    { model: 'sim/a' },
    { model: 'sim/b', on: ['provider.content_filter'] },
    { model: 'sim/c' },
  ]);
  const context = { nowMs: 0, isTakenOver: false, words: [], maxAttempts: 6 };

  it('waits for the entry that names it, even when a later one is healthy', () => {
    expect(noteFailure(chain, 'sim/a', failed('provider.content_filter'), context)).toBe(true);
    const pauses = (model: string): number => (model === 'sim/b' ? 5000 : 0);
    expect(chooseModel(chain, 0, pauses)).toEqual({ type: 'wait', untilMs: 5000 });
    expect(chooseModel(chain, 5000, pauses)).toEqual({ type: 'ask', model: 'sim/b' });
  });

  it('moves to that one when the other fails transiently', () => {
    noteFailure(chain, 'sim/b', failed('provider.overloaded'), context);
    expect(chooseModel(chain, 0, () => 0)).toEqual({ type: 'ask', model: 'sim/c' });
  });
});

describe('the cost ledger', () => {
  it('counts a call that was lost twice with its estimate, each time', () => {
    const effect = { key: 'k', type: 'model', target: 'sim/m' } as const;
    const asked: EventBody = {
      type: 'effect:requested',
      node: 'a',
      path: 'a',
      effect,
      attempt: 0,
      reserves: { usdMicros: 40, tokens: 4 },
    };
    const again: EventBody = { type: 'effect:requested', node: 'a', path: 'a', effect, attempt: 1 };
    const log = [asked, again, { ...again, attempt: 2 }].map((body, index): RunEvent => ({
      ...body,
      seq: index + 1,
      run: 'r',
      at: '2026-03-01T12:00:00Z',
    }));
    expect(costsOf(log).totalUsdMicros).toBe(120);
  });
});

describe('a run that failed', () => {
  it('ends when it is resumed, although a member had failed before the group did', () => {
    const { state, events } = rehearse(
      `
workflow: {name: t, entry_point: g}
nodes:
  - {name: x, type: script, command: x}
  - {name: y, type: call, function: f, routes: [{to: $end}, {on_error: call.failed, halt: true}]}
parallel: [{name: g, agents: [x, y], failure_mode: continue_on_error, routes: [{to: $end}]}]
`,
      {
        effects: ({ work }) => ({
          fail: {
            kind: work.type === 'call' ? 'call.failed' : 'internal.script_error',
            message: 'x',
          },
        }),
      },
    );
    expect(events.at(-1)).toMatchObject({ error: { kind: 'halt.intentional' } });
    step(state, [{ type: 'run:resumed', by: 'test' }], state.nowMs);
    for (const { scope, effect } of state.effects.values())
      step(
        state,
        [
          {
            type: 'effect:succeeded',
            node: effect.type === 'call' ? 'y' : 'x',
            path: `${scope}/${effect.type === 'call' ? 'y' : 'x'}`,
            effect,
            output: {},
          },
        ],
        state.nowMs,
      );
    expect(state.status).toBe('completed');
  });

  it('lets an agent that was stopped with it resume where it was', () => {
    const stage = new Stage({
      workflow: { name: 't', entry_point: 'g' },
      nodes: [
        { name: 'x', model: 'sim/m', prompt: 'hi' },
        {
          name: 'y',
          type: 'set',
          value: 1,
          assert: [{ that: '{{ false }}' }],
          routes: [{ to: '$end' }, { on_error: true, halt: true }],
        },
      ],
      parallel: [{ name: 'g', agents: ['x', 'y'] }],
    });
    expect(stage.state.status).toBe('failed');
    stage.take({ type: 'run:resumed', by: 'test' });
    const asked = stage.events.filter(({ type }) => type === 'effect:requested');
    const started = stage.events.filter(
      (event) => event.type === 'node:started' && event.node === 'x',
    );
    expect([asked.length, started.length]).toEqual([2, 1]);
  });
});

describe('a group in a file of its own', () => {
  it('is located there, and not at the same line of the workflow', () => {
    const { state } = rehearse(
      `
workflow: {name: t, entry_point: both}
parallel: [!file group.yaml]
nodes:
  - {name: a, type: call, function: f}
  - {name: b, type: call, function: f}
`,
      {
        files: { 'group.yaml': 'name: both\nagents: [a, b]\n' },
        effects: () => ({ fail: { kind: 'order.missing', message: 'No such order' } }),
      },
    );
    expect(state.error).toMatchObject({
      kind: 'group.failed',
      location: { file: 'group.yaml', line: 1, node: 'both' },
      frames: [{ node: 'both' }],
    });
  });
});

describe('a list of lists', () => {
  const NESTED = `
workflow: {name: t, entry_point: outer}
for_each:
  - name: outer
    source: '{{ workflow.input.rows }}'
    as: row
    agent:
      name: inner
      type: for_each
      source: '{{ row }}'
      as: cell
      agent: {name: leaf, type: call, function: f, arguments: {cell: '{{ cell }}'}}
`;

  it('runs as a group in a group', () => {
    const { state } = rehearse(NESTED, {
      input: { rows: [[1, 2], [3]] },
      effects: ({ work }) => (work.type === 'call' ? (work.arguments['cell'] ?? null) : null),
    });
    expect(state).toMatchObject({
      status: 'completed',
      output: { outputs: [{ outputs: [1, 2] }, { outputs: [3] }] },
    });
    expect(nodeAtPath(state.plan, 'outer[1]/inner[0]/leaf')?.node.name).toBe('leaf');
  });
});

describe('an agent that waits for an approval and is no agent any more', () => {
  const file = (node: object): object => ({
    workflow: {
      name: 't',
      entry_point: 'a',
      runtime: { simulate: { m: [{ tool_calls: [{ name: 'pay', arguments: {} }] }] } },
    },
    nodes: [{ name: 'a', ...node }],
  });
  const describes = { pay: { isDeclared: true, isIdempotent: false, writes: true } };

  it('asks no one any more when its run is resumed with the new file', () => {
    const agent = { prompt: 'Pay', model: 'sim/m', tools: ['pay'], policy: { ask: ['pay'] } };
    const stage = new Stage(file(agent), { describes }).play();
    expect([...stage.state.gates.keys()]).toEqual(['a/pay#1.1']);
    const { plan } = new Stage(file({ type: 'call', function: 'f' }));
    const late = { gate: 'a/pay#1.1', value: 'approve', by: 'test' };
    stage.take(
      { type: 'run:resumed', by: 'test', plan },
      // an answer that comes with the resume, and is checked before it
      { type: 'gate:answered', node: 'a', path: 'a', ...late },
    );
    expect([...stage.state.gates.keys()]).toEqual([]);
    expect(stage.play().state).toMatchObject({ status: 'completed', output: null });
    expect(stage.done).toHaveLength(2);
  });
});

describe('an agent whose failure is asked about and whose text has changed since', () => {
  const file = (prompt: string): object => ({
    workflow: {
      name: 't',
      entry_point: 'a',
      runtime: { simulate: { m: [{ fail: { kind: 'provider.auth' } }, { answer: { n: 2 } }] } },
    },
    nodes: [
      {
        name: 'a',
        prompt,
        model: 'sim/m',
        output: { n: { type: 'number' } },
        routes: [{ to: '$end' }, { on_error: true, ask: { options: ['edit', 'retry'] } }],
      },
    ],
  });

  it.each([
    ['edit', { edit: { n: 1 } }, { n: 1 }],
    ['retry', 'retry', { n: 2 }],
  ])('continues with the answer: %s', (_, value, output) => {
    const stage = new Stage(file('Old')).play();
    expect([...stage.state.gates.keys()]).toEqual(['a']);
    const { plan } = new Stage(file('New'));
    stage.take(
      { type: 'run:resumed', by: 'test', plan },
      { type: 'gate:answered', node: 'a', path: 'a', gate: 'a', value, by: 'test' },
    );
    expect(stage.play().state).toMatchObject({ status: 'completed', output });
  });
});

describe('a guard that fails', () => {
  it('is offered every route of the workflow, also after the first question expired', () => {
    const { story, state } = rehearse(
      `
workflow:
  name: t
  entry_point: a
  on_error:
    - {on_error: true, ask: {options: [retry, abort], timeout: 1m}}
    - {on_error: true, to: b}
nodes:
  - name: a
    type: call
    function: f
    routes:
      - {on_error: order.missing, when: '{{ nothing.at_all }}', to: b}
      - {on_error: order.late, to: b}
      - {to: $end}
  - {name: b, type: set, value: 1}
`,
      { effects: () => ({ fail: { kind: 'order.missing', message: 'No such order' } }) },
    );
    expect(story).toContain('gate:expired a');
    expect(state).toMatchObject({ status: 'completed', output: 1 });
  });
});

describe('a termination that fails', () => {
  it('ends its workflow, whatever the workflow’s own table says', () => {
    const { state } = rehearse(`
workflow: {name: t, entry_point: a, on_error: [{on_error: true, to: $end}]}
nodes: [{name: a, type: terminate, status: failed, reason: Enough}]
`);
    expect(state.error?.kind).toBe('terminate.failed');
  });
});

describe('a budget that is used up before a model is called again', () => {
  it('fails with the failure of the model as its cause', () => {
    const cut = { stream: ['x'], cut: true, usage: { output_tokens: 900 } };
    const node = { model: 'sim/m', on_partial: 'restart', budget: { tokens: 1500 } };
    const { state } = new Stage({
      workflow: { name: 't', entry_point: 'a', runtime: { simulate: { m: [cut] } } },
      nodes: [{ name: 'a', prompt: 'hi', ...node }],
    }).play();
    expect(state.error).toMatchObject({
      kind: 'limit.budget',
      cause: { kind: 'provider.stream_interrupted' },
    });
  });
});

describe('an agent that starts again after a person was asked about its calls', () => {
  const asks = { tool_calls: [{ name: 'pay', arguments: { to: 'ada' } }] };
  const simulate = { m: [asks, { answer: 'x' }, { answer: 'x' }, { answer: 'x' }, asks] };
  const describes = { pay: { isDeclared: true, isIdempotent: false, writes: true } };
  const agent = {
    name: 'a',
    prompt: 'Pay',
    model: 'sim/m',
    tools: ['pay'],
    policy: { ask: ['pay'] },
    output: { n: { type: 'number' } },
    routes: [{ to: '$end' }, { on_error: 'agent.output_invalid', retry: { max: 1 } }],
  };
  const header = { name: 't', entry_point: 'a', runtime: { simulate } };

  it('asks at a gate of another name, so that a late answer approves nothing', () => {
    const stage = new Stage({ workflow: header, nodes: [agent] }, { describes }).play();
    expect([...stage.state.gates.keys()]).toEqual(['a/pay#1.1']);
    stage.take({
      type: 'gate:answered',
      node: 'a',
      path: 'a',
      gate: 'a/pay#1.1',
      value: 'deny',
      by: 'test',
    });
    stage.play();
    expect([...stage.state.gates.keys()]).toEqual(['a/pay#2:1.1']);
    stage.take({
      type: 'gate:answered',
      node: 'a',
      path: 'a',
      gate: 'a/pay#2:1.1',
      value: 'approve',
      by: 'test',
    });
    stage.play();
    expect(stage.done.filter((each) => each.includes(' pay '))).toHaveLength(1);
  });
});
