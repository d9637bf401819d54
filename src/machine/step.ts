/** One step of a run: take what happened, decide until nothing more can be decided, say what to do. */
import { decide, type DecisionFor } from './decide.ts';
import { neverBegun } from './endings.ts';
import type { EventBody, RunEvent } from './events.ts';
import { evolve } from './evolve.ts';
import type { RunState } from './state.ts';
import { beginStopping, endStopping, stoppedFor } from './stopping.ts';
import { setTimer, takeDue } from './timers.ts';

/** A step with more to decide than this is cut, and goes on in the next commit. */
const MAX_EVENTS = 1000;

/**
 * The events of the step, in order: to be stored in one commit before any effect is dispatched. They
 * are added to `events` as the state takes them, so that a decision that throws loses none before it.
 */
export function step(
  state: RunState,
  happened: readonly EventBody[],
  nowMs: number,
  events: EventBody[] = [],
): readonly EventBody[] {
  events.push(...record(state, happened, nowMs));
  wake(state);
  while (events.length < MAX_EVENTS) {
    const decision = decide(state);
    if (decision === undefined) break;
    events.push(...carryOut(state, decision));
  }
  return events;
}

/** The first step of a run, when nothing has begun: what is stopped in it never will. */
export function firstStep(
  state: RunState,
  started: EventBody,
  nowMs: number,
): readonly EventBody[] {
  const events = [...step(state, [started], nowMs)];
  for (;;) {
    const back = [...state.effects.values()]
      .filter((pending) => stoppedFor(state, pending) !== undefined)
      .map((pending) => neverBegun(state, pending));
    if (back.length === 0) return events;
    events.push(...step(state, back, nowMs));
  }
}

/** Whoever waited for this time looks again. */
export function wake(state: RunState): void {
  for (const scope of takeDue(state.timers, state.nowMs))
    if (state.scopes.get(scope)?.isFrozen === false) state.ready.add(scope);
}

/** The events of the decision that the state has taken: what ends a run is its last. */
export function carryOut(state: RunState, decision: DecisionFor): readonly EventBody[] {
  state.ready.delete(decision.scope);
  note(state, decision);
  for (const [index, event] of decision.events.entries()) {
    if (state.status !== 'running') return decision.events.slice(0, index);
    evolve(state, event, state.nowMs);
  }
  return decision.events;
}

/** Takes what happened and decides nothing. */
export function record(
  state: RunState,
  happened: readonly EventBody[],
  nowMs: number,
): readonly EventBody[] {
  state.nowMs = nowMs;
  for (const event of happened) evolve(state, event, nowMs);
  return happened;
}

/** Events that the state has taken last, as they are stored. */
export function stored(
  { run, seq }: RunState,
  bodies: readonly EventBody[],
  at: string,
): RunEvent[] {
  const first = seq - bodies.length + 1;
  // every event passes through here, and to spread it takes twice as long
  return bodies.map((body, index) => Object.assign({ seq: first + index, run, at }, body));
}

/** What follows from the log and is not in it. */
function note(state: RunState, decision: DecisionFor): void {
  const { scope: id, wakeAtMs, work, isHeldBack, ending, isEnded } = decision;
  if (ending !== undefined) beginStopping(state, id, ending);
  if (isEnded === true) endStopping(state, id);
  if (isHeldBack === true) state.heldBack.add(id);
  const visit = state.scopes.get(id)?.visit;
  if (visit !== undefined) visit.wakeAtMs = wakeAtMs;
  if (visit !== undefined && work !== undefined) visit.work = work;
  if (wakeAtMs !== undefined) setTimer(state.timers, wakeAtMs, id);
}
