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
  { leg: 'a short leg of a short run', seq: 499, from: 0, status: 'paused', worth: 'nothing' },
  { leg: 'a long leg of a short run', seq: 500, from: 0, status: 'paused', worth: 'state' },
  {
    leg: 'a leg that completes a short run',
    seq: 19_999,
    from: 0,
    status: 'completed',
    worth: 'nothing',
  },
  {
    leg: 'the only leg of a very long run',
    seq: 20_000,
    from: 0,
    status: 'completed',
    worth: 'view',
  },
  {
    leg: 'a leg that adds half of a long run',
    seq: 40_000,
    from: 20_000,
    status: 'failed',
    worth: 'view',
  },
  { leg: 'a leg that adds less', seq: 40_000, from: 20_001, status: 'failed', worth: 'state' },
  {
    leg: 'a short leg of a very long run',
    seq: 100_000,
    from: 99_900,
    status: 'paused',
    worth: 'nothing',
  },
] as const)('of $leg the right part is saved: $worth', ({ seq, from, status, worth }) => {
  expect(worthSaving({ state: at(seq, status), checkpointSeq: from }, {})).toBe(worth);
});
