/**
 * Chooses the route of a finished visit: a success route when it succeeded, an error route when it
 * failed; first from the node's table, then the workflow's, then the default.
 */
import { isAborted, OUTCOME_UNKNOWN } from '../policy/unknown-outcome.ts';
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { hideInternalShapes } from '../../errors/redaction/hide-internals.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { takes } from '../../workflow/check/routing.ts';
import { givesErrors, type NodePlan } from '../../workflow/plan/node-plan.ts';
import { END, type Route } from '../../workflow/plan/route-plan.ts';
import type { TemplateContext } from '../../workflow/template/context.ts';
import { askPerson, type Question } from '../gates/ask-person.ts';
import { backoffMs } from '../policy/backoff.ts';
import { failRun, failIfTooLate, retriesUsedUp } from './end-run.ts';
import { isBare, evaluateObject, evaluateText, conditionHolds } from './evaluate-templates.ts';
import type { EventBody, RouteBucket, RouteTaken } from '../state/events.ts';
import { nodeFailed, failureAt, thrownByText } from './failure-reports.ts';
import { templateContext, type TemplateContextOptions } from './template-context.ts';
import { offeredRoutes } from './offered-routes.ts';
import { fileOf, nodeOf, visitOf } from '../state/plan-lookup.ts';
import { ROOT_SCOPE, type RunState, type Scope, type Visit } from '../state/state.ts';
import { endsTheRun, isOwnStepLimit } from './unroutable.ts';

export function decideSuccess(state: RunState, scope: Scope): readonly EventBody[] {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  const routes = node.routes.filter(({ onError }) => onError === undefined);
  const chosen = node.type === 'human_gate' ? chosenRoute(node, visit.output) : undefined;
  if (chosen !== undefined) return [routeTaken(visit, { to: chosen, bucket: 'success' })];
  if (node.type === 'terminate' || routes.length === 0)
    return [routeTaken(visit, { to: END, bucket: 'success' })];
  for (const route of routes) {
    const holds = conditionOf(state, scope, route);
    if (holds instanceof ConditionFailure) return conditionFailed(state, scope, holds.error);
    if (!holds) continue;
    if (route.move.type === 'halt') return halt(state, scope, { route, bucket: 'success' });
    if (route.move.type === 'to')
      return follow(state, scope, { route, bucket: 'success' }, route.move);
  }
  const error = failureAt(state, scope, visit.node, {
    kind: 'route.no_match',
    message: `No route of ${visit.node} matches its result`,
  });
  return [nodeFailed(visit, error)];
}

/** Goes to the target; a route to the end may bring an output. */
function follow(
  state: RunState,
  scope: Scope,
  { route, bucket }: FoundRoute,
  { to, output }: Extract<Route['move'], { type: 'to' }>,
): readonly EventBody[] {
  const visit = visitOf(scope);
  const { error } = visit;
  const how = { rule: route.index, bucket, ...(error === undefined ? {} : { kind: error.kind }) };
  if (output === undefined) return [routeTaken(visit, { ...how, to })];
  try {
    const names = routeContext(state, scope);
    return [routeTaken(visit, { ...how, to, output: evaluateObject(output, names) })];
  } catch (thrown) {
    return conditionFailed(state, scope, thrownByText(state, scope, route, thrown), error);
  }
}

/** The route of the chosen option; it takes precedence over the table. */
function chosenRoute(
  { options }: Extract<NodePlan, { type: 'human_gate' }>,
  output: JsonValue | undefined,
): string | undefined {
  const selected = isPlainObject(output) ? output['selected'] : output;
  return options.find(({ value }) => value === selected)?.route;
}

export function decideFailure(state: RunState, scope: Scope): readonly EventBody[] {
  const visit = visitOf(scope);
  const { error } = visit;
  if (error === undefined) return [];
  if (endsTheRun(error.kind)) return failRun(error);
  // a scope that may start no more nodes cannot use its own routes
  if (isOwnStepLimit(error)) return defaultMove(state, scope, error);
  // a termination ends its workflow; only a caller can route it
  if (error.kind === TERMINATED && isTermination(state, scope))
    return defaultMove(state, scope, error);
  const file = fileOf(state.plan, scope.file);
  const offered = offeredRoutes(file, nodeOf(file, visit.node), error.kind);
  for (const [position, { route, bucket }] of offered.entries()) {
    if (position < visit.routesTried || !takes(route, error.kind)) continue;
    const holds = conditionOf(state, scope, route);
    if (holds instanceof ConditionFailure) return conditionFailed(state, scope, holds.error, error);
    if (!holds) continue;
    const events = makeMove(state, scope, { route, bucket }, error);
    if (events !== undefined) return events;
  }
  return defaultMove(state, scope, error);
}

/** A route, and the table it is from. */
interface FoundRoute {
  readonly route: Route;
  readonly bucket: RouteBucket;
}

/** Undefined when the move is used up, so that later routes are tried. */
function makeMove(
  state: RunState,
  scope: Scope,
  { route, bucket }: FoundRoute,
  error: ErrorReport,
): readonly EventBody[] | undefined {
  const visit = visitOf(scope);
  const { move } = route;
  const used = visit.routeUses.get(`${bucket}:${route.index}`) ?? 0;
  const take = (more: Partial<RouteTaken> = {}): EventBody =>
    routeTaken(visit, { move: move.type, rule: route.index, bucket, kind: error.kind, ...more });
  switch (move.type) {
    case 'to':
      return follow(state, scope, { route, bucket }, move);
    case 'retry': {
      if (used >= move.max) return undefined;
      const spent = retriesUsedUp(state, scope, error);
      if (spent !== undefined) return spent;
      const late = failIfTooLate(
        state,
        scope,
        state.nowMs + (error.provider?.retryAfterMs ?? 0),
        error,
      );
      if (late !== undefined) return late;
      const delayMs = backoffMs(move, used + 1, error, [state.run, visit.path, visit.number]);
      return [
        take(),
        { type: 'node:retrying', ...nodeRef(visit), attempt: visit.attempt + 1, delayMs, error },
      ];
    }
    case 'park': {
      if (move.max !== undefined && used >= move.max) return undefined;
      const until =
        move.forMs === undefined ? {} : { until: new Date(state.nowMs + move.forMs).toISOString() };
      return [take(until)];
    }
    case 'ask':
      if (!state.hasPeople) return undefined;
      return [take(), askPerson(state, visit, { ...asked(error), ...move })];
    case 'halt':
      return halt(state, scope, { route, bucket }, error);
    case 'propagate':
      return [take()];
  }
}

function defaultMove(state: RunState, scope: Scope, error: ErrorReport): readonly EventBody[] {
  const visit = visitOf(scope);
  if (error.kind === OUTCOME_UNKNOWN && state.hasPeople && !isAborted(state, error)) {
    return [
      askPerson(state, visit, {
        ...asked(error),
        options: ['repeat', 'edit', 'abort'],
      }),
    ];
  }
  const route = routeTaken(visit, { move: 'propagate', bucket: 'default', kind: error.kind });
  return scope.id === ROOT_SCOPE ? failRun(error) : [route];
}

/**
 * The question about a failure. Everybody can read it, so it leaves out paths of the host; the
 * report keeps them.
 */
function asked(error: ErrorReport): Pick<Question, 'prompt' | 'error'> {
  return { prompt: hideInternalShapes(error.message), error };
}

const TERMINATED = 'terminate.failed';

function isTermination(state: RunState, scope: Scope): boolean {
  return nodeOf(fileOf(state.plan, scope.file), visitOf(scope).node).type === 'terminate';
}

function halt(
  state: RunState,
  scope: Scope,
  { route, bucket }: FoundRoute,
  cause?: ErrorReport,
): readonly EventBody[] {
  const { move, index } = route;
  const visit = visitOf(scope);
  const message =
    move.type === 'halt' && move.message !== undefined
      ? haltMessage(state, scope, route, move.message)
      : undefined;
  if (message instanceof ConditionFailure)
    return conditionFailed(state, scope, message.error, cause);
  const error = failureAt(state, scope, visit.node, {
    kind: 'halt.intentional',
    message: message ?? cause?.message ?? `${visit.node} halted the run`,
    ...(cause === undefined ? {} : { cause }),
  });
  return [routeTaken(visit, { move: 'halt', rule: index, bucket }), ...failRun(error)];
}

function haltMessage(
  state: RunState,
  scope: Scope,
  route: Route,
  template: string,
): string | ConditionFailure {
  try {
    return evaluateText(template, routeContext(state, scope));
  } catch (thrown) {
    return new ConditionFailure(thrownByText(state, scope, route, thrown));
  }
}

/** Keeps the failure that was being routed as the cause. */
function conditionFailed(
  state: RunState,
  scope: Scope,
  failed: ErrorReport,
  original: ErrorReport = failed,
): readonly EventBody[] {
  const visit = visitOf(scope);
  const error = failureAt(state, scope, visit.node, {
    kind: 'route.guard_failed',
    message: `The condition of a route of ${visit.node} cannot be evaluated: ${failed.message}`,
    ...(failed.location === undefined ? {} : { location: failed.location }),
    cause: original,
  });
  return [nodeFailed(visit, error)];
}

class ConditionFailure {
  readonly error: ErrorReport;
  constructor(error: ErrorReport) {
    this.error = error;
  }
}

/** The names that a route of the finished node reads. */
function routeContext(
  state: RunState,
  scope: Scope,
  more: Pick<TemplateContextOptions, 'fields'> = {},
): TemplateContext {
  const { output, error } = visitOf(scope);
  const errors = errorsOf(state, scope);
  return templateContext(state, scope, { output: output ?? null, error, errors, ...more });
}

/** The errors of a node that has succeeded with a partial output. */
function errorsOf(state: RunState, scope: Scope): JsonValue | undefined {
  const { node } = visitOf(scope);
  const isGiven = givesErrors(nodeOf(fileOf(state.plan, scope.file), node));
  return isGiven ? scope.nodeResults.get(node)?.errors : undefined;
}

function conditionOf(state: RunState, scope: Scope, route: Route): boolean | ConditionFailure {
  const { when } = route;
  if (when === undefined) return true;
  try {
    return conditionHolds(when, routeContext(state, scope, { fields: isBare(when) }));
  } catch (thrown) {
    return new ConditionFailure(thrownByText(state, scope, route, thrown));
  }
}

function routeTaken(
  { node, path }: Visit,
  how: Pick<RouteTaken, 'bucket'> &
    Partial<Pick<RouteTaken, 'move' | 'to' | 'rule' | 'kind' | 'until' | 'output'>>,
): RouteTaken {
  return Object.assign({ type: 'route:taken', node, path, move: 'to' } as const, how);
}

function nodeRef({ node, path }: Visit): { readonly node: string; readonly path: string } {
  return { node, path };
}
