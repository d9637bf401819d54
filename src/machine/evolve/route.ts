/** Applies a taken route: the scope moves to a node, waits, or ends. */
import { isNamed } from '../../workflow/check/routing.ts';
import {
  handleUnknownOutcome,
  OUTCOME_UNKNOWN,
  settleUnknownOutcomes,
} from '../policy/unknown-outcome.ts';
import { isPlainObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { RouteTaken } from '../state/events.ts';
import { fileOf, nodeOf, visitOf, workflowScope } from '../state/plan-lookup.ts';
import { offeredRoutes } from '../decide/offered-routes.ts';
import { dropInside, endScope, enterNode, freezeInside } from '../state/scopes.ts';
import { ROOT_SCOPE, type RunState, type Scope, type Visit } from '../state/state.ts';

export function applyRoute(state: RunState, scope: Scope, event: RouteTaken): void {
  const visit = visitOf(scope);
  switch (event.move) {
    case 'to':
      if (namesUnknownOutcome(state, scope, event)) handleUnknownOutcome(state, visit);
      followRoute(state, scope, visit, event);
      return;
    case 'retry':
      countRouteUse(visit, event);
      return;
    case 'halt':
      return;
    case 'ask':
      visit.routesTried = routePosition(state, scope, event) + 1;
      return;
    case 'park':
      countRouteUse(visit, event);
      if (event.kind === OUTCOME_UNKNOWN) settleUnknownOutcomes(state, visit);
      visit.attempt++;
      visit.phase =
        event.until === undefined
          ? { type: 'parked' }
          : { type: 'waiting', untilMs: Date.parse(event.until), why: 'park' };
      state.ready.add(scope.id);
      return;
    case 'propagate':
      endByRoute(state, scope, visit);
      return;
  }
}

function followRoute(state: RunState, scope: Scope, visit: Visit, event: RouteTaken): void {
  if (event.bucket !== 'success' && visit.error !== undefined)
    scope.failing = { node: visit.node, error: visit.error, output: visit.output ?? null };
  const isEnd = event.to === undefined || event.to === '$end';
  if (isEnd) {
    visit.error = undefined;
    endByRoute(state, scope, visit, event.output);
    return;
  }
  dropInside(state, visit);
  // nothing leads back to earlier calls
  if (scope.id === ROOT_SCOPE) state.finishedCalls.clear();
  scope.last = visit.node;
  enterNode(scope, event.to ?? '');
  state.ready.add(scope.id);
}

/** Whether the author of the file has decided what follows an unknown outcome here. */
function namesUnknownOutcome(state: RunState, scope: Scope, event: RouteTaken): boolean {
  if (event.kind !== OUTCOME_UNKNOWN) return false;
  const taken = offeredTo(state, scope, event)[routePosition(state, scope, event)];
  return taken !== undefined && isNamed(taken.route, OUTCOME_UNKNOWN);
}

/** Position of the route among those offered to the failure. */
function routePosition(state: RunState, scope: Scope, event: RouteTaken): number {
  return offeredTo(state, scope, event).findIndex(
    ({ route, bucket }) => bucket === event.bucket && route.index === event.rule,
  );
}

function offeredTo(state: RunState, scope: Scope, { node, kind = '' }: RouteTaken) {
  const file = fileOf(state.plan, scope.file);
  return offeredRoutes(file, nodeOf(file, node), kind);
}

/** A termination ends its whole workflow, from inside a group too. */
function endByRoute(state: RunState, scope: Scope, visit: Visit, over?: JsonObject): void {
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  const isTermination = node.type === 'terminate';
  const ending = isTermination ? workflowScope(state, scope) : scope;
  // inner scopes are kept where they may be resumed
  const leave = visit.error === undefined ? dropInside : freezeInside;
  if (ending !== scope && ending.visit !== undefined) leave(state, ending.visit);
  endScope(state, ending, {
    ...(visit.output === undefined ? {} : { output: visit.output }),
    ...(over === undefined ? {} : { output: laidOver(visit.output, over), over }),
    ...(visit.error === undefined ? {} : { error: visit.error }),
    ...(isTermination ? { isTerminated: true } : {}),
  });
}

function laidOver(output: JsonValue | undefined, over: JsonObject): JsonObject {
  return isPlainObject(output) ? { ...output, ...over } : over;
}

function countRouteUse({ routeUses: used }: Visit, { bucket, rule }: RouteTaken): void {
  if (rule === undefined) return;
  const route = `${bucket}:${rule}`;
  used.set(route, (used.get(route) ?? 0) + 1);
}
