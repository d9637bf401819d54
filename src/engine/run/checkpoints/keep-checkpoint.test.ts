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
  { leg: 'a short leg of a short run', seq: 499, added: 499, worth: 'nothing' },
  { leg: 'a long leg of a short run', seq: 500, added: 500, worth: 'state' },
  { leg: 'a leg that adds a quarter', seq: 19_999, added: 5000, worth: 'state' },
  { leg: 'the only leg of a very long run', seq: 20_000, added: 20_000, worth: 'view' },
  {
    leg: 'a leg that adds a quarter of a very long run',
    seq: 40_000,
    added: 10_000,
    worth: 'view',
  },
  { leg: 'a leg that adds less', seq: 40_000, added: 9999, worth: 'nothing' },
] as const)('of $leg the right part is saved: $worth', ({ seq, added, worth }) => {
  const ended = { state: at(seq, 'paused'), checkpointSeq: seq - added };
  expect(worthSaving(ended, { keepsViews: true })).toBe(worth);
  expect(worthSaving(ended, {})).toBe(worth === 'view' ? 'state' : worth);
});

it.each([
  { seq: 19_999, worth: 'nothing' },
  { seq: 20_000, worth: 'view' },
] as const)('of a run that has completed only a view is saved: $seq events', ({ seq, worth }) => {
  const ended = { state: at(seq, 'completed'), checkpointSeq: 0 };
  expect(worthSaving(ended, { keepsViews: true })).toBe(worth);
  expect(worthSaving(ended, {})).toBe('nothing');
});

it('packs the events of a run a few times in all, however many legs there are', () => {
  let [packed, checkpointSeq, seq] = [0, 0, 0];
  while (seq < 1_000_000) {
    seq += 700;
    if (worthSaving({ state: at(seq, 'paused'), checkpointSeq }, {}) === 'nothing') continue;
    packed += seq;
    checkpointSeq = seq;
  }
  expect(packed / seq).toBeLessThan(5);
});
