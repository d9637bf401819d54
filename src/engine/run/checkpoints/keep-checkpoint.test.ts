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

const SHORT = { added: 400, viewSeq: 0 };

it.each([
  { leg: 'a short leg of a short run', seq: 499, added: 499, viewSeq: 0, worth: 'nothing' },
  { leg: 'a long leg of a short run', seq: 500, added: 500, viewSeq: 0, worth: 'state' },
  { leg: 'the only leg of a long run', seq: 20_000, added: 20_000, viewSeq: 0, worth: 'view' },
  { leg: 'a short leg that makes a run long', ...SHORT, seq: 20_000, worth: 'view' },
  {
    leg: 'a short leg after others that have added a quarter since the view was saved',
    ...SHORT,
    seq: 40_000,
    viewSeq: 30_000,
    worth: 'view',
  },
  {
    leg: 'a leg that adds less',
    seq: 40_000,
    added: 9999,
    viewSeq: 30_001,
    worth: 'state',
  },
  {
    leg: 'a short leg of a very long run',
    seq: 100_000,
    added: 100,
    viewSeq: 99_000,
    worth: 'nothing',
  },
] as const)('of $leg the right part is saved: $worth', ({ seq, added, viewSeq, worth }) => {
  const ended = { state: at(seq, 'paused'), checkpointSeq: seq - added, viewSeq };
  expect(worthSaving(ended, {})).toBe(worth);
});

it.each([
  { seq: 19_999, worth: 'nothing' },
  { seq: 20_000, worth: 'view' },
] as const)('of a run that has completed only a view is saved: $seq events', ({ seq, worth }) => {
  expect(worthSaving({ state: at(seq, 'completed'), checkpointSeq: 0, viewSeq: 0 }, {})).toBe(
    worth,
  );
});

it('reads a log a few times in all, however many legs there are', () => {
  let [read, viewSeq, seq] = [0, 0, 0];
  while (seq < 1_000_000) {
    seq += 300;
    const worth = worthSaving({ state: at(seq, 'paused'), checkpointSeq: seq - 300, viewSeq }, {});
    if (worth !== 'view') continue;
    read += seq;
    viewSeq = seq;
  }
  expect(read / seq).toBeLessThan(4);
});
