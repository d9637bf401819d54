/** Replies of a simulated model: scripts with rules, numbers that are too large, unknown tools. */
import { describe, expect, it } from 'vitest';
import type { EventBody } from '../state/events.ts';
import { judgeCall } from '../conversation/agent-tools.ts';
import { Stage, type StageOptions } from '../conversation/conversation.cases.ts';

const OPTIONS: StageOptions = {
  describes: {
    look: { isDeclared: true, isIdempotent: true, writes: false },
    secret: { isDeclared: true, isIdempotent: true, writes: true },
  },
  tools: { look: () => ({ found: 1 }) },
};

function workflow(models: object, node: object = {}): object {
  return {
    workflow: { name: 't', entry_point: 'a', runtime: { simulate: models } },
    nodes: [{ name: 'a', model: 'sim/m', prompt: 'hi', ...node }],
  };
}

function endingOf({ events }: Stage): EventBody | undefined {
  return events.findLast(({ type }) => type === 'node:failed' || type === 'node:completed');
}

describe('a script with rules on the prompt', () => {
  const answers = (prompt: string, m: readonly object[]): unknown => {
    const { state } = new Stage({
      workflow: { name: 't', entry_point: 'a', runtime: { simulate: { m } } },
      nodes: [
        { name: 'a', model: 'sim/m', prompt, tools: [], routes: [{ to: 'b' }] },
        { name: 'b', model: 'sim/m', prompt: 'And then?', tools: [] },
      ],
      output: { a: '{{ a.output.result }}', b: '{{ b.output.result }}' },
    }).play();
    return state.output;
  };

  it('replies by the first rule that matches, and else in order', () => {
    const m = [
      { answer: 'in line' },
      { when: 'refund', answer: 'by rule' },
      { when: 'REFUND me', answer: 'never' },
    ];
    expect(answers('Please Refund me.', m)).toEqual({ a: 'by rule', b: 'in line' });
    expect(answers('Hello.', m)).toEqual({ a: 'in line', b: 'in line' });
  });
});

describe('a number that is too large', () => {
  const play = (m: readonly object[]): Stage =>
    new Stage(workflow({ m }, { output: { total: { type: 'number' } } }), OPTIONS).play();

  it('and a key that is there twice are sent back', () => {
    const right = play([{ answer: '{"total": 1, "total": 2}' }, { answer: '{"total": 2}' }]);
    expect(endingOf(right)).toMatchObject({ type: 'node:completed', output: { total: 2 } });
    expect(right.done).toHaveLength(2);
  });

  it.each([
    '{"total": 12345678901234567890}',
    '{"total": 1e400}',
    '{"total": -1e999}',
    '```json\n{"total": 1e400}\n```',
  ])('is sent back like any output that does not match its schema: %s', (answer) => {
    const right = play([{ answer }, { answer: '{"total": 1e40}' }]);
    expect(endingOf(right)).toMatchObject({ type: 'node:completed', output: { total: 1e40 } });
    expect(right.done).toHaveLength(2);
    const wrong = play([{ answer }]);
    expect(endingOf(wrong)).toMatchObject({ error: { kind: 'agent.output_invalid' } });
  });

  it('is text in a reply without a schema, and in an error that a model raises', () => {
    const plain = new Stage(workflow({ m: [{ answer: '{"total": 1e400}' }] }), OPTIONS).play();
    expect(endingOf(plain)).toMatchObject({ output: { result: '{"total": 1e400}' } });
    const raise =
      '{"errand_error": true, "kind": "sum.off", "message": "m", "details": {"n": 1e400}}';
    const raised = new Stage(workflow({ m: [{ answer: raise }] }), OPTIONS).play();
    expect(endingOf(raised)).toMatchObject({
      error: { kind: 'sum.off', details: { n: '1e400' } },
    });
  });
});

describe('arguments of a call with a number that would lose digits', () => {
  const { plan } = new Stage(
    workflow({ m: [{ answer: 'x' }] }, { tools: ['look'] }),
    OPTIONS,
  ).play().state;
  const unparsable = '{"key":"k","value":12345678901234567890}';

  it.each(['look', 'write_state'])('are sent back, and the number is named: %s', (name) => {
    const [node] = plan.nodes.values();
    if (node?.type !== 'agent') throw new Error('no agent');
    const verdict = judgeCall(node, OPTIONS.describes ?? {}, { id: '1', name, unparsable });
    expect(verdict).toMatchObject({
      type: 'refuse',
      failure: {
        kind: 'tool.input_invalid',
        outcome: 'not_started',
        message: `The arguments of ${name} contain the number 12345678901234567890 at /value, which is too large to be exact; write it as text`,
      },
    });
  });
});

describe('a model that calls tools that were not offered', () => {
  const call = (name: string, args: object): object => ({
    tool_calls: [{ name, arguments: args }],
  });
  const play = (node: object, m: readonly object[]): Stage =>
    new Stage(
      {
        workflow: { name: 't', entry_point: 'a', runtime: { simulate: { m } } },
        nodes: [
          { name: 'a', model: 'sim/m', prompt: 'hi', ...node },
          { name: 'b', type: 'set', value: 1 },
        ],
      },
      OPTIONS,
    ).play();

  it('sees the error three times, whether the tools exist or not, and then fails', () => {
    const m = [1, 2, 3, 4, 5].map((n) => call(n === 2 ? 'nobody' : 'secret', { n }));
    const { state, done } = play({ tools: [] }, m);
    expect(state.error?.kind).toBe('agent.output_invalid');
    expect(done).toHaveLength(4);
  });

  it('is corrected as a supervisor as often as for any invalid reply', () => {
    const supervisor = { type: 'supervisor', manages: ['b'] };
    const wrong = play(supervisor, [call('look', {})]);
    expect(wrong.state.error?.kind).toBe('supervisor.routing');
    expect(wrong.done).toHaveLength(3);
    const right = play(supervisor, [call('look', {}), { answer: { next: 'done' } }]);
    expect(right.state.status).toBe('completed');
  });
});
