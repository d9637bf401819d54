import { describe, expect, it } from 'vitest';
import { simulate } from '../../rehearsal/simulated-run.ts';
import { STORMY } from '../../rehearsal/world/faults.ts';
import { runs } from '../../../test/runs.ts';
import { drawPlan } from '../../../test/simulation/plans.ts';
import { evolve } from '../evolve/evolve.ts';
import { packState, SNAPSHOT_VERSION, unpackState } from './snapshot.ts';
import { hashValue } from '../../workflow/plan/stable-hash.ts';
import { newRunState, newVisit, type RunState } from './state.ts';

/** Copies the state through JSON, as an engine stores it. */
function copied(state: RunState): RunState {
  return unpackState(JSON.parse(JSON.stringify(packState(state))) as ReturnType<typeof packState>);
}

describe('a snapshot', () => {
  it.each(Array.from({ length: runs(10) }, (_, index) => index + 1))(
    'restores the run of plan %i at any event to the same state',
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

  it('writes a shared value once, and shares it again after reading', () => {
    const state = newRunState('r', { name: 'x'.repeat(100) } as never);
    const output = { text: 'y'.repeat(500) };
    state.output = [output, output];
    const text = JSON.stringify(packState(state));
    expect(text.split(output.text)).toHaveLength(2);
    const [one, two] = copied(state).output as [unknown, unknown];
    expect(one).toEqual(output);
    expect(one).toBe(two);
  });

  it('keeps values that JSON cannot express', () => {
    const state = newRunState('r', {} as never);
    state.nowMs = -Infinity;
    state.ready.add('a');
    const finishedInside = new Map([['', new Set(['n'])]]);
    state.scopes.set('', { visitLog: [{ finishedInside }] } as never);
    state.approvals.set('n', 1);
    state.output = { $: ['map', []], nested: { $: 1 } };
    const read = copied(state);
    expect(read.nowMs).toBe(-Infinity);
    expect([...read.ready]).toEqual(['a']);
    expect(read.scopes.get('')?.visitLog).toEqual([{ finishedInside }]);
    expect(read.approvals.get('n')).toBe(1);
    expect(read.output).toEqual({ $: ['map', []], nested: { $: 1 } });
    expect(read.error).toBeUndefined();
  });

  it('has a new version when the keys of a state change', async () => {
    const { plan } = await drawPlan(1);
    const state = newRunState('r', plan);
    evolve(state, { type: 'run:started', workflow: plan.name, input: {} }, 0);
    const [scope] = state.scopes.values();
    const parts = [state, scope, newVisit('a', 'a', 1)].map((each) =>
      Object.keys(each ?? {}).toSorted(),
    );
    // an old checkpoint would be read as a new one: raise SNAPSHOT_VERSION with the digest
    expect({ version: SNAPSHOT_VERSION, digest: hashValue(parts) }).toMatchInlineSnapshot(`
      {
        "digest": "2776ed213bc574da",
        "version": 13,
      }
    `);
  });
});
