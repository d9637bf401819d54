/**
 * A run from its log: folded event by event, then asked what it was doing. An effect without a result
 * has an unknown outcome; it is asked again only where that is safe, and never silently.
 */
import { ErrandError } from '../errors/errand-error.ts';
import type { JsonObject } from '../errors/json.ts';
import { effectRequest } from '../machine/effect-request.ts';
import type { EventBody } from '../machine/events.ts';
import { evolve } from '../machine/evolve.ts';
import { failureAt } from '../machine/failure.ts';
import { scopeOf } from '../machine/plan-lookup.ts';
import { newRunState, type RunState } from '../machine/state.ts';
import type { RunStore } from '../machine/store-port.ts';
import type { WorkflowPlan } from '../workflow/model.ts';

export async function recover(store: RunStore, run: string, plan: WorkflowPlan): Promise<RunState> {
  const state = newRunState(run, plan);
  for await (const { events } of store.read(run)) for (const event of events) fold(state, event);
  // whatever was ready when the process ended is ready again; asking twice changes nothing
  for (const [id, { result, parent }] of state.scopes)
    if (result === undefined || parent === undefined) state.ready.add(id);
  return state;
}

/** The results of effects that nobody will ever hear of again. */
export function lostResults(state: RunState): readonly EventBody[] {
  return [...state.effects.values()].flatMap(({ scope: id, effect }): EventBody[] => {
    const scope = scopeOf(state, id);
    const request = effectRequest(state, scope);
    if (request === undefined || request.isIdempotent) return [];
    const error = failureAt(state, scope, request.node.name, {
      kind: 'effect.outcome_unknown',
      message: `${request.node.name} was under way when the run was interrupted; nobody knows how far it got`,
    });
    return [{ type: 'effect:failed', node: request.node.name, path: request.path, effect, error }];
  });
}

function fold(state: RunState, event: JsonObject): void {
  const { seq, run: _run, at, ...body } = event;
  if (seq !== state.seq + 1 || typeof at !== 'string') {
    throw new ErrandError({
      kind: 'store.corrupt',
      message: `The log of ${state.run} has something else where event ${state.seq + 1} should be`,
      details: { seq: seq ?? null },
    });
  }
  // written by this driver, and its form is held by the checksum of its row
  evolve(state, body as unknown as EventBody, Date.parse(at));
}
