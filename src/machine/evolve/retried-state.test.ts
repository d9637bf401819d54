/** What the failed try of a node wrote into the shared state is undone when the node begins anew. */
import { describe, expect, it } from 'vitest';
import { Stage } from '../conversation/conversation.cases.ts';
import { rehearse } from '../harness.cases.ts';

const STATE = `
  state:
    sum: {type: number, default: 0, merge: sum}
    list: {type: array, default: [], merge: append}
    set: {type: array, default: [], merge: union}
    latest: {type: number, default: 0}
output: {sum: "{{ state.sum }}", list: "{{ state.list }}", set: "{{ state.set }}", latest: "{{ state.latest }}"}`;
const WRITES = 'state: {sum: 5, list: ["x"], set: ["x"], latest: 5}';
const ONCE = { sum: 5, list: ['x'], set: ['x'], latest: 5 };
const AGAIN = 'retry: {max: 3, backoff: none}';

/** Writes, and finds no route at the first two tries. */
const UNROUTED = `{name: a, type: set, value: 1, ${WRITES}, routes: [{to: $end, when: "{{ attempt > 1 }}"}]}`;
const NO_MATCH = `  on_error: [{on_error: route.no_match, ${AGAIN}}]`;

describe('the state that a node wrote before none of its routes could be taken', () => {
  it('is counted once after a retry', () => {
    const { state } = rehearse(
      `workflow:\n  name: t\n  entry_point: a\n${NO_MATCH}${STATE}\nnodes: [${UNROUTED}]`,
    );
    expect(state.output).toEqual(ONCE);
  });

  it('is counted once in a member, and what the members beside it wrote is kept', () => {
    const { state } = rehearse(`
workflow:
  name: t
  entry_point: g
${NO_MATCH}${STATE}
nodes:
  - ${UNROUTED}
  - {name: b, type: set, value: 1, state: {sum: 2, list: ["y"], set: ["y"]}}
parallel: [{name: g, agents: [a, b]}]`);
    expect(state.output).toEqual({ ...ONCE, sum: 7, list: ['y', 'x'], set: ['y', 'x'] });
  });
});

describe('the state that the members of a failed group wrote', () => {
  it('is counted once after a retry of the group', () => {
    const { state, story } = rehearse(
      `
workflow:
  name: t
  entry_point: g${STATE}
nodes:
  - {name: a, type: set, value: 1, ${WRITES}}
  - {name: b, type: call, function: f}
parallel: [{name: g, agents: [a, b], failure_mode: all_or_nothing, routes: [{to: $end}, {on_error: true, ${AGAIN}}]}]`,
      { effects: failsTwice() },
    );
    expect(story.filter((each) => each === 'node:completed g[a]/a')).toHaveLength(3);
    expect(state.output).toEqual(ONCE);
  });
});

describe('the state that the members of a group inside a member wrote', () => {
  it('is counted once after a retry of the inner group', () => {
    const { state } = rehearse(
      `
workflow:
  name: t
  entry_point: f${STATE}
nodes:
  - {name: a, type: set, value: 1, ${WRITES}}
  - {name: b, type: call, function: f}
  - {name: beside, type: set, value: 1, state: {sum: 2, list: ["y"], set: ["y"]}}
parallel:
  - {name: g, agents: [a, b], failure_mode: all_or_nothing, routes: [{to: $end}, {on_error: true, ${AGAIN}}]}
  - {name: f, agents: [g, beside]}`,
      { effects: failsTwice() },
    );
    expect(state.output).toEqual({ ...ONCE, sum: 7, list: ['y', 'x'], set: ['y', 'x'] });
  });
});

describe('the state that the rounds of a failed supervisor wrote', () => {
  const FAILS = { fail: { kind: 'provider.auth' } };
  const ROUND = { answer: { next: 'b' } };
  const DONE = { answer: { next: 'done' } };

  function supervised(models: readonly object[], routes: readonly object[] = []): object {
    return {
      workflow: {
        name: 't',
        entry_point: 'a',
        state: { sum: { type: 'number', default: 0, merge: 'sum' } },
        runtime: { simulate: { m: models } },
      },
      nodes: [
        {
          name: 'a',
          type: 'supervisor',
          model: 'sim/m',
          prompt: 'Who?',
          manages: ['b'],
          routes: [{ to: '$end' }, ...routes],
        },
        { name: 'b', type: 'set', value: 1, state: { sum: 1 }, routes: [{ to: '$end' }] },
      ],
      output: { sum: '{{ state.sum }}' },
    };
  }

  it('is undone by a retry, which begins its conversation anew', () => {
    const retry = { on_error: true, retry: { max: 1, backoff: 'none' } };
    const stage = new Stage(supervised([ROUND, FAILS, ROUND, DONE], [retry])).play();
    expect(stage.events.at(-1)).toMatchObject({ type: 'run:completed', output: { sum: 1 } });
  });

  it('is kept by a resume, which continues its conversation', () => {
    const stage = new Stage(supervised([ROUND, FAILS, ROUND, DONE])).play();
    stage.take({ type: 'run:resumed', by: 'test' });
    expect(stage.play().events.at(-1)).toMatchObject({ type: 'run:completed', output: { sum: 2 } });
  });
});

function failsTwice(): () => 1 | { fail: { kind: string; message: string } } {
  let calls = 0;
  return () => (++calls > 2 ? 1 : { fail: { kind: 'order.missing', message: 'no' } });
}
