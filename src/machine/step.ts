/** One step of a run: take what happened, decide until nothing more can be decided, say what to do. */
import type { Decision } from './completion.ts';
import { decide } from './decide.ts';
import type { EventBody, RunEvent } from './events.ts';
import { evolve } from './evolve.ts';
import type { RunState } from './state.ts';
import { setTimer, takeDue } from './timers.ts';

/** A step with more to decide than this is cut, and goes on in the next commit. */
const MAX_EVENTS = 1000;

/** The events of the step, in order: to be stored in one commit before any effect is dispatched. */
export function step(
  state: RunState,
  happened: readonly EventBody[],
  nowMs: number,
): readonly EventBody[] {
  const events = [...record(state, happened, nowMs)];
  for (const scope of takeDue(state.timers, nowMs))
    if (state.scopes.get(scope)?.isFrozen === false) state.ready.add(scope);
  while (events.length < MAX_EVENTS) {
    const decision = decide(state);
    if (decision === undefined) break;
    state.ready.delete(decision.scope);
    note(state, decision.scope, decision);
    for (const event of decision.events) {
      if (state.status !== 'running') break;
      evolve(state, event, nowMs);
      events.push(event);
    }
  }
  return events;
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
function note(state: RunState, id: string, { wakeAtMs, work }: Decision): void {
  const visit = state.scopes.get(id)?.visit;
  if (visit !== undefined) visit.wakeAtMs = wakeAtMs;
  if (visit !== undefined && work !== undefined) visit.work = work;
  if (wakeAtMs !== undefined) setTimer(state.timers, wakeAtMs, id);
}
