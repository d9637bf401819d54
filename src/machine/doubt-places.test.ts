/** What was left in doubt is asked about by whatever leads back to its place, under whatever key. */
import { describe, expect, it } from 'vitest';
import { rehearse, type Effects } from './harness.cases.ts';

const UNKNOWN = { kind: 'effect.outcome_unknown', message: 'Nobody knows' };

/** The first payment is in doubt; counts the executions of `pay`. */
function world(): { readonly effects: Effects; readonly paid: string[] } {
  const paid: string[] = [];
  const effects: Effects = ({ work, path, ref }) => {
    if (work.type === 'model') return model(work.call.ordinal);
    if (!path.endsWith('pay')) return {};
    paid.push(ref.key);
    return paid.length === 1 ? { fail: UNKNOWN } : {};
  };
  return { effects, paid };
}

const CHOICES = ['pay', 'pay', 'done'];
const model = (ordinal: number) => ({
  text: JSON.stringify({ next: CHOICES[ordinal] ?? 'done', reason: 'x' }),
  toolCalls: [],
});

const PAY = '{name: pay, type: script, command: x, args: ["{{ state.n }}"]';
const LIMITS = 'limits: {max_iterations: 6}, state: {n: {type: number, default: 0, merge: sum}}';

describe('an effect in doubt', () => {
  it.each([
    [
      'a loop',
      `workflow: {name: t, entry_point: pay, ${LIMITS}}
nodes:
  - ${PAY}, routes: [{to: $end}, {on_error: true, to: note}]}
  - {name: note, type: set, value: 1, state: {n: 1}, routes: [{to: pay}]}`,
    ],
    [
      'a group that runs again with other arguments',
      `workflow: {name: t, entry_point: g, ${LIMITS}}
nodes:
  - ${PAY}, routes: [{to: $end}, {on_error: true, to: bump}]}
  - {name: bump, type: set, value: 1, state: {n: 1}, routes: [{to: fail}]}
  - {name: fail, type: set, value: 1, assert: [{that: "{{ false }}", raise: my.own}]}
parallel: [{name: g, agents: [pay], routes: [{to: $end}, {on_error: group.failed, retry: {max: 2, backoff: none}}]}]`,
    ],
    [
      'another round of a supervisor',
      `workflow: {name: t, entry_point: s, ${LIMITS}}
nodes:
  - {name: s, type: supervisor, prompt: Go, model: sim/m, manages: [pay], max_rounds: 3}
  - ${PAY}, routes: [{to: $end}, {on_error: true, to: $end}]}`,
    ],
  ])('is not done again by %s', (_, text) => {
    const { effects, paid } = world();
    rehearse(text, { effects });
    expect(paid).toHaveLength(1);
  });
});
