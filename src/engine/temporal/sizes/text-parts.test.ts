import { expect, it } from 'vitest';
import { newRunState, type RunState } from '../../../machine/state/state.ts';
import { unpackState, type Snapshot } from '../../../machine/state/snapshot.ts';
import { workflow } from '../../../workflow/authoring/define.ts';
import { readParts, StateParts } from './text-parts.ts';

const { plan } = workflow({
  name: 'moving',
  entryPoint: 'a',
  nodes: [{ name: 'a', type: 'set', value: 1 }],
});

/** Larger than one part, and different at each event. */
function at(seq: number): RunState {
  return { ...newRunState('r', plan), seq, output: `${seq}`.repeat(2_000_000) };
}

it('gives one state, though the run moves on after each part', async () => {
  const state = at(1);
  const parts = new StateParts(state);
  let moves = 0;
  const text = await readParts((part, seq) => {
    const read = parts.part(part, seq);
    if (moves++ < 3) Object.assign(state, at(state.seq + 1));
    return Promise.resolve(read);
  });
  const { seq, output } = unpackState(JSON.parse(text) as Snapshot);
  expect(output).toBe(`${seq}`.repeat(2_000_000));
});

it('begins again where another worker has the state as it is by now', async () => {
  const state = at(1);
  let answers = 0;
  const text = await readParts((part, seq) => {
    if (answers++ === 1) Object.assign(state, at(2));
    return Promise.resolve(new StateParts(state).part(part, seq));
  });
  const read = unpackState(JSON.parse(text) as Snapshot);
  expect(read).toMatchObject({ seq: 2, output: '2'.repeat(2_000_000) });
});
