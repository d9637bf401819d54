/** One step of a run: records what happened, then decides until nothing more can be decided. */
import { decide, type DecisionFor } from './decide.ts';
import { stoppedBeforeStart } from './end-run.ts';
import type { EventBody, RunEvent } from '../state/events.ts';
import { evolve } from '../evolve/evolve.ts';
import type { RunState } from '../state/state.ts';
import { storableEvents } from '../state/storable.ts';
import { beginStopping, endStopping, stoppedFor } from './stop-effects.ts';
import { dropStaleTimers } from '../policy/deadlines.ts';
import { setTimer, takeDue } from '../state/timer-heap.ts';

/** A longer step is cut, and continues in the next commit. */
const MAX_EVENTS = 1000;

/**
 * Returns the events of the step, in order: store them in one commit before any effect starts. They
 * are added to `events` as the state takes them, so that none is lost when a decision throws.
 */
export function step(
  state: RunState,
  happened: readonly EventBody[],
  nowMs: number,
  events: EventBody[] = [],
): readonly EventBody[] {
  events.push(...recordEvents(state, happened, nowMs));
  wakeDueScopes(state);
  while (events.length < MAX_EVENTS) {
    const decision = decide(state);
    if (decision === undefined) break;
    events.push(...applyDecision(state, decision));
  }
  return events;
}

/** The first step of a run. No effect has started yet, so an effect that it stops never starts. */
export function firstStep(
  state: RunState,
  started: EventBody,
  nowMs: number,
): readonly EventBody[] {
  const events = [...step(state, [started], nowMs)];
  for (;;) {
    const back = [...state.effects.values()]
      .filter((pending) => stoppedFor(state, pending) !== undefined)
      .map((pending) => stoppedBeforeStart(state, pending));
    if (back.length === 0) return events;
    events.push(...step(state, back, nowMs));
  }
}

/** Makes the scopes ready whose timers are due. */
export function wakeDueScopes(state: RunState): void {
  dropStaleTimers(state);
  for (const scope of takeDue(state.timers, state.nowMs))
    if (state.scopes.get(scope)?.isFrozen === false) state.ready.add(scope);
}

/** Applies a decision; returns its events up to the one that ends the run. */
export function applyDecision(state: RunState, decision: DecisionFor): readonly EventBody[] {
  state.ready.delete(decision.scope);
  noteDecision(state, decision);
  const events = storableEvents(state, decision.events);
  let taken = 0;
  for (const event of events) {
    if (state.status !== 'running') return events.slice(0, taken);
    evolve(state, event, state.nowMs);
    taken++;
  }
  return events;
}

/** Applies what happened, as it is stored, and decides nothing. */
export function recordEvents(
  state: RunState,
  happened: readonly EventBody[],
  nowMs: number,
): readonly EventBody[] {
  state.nowMs = nowMs;
  const events = storableEvents(state, happened);
  for (const event of events) evolve(state, event, nowMs);
  return events;
}

/** Adds number, run and time to the latest events of the state. */
export function toStoredEvents(
  { run, seq }: RunState,
  bodies: readonly EventBody[],
  at: string,
): RunEvent[] {
  const first = seq - bodies.length + 1;
  // every event passes through here, and a spread takes twice as long
  return bodies.map((body, index) => Object.assign({ seq: first + index, run, at }, body));
}

/** Updates the parts of the state that are not in the log. */
function noteDecision(state: RunState, decision: DecisionFor): void {
  const { scope: id, wakeAtMs, input, isHeldBack, ending, isEnded } = decision;
  if (ending !== undefined) beginStopping(state, id, ending);
  if (isEnded === true) endStopping(state, id);
  if (isHeldBack === true) state.heldBack.add(id);
  const visit = state.scopes.get(id)?.visit;
  if (visit !== undefined) visit.wakeAtMs = wakeAtMs;
  if (visit !== undefined && input !== undefined) visit.input = input;
  if (wakeAtMs !== undefined) setTimer(state.timers, wakeAtMs, id);
}
