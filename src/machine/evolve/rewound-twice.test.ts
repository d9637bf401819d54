/** A node that an earlier rewind took out of the history has not run: no later rewind may begin there. */
import { describe, expect, it } from 'vitest';
import { rehearse } from '../harness.cases.ts';
import { step } from '../decide/step.ts';
import { findVisited } from './reopen.ts';
import type { RunState } from '../state/state.ts';

const HEAD = 'workflow: {name: t, entry_point: ENTRY, input: {isBad: {type: boolean}}}';
const STEPS = `
  - {name: a, type: set, value: 1, assert: [{that: "{{ not workflow.input.isBad }}"}], routes: [{to: b}]}
  - {name: b, type: set, value: 1, routes: [{to: c}]}
  - {name: c, type: set, value: 1, assert: [{that: "{{ not workflow.input.isBad }}"}]}`;

const PLACES = {
  'a run': { prefix: '', text: `${HEAD.replace('ENTRY', 'a')}\nnodes:${STEPS}` },
  'a member': {
    prefix: 'g[a]/',
    text: `${HEAD.replace('ENTRY', 'g')}
nodes:${STEPS}
  - {name: gate, type: human_gate, prompt: Go on?, options: [{label: y, value: y}]}
parallel: [{name: g, agents: [a, gate], failure_mode: all_or_nothing}]`,
  },
};

function rewind(state: RunState, from: string, isBad: boolean): void {
  step(state, [{ type: 'run:resumed', by: 'test', from, input: { isBad } }], state.nowMs);
}

describe.each(Object.entries(PLACES))('in %s', (_, { prefix, text }) => {
  const isThere = (state: RunState, node: string): boolean =>
    findVisited(state, `${prefix}${node}`) !== undefined;

  it('a node after the one that was rewound to is no place to rewind to', () => {
    const { state } = rehearse(text, { input: { isBad: false } });
    expect(['a', 'b', 'c'].map((node) => isThere(state, node))).toEqual([true, true, true]);
    rewind(state, `${prefix}a`, true);
    expect(['a', 'b', 'c'].map((node) => isThere(state, node))).toEqual([true, false, false]);
  });

  it('it is one again when it has run again', () => {
    const { state } = rehearse(text, { input: { isBad: false } });
    rewind(state, `${prefix}a`, true);
    rewind(state, `${prefix}a`, false);
    expect(['a', 'b', 'c'].map((node) => isThere(state, node))).toEqual([true, true, true]);
  });
});
