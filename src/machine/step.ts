/** One step of a run: take what happened, decide until nothing more can be decided, say what to do. */
import { decide } from './decide.ts';
import type { EventBody } from './events.ts';
import { evolve } from './evolve.ts';
import type { RunState } from './state.ts';
import { setTimer, takeDue } from './timers.ts';

/** More decisions than this without anything from outside is a defect, not a workflow. */
const MAX_DECISIONS = 1_000_000;

/** The events of the step, in order: to be stored in one commit before any effect is dispatched. */
export function step(
  state: RunState,
  happened: readonly EventBody[],
  nowMs: number,
): readonly EventBody[] {
  const events: EventBody[] = [];
  const take = (event: EventBody): void => {
    evolve(state, event, nowMs);
    events.push(event);
  };
  state.nowMs = nowMs;
  for (const event of happened) take(event);
  for (const scope of takeDue(state.timers, nowMs))
    if (state.scopes.get(scope)?.isFrozen === false) state.ready.add(scope);
  for (let count = 0; count < MAX_DECISIONS; count++) {
    const decision = decide(state);
    if (decision === undefined) return events;
    state.ready.delete(decision.scope);
    if (decision.wakeAtMs !== undefined) wakeAt(state, decision.scope, decision.wakeAtMs);
    for (const event of decision.events) if (state.status === 'running') take(event);
  }
  return events;
}

function wakeAt(state: RunState, id: string, atMs: number): void {
  const visit = state.scopes.get(id)?.visit;
  if (visit !== undefined) visit.wakeAtMs = atMs;
  setTimer(state.timers, atMs, id);
}
