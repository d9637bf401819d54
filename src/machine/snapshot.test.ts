import { describe, expect, it } from 'vitest';
import { simulate } from '../drivers/simulated.ts';
import { STORMY } from '../drivers/simulation/faults.ts';
import { drawPlan } from '../../test/simulation/plans.ts';
import { evolve } from './evolve.ts';
import { packState, SNAPSHOT_VERSION, unpackState } from './snapshot.ts';
import { hashValue } from '../workflow/hash.ts';
import { newRunState, newVisit, type RunState } from './state.ts';

/** Through JSON, as it travels. */
function copied(state: RunState): RunState {
  return unpackState(JSON.parse(JSON.stringify(packState(state))) as ReturnType<typeof packState>);
}

describe('a snapshot', () => {
  it.each([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])(
    'carries the run of plan %i on from any event to the same state',
    async (seed) => {
      const { plan } = await drawPlan(seed);
      const faults = { ...STORMY, cancels: 0, logDamaged: 0 };
      const { events, run } = await simulate(plan, { seed, faults, answers: 'any', maxLegs: 10 });
      const straight = newRunState(run, plan);
      let restored = newRunState(run, plan);
      for (const { seq: _seq, run: _run, at, ...body } of events) {
        for (const state of [straight, restored]) evolve(state, body, Date.parse(at));
        restored = copied(restored);
        expect(restored).toEqual(straight);
      }
      expect(restored.seq).toBe(events.length);
    },
  );

  it('writes once what is shared, and shares it again', () => {
    const state = newRunState('r', { name: 'x'.repeat(100) } as never);
    const output = { text: 'y'.repeat(500) };
    state.output = [output, output];
    const text = JSON.stringify(packState(state));
    expect(text.split(output.text)).toHaveLength(2);
    const [one, two] = copied(state).output as [unknown, unknown];
    expect(one).toEqual(output);
    expect(one).toBe(two);
  });

  it('keeps what JSON has no word for', () => {
    const state = newRunState('r', {} as never);
    state.nowMs = -Infinity;
    state.ready.add('a');
    state.finished.set('', new Set(['n']));
    state.output = { $: ['map', []], nested: { $: 1 } };
    const read = copied(state);
    expect(read.nowMs).toBe(-Infinity);
    expect([...read.ready]).toEqual(['a']);
    expect(read.finished.get('')).toEqual(new Set(['n']));
    expect(read.output).toEqual({ $: ['map', []], nested: { $: 1 } });
    expect(read.error).toBeUndefined();
  });

  it('has another version when a state has other parts', async () => {
    const { plan } = await drawPlan(1);
    const state = newRunState('r', plan);
    evolve(state, { type: 'run:started', workflow: plan.name, input: {} }, 0);
    const [scope] = state.scopes.values();
    const parts = [state, scope, newVisit('a', 'a', 1)].map((each) =>
      Object.keys(each ?? {}).toSorted(),
    );
    // a checkpoint of before would be taken for one of now: raise SNAPSHOT_VERSION with the digest
    expect({ version: SNAPSHOT_VERSION, digest: hashValue(parts) }).toMatchInlineSnapshot(`
      {
        "digest": "f2f4124690ffa516",
        "version": 3,
      }
    `);
  });
});
