/** What a route that was taken means: where its scope goes on, what it waits for, or that it ends. */
import { DOUBT, settleDoubts } from './doubt.ts';
import type { RouteTaken } from './events.ts';
import { fileOf, nodeOf, visitOf, workflowScope } from './plan-lookup.ts';
import { offeredRoutes } from './offered-routes.ts';
import { dropInside, endScope, enter, freezeInside } from './scopes.ts';
import { ROOT_SCOPE, type RunState, type Scope, type Visit } from './state.ts';

export function routed(state: RunState, scope: Scope, event: RouteTaken): void {
  const visit = visitOf(scope);
  switch (event.move) {
    case 'to':
      goTo(state, scope, visit, event);
      return;
    case 'retry':
      count(visit, event);
      return;
    case 'halt':
      return;
    case 'ask':
      visit.routesTried = placeOf(state, scope, event) + 1;
      return;
    case 'park':
      count(visit, event);
      if (event.kind === DOUBT) settleDoubts(state, visit);
      visit.attempt++;
      visit.phase =
        event.until === undefined
          ? { at: 'parked' }
          : { at: 'waiting', untilMs: Date.parse(event.until), why: 'park' };
      state.ready.add(scope.id);
      return;
    case 'propagate':
      end(state, scope, visit);
      return;
  }
}

function goTo(state: RunState, scope: Scope, visit: Visit, event: RouteTaken): void {
  if (event.bucket !== 'success' && visit.error !== undefined)
    scope.failing = { node: visit.node, error: visit.error, output: visit.output ?? null };
  const isEnd = event.to === undefined || event.to === '$end';
  if (isEnd) {
    visit.error = undefined;
    end(state, scope, visit);
    return;
  }
  dropInside(state, visit);
  // nothing leads back to what was done before
  if (scope.id === ROOT_SCOPE) state.finishedCalls.clear();
  enter(scope, event.to ?? '');
  state.ready.add(scope.id);
}

/** Among all that its failure is offered. */
function placeOf(
  state: RunState,
  scope: Scope,
  { node, kind = '', bucket, rule }: RouteTaken,
): number {
  const file = fileOf(state.plan, scope.file);
  return offeredRoutes(file, nodeOf(file, node), kind).findIndex(
    ({ route, bucket: table }) => table === bucket && route.index === rule,
  );
}

/** A termination ends its whole workflow, from inside a group too. */
function end(state: RunState, scope: Scope, visit: Visit): void {
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  const ending = node.type === 'terminate' ? workflowScope(state, scope) : scope;
  // what ran in there is kept where it may be resumed
  const leave = visit.error === undefined ? dropInside : freezeInside;
  if (ending !== scope && ending.visit !== undefined) leave(state, ending.visit);
  endScope(state, ending, {
    ...(visit.output === undefined ? {} : { output: visit.output }),
    ...(visit.error === undefined ? {} : { error: visit.error }),
  });
}

function count({ used }: Visit, { bucket, rule }: RouteTaken): void {
  if (rule === undefined) return;
  const route = `${bucket}:${rule}`;
  used.set(route, (used.get(route) ?? 0) + 1);
}
