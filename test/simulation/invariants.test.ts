/** The invariants of `decide`, by their numbers there, at every decision of many drawn runs. */
import { describe, expect, it } from 'vitest';
import { simulate } from '../../src/rehearsal/simulated-run.ts';
import { CALM } from '../../src/rehearsal/world/faults.ts';
import { decide } from '../../src/machine/decide/decide.ts';
import type { EventBody, RunEvent } from '../../src/machine/state/events.ts';
import { packState } from '../../src/machine/state/snapshot.ts';
import { newRunState, ROOT_SCOPE, type RunState } from '../../src/machine/state/state.ts';
import { applyDecision, recordEvents, wakeDueScopes } from '../../src/machine/decide/step.ts';
import { speak } from './conversation.ts';
import { bodyOf, countGiven } from '../../src/rehearsal/laws/replay.ts';
import { drawPlan } from './plans.ts';

const SEEDS = 150;
const RUNS_PER_PLAN = 5;

/** Effects fail in every way; processes and the store do not, so that each run is one leg. */
const FAULTS = {
  ...CALM,
  effectFails: 0.3,
  modelFails: 0.2,
  replyLost: 0.1,
  effectHangs: 0.1,
  partial: 0.2,
  serverFails: 0.2,
  storeSlow: 0.3,
  misanswers: 0.2,
  most: 10,
};

const met = { decisions: 0, silent: 0, ended: 0, whole: 0 };

/** One step as the machine makes it, with all its invariants checked. */
function lookedAt(state: RunState, given: readonly EventBody[], atMs: number): EventBody[] {
  const events = [...recordEvents(state, given, atMs)];
  wakeDueScopes(state);
  for (;;) {
    const before = picture(state);
    const decision = decide(state);
    expect(decide(state), 'I4: asked twice').toEqual(decision);
    expect(picture(state), 'I4: nothing is changed').toBe(before);
    if (decision === undefined) return events;
    expect(state.ready.has(decision.scope), 'I1: it is ready').toBe(true);
    const { seq } = state;
    const taken = applyDecision(state, decision);
    expect(state.seq, 'I2: every event is taken').toBe(seq + taken.length);
    events.push(...taken);
    met.decisions++;
  }
}

function picture(state: RunState): string {
  return JSON.stringify(packState(state));
}

/**
 * I1: a scope that is not ready has been decided, and is decided again when something happens to it.
 */
function expectSilence(state: RunState): void {
  for (const { id, isFrozen } of state.scopes.values()) {
    if (isFrozen) continue;
    state.ready.add(id);
    expect(decide(state)?.events ?? [], `I1: ${id} has nothing to say`).toEqual([]);
    state.ready.delete(id);
    met.silent++;
  }
}

function expectEnd(state: RunState): void {
  state.ready.add(ROOT_SCOPE);
  expect(decide(state), 'I3: an ended run decides nothing').toBeUndefined();
  met.ended++;
}

async function follow(seed: number): Promise<void> {
  const { plan } = await drawPlan(Math.floor(seed / RUNS_PER_PLAN));
  const options = { seed, faults: FAULTS, answers: 'any', speaker: speak, maxLegs: 1 } as const;
  const { run, commits } = await simulate(plan, options);
  const state = newRunState(run, plan);
  for (const commit of commits) {
    // written by the engine, and stored as JSON
    const events = commit.events as unknown as readonly RunEvent[];
    const bodies = events.map(bodyOf);
    const given = bodies.slice(0, countGiven(events));
    const decided = lookedAt(state, given, Date.parse(events[0]?.at ?? ''));
    // a call that the machine itself gave up looks like a result: the law of replays knows these
    if (JSON.stringify(decided) !== JSON.stringify(bodies)) return;
    if (state.status === 'running') expectSilence(state);
    else expectEnd(state);
  }
  met.whole++;
}

describe('the invariants', () => {
  it('hold at every decision', async () => {
    for (let seed = 0; seed < SEEDS; seed++) {
      try {
        await follow(seed);
      } catch (error) {
        throw new Error(`seed ${seed}`, { cause: error });
      }
    }
    expect(met.whole).toBeGreaterThan(SEEDS / 2);
    expect(Math.min(met.decisions, met.silent, met.ended)).toBeGreaterThan(SEEDS / 2);
  });

  it.each(['failed', 'completed'] as const)('I3: cancelled beats %s', async (ending) => {
    const { plan } = await drawPlan(1);
    const state = newRunState('r', plan);
    lookedAt(state, [{ type: 'run:started', workflow: plan.name, input: {} }], 0);
    state.effects.clear();
    state.cancelledBy = 'someone';
    const scope = state.scopes.get(ROOT_SCOPE);
    if (scope === undefined) throw new Error('the run has no scope');
    scope.result = ending === 'completed' ? { output: 1 } : { error: { kind: 'x.y' } as never };
    state.ready.add(ROOT_SCOPE);
    expect(decide(state)?.events).toEqual([{ type: 'run:cancelled', by: 'someone' }]);
  });
});
