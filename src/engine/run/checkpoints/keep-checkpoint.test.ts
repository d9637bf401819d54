import { expect, it } from 'vitest';
import { workflow } from '../../../workflow/authoring/define.ts';
import { newRunState, type RunState } from '../../../machine/state/state.ts';
import { worthSaving } from './keep-checkpoint.ts';

const { plan } = workflow({
  name: 'w',
  entryPoint: 'a',
  nodes: [{ name: 'a', type: 'set', value: 1 }],
});

function at(seq: number, status: RunState['status']): RunState {
  return Object.assign(newRunState('r', plan), { seq, status });
}

it.each([
  ['a short leg of a short run', 499, 0, 'paused', 'nothing'],
  ['a long leg of a short run', 500, 0, 'paused', 'state'],
  ['a long leg that completes a short run', 19_999, 0, 'completed', 'nothing'],
  ['the only leg of a very long run', 20_000, 0, 'completed', 'view'],
  ['a leg that adds half of a very long run', 40_000, 20_000, 'failed', 'view'],
  ['a leg that adds less', 40_000, 20_001, 'failed', 'state'],
  ['a short leg of a very long run', 100_000, 99_900, 'paused', 'nothing'],
] as const)('of %s the right part is saved', (_, seq, checkpointSeq, status, worth) => {
  expect(worthSaving({ state: at(seq, status), checkpointSeq }, {})).toBe(worth);
});
