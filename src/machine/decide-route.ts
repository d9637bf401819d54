/**
 * Where a finished visit leads. Success routes are considered when it succeeded, error routes when it
 * failed; the node's table first, then the workflow's, then the default. State is committed only
 * after the route is decided.
 */
import { DOUBT } from './doubt.ts';
import { isPlainObject, type JsonValue } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import { takes } from '../workflow/check/routing.ts';
import { givesErrors, type NodePlan } from '../workflow/node-model.ts';
import { END, type Route } from '../workflow/route.ts';
import { askPerson } from './ask-person.ts';
import { backoffMs } from './backoff.ts';
import { failRun, lateFor, outOfRetries } from './endings.ts';
import { isBare, evaluateText, holds } from './evaluate.ts';
import type { EventBody, RouteBucket, RouteTaken } from './events.ts';
import { failed, failureAt, thrownAt } from './failure.ts';
import { namesIn } from './names.ts';
import { offeredRoutes } from './offered-routes.ts';
import { fileOf, nodeOf, visitOf } from './plan-lookup.ts';
import { ROOT_SCOPE, type RunState, type Scope, type Visit } from './state.ts';
import { endsTheRun, isOwnStepLimit } from './unroutable.ts';

export function decideSuccess(state: RunState, scope: Scope): readonly EventBody[] {
  const visit = visitOf(scope);
  const node = nodeOf(fileOf(state.plan, scope.file), visit.node);
  const routes = node.routes.filter(({ onError }) => onError === undefined);
  const chosen = node.type === 'human_gate' ? chosenRoute(node, visit.output) : undefined;
  if (chosen !== undefined) return [taken(visit, { to: chosen, bucket: 'success' })];
  if (node.type === 'terminate' || routes.length === 0)
    return [taken(visit, { to: END, bucket: 'success' })];
  for (const route of routes) {
    const verdict = guardHolds(state, scope, route);
    if (verdict instanceof Failed) return guardFailed(state, scope, verdict.error);
    if (!verdict) continue;
    if (route.move.type === 'halt') return halt(state, scope, { route, bucket: 'success' });
    if (route.move.type === 'to')
      return [taken(visit, { to: route.move.to, rule: route.index, bucket: 'success' })];
  }
  const error = failureAt(state, scope, visit.node, {
    kind: 'route.no_match',
    message: `None of the routes of ${visit.node} matches its result`,
  });
  return [failed(visit, error)];
}

/** The route of the option that was chosen; it wins over the table. */
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
  // the scope that may start nothing more cannot be helped by its own routes
  if (isOwnStepLimit(error)) return byDefault(state, scope, error);
  // a termination ends its workflow; only a caller can route it
  if (error.kind === TERMINATED && isTermination(state, scope))
    return byDefault(state, scope, error);
  const file = fileOf(state.plan, scope.file);
  const offered = offeredRoutes(file, nodeOf(file, visit.node), error.kind);
  for (const [position, { route, bucket }] of offered.entries()) {
    if (position < visit.routesTried || !takes(route, error.kind)) continue;
    const verdict = guardHolds(state, scope, route);
    if (verdict instanceof Failed) return guardFailed(state, scope, verdict.error, error);
    if (!verdict) continue;
    const events = makeMove(state, scope, { route, bucket }, error);
    if (events !== undefined) return events;
  }
  return byDefault(state, scope, error);
}

/** A route, and the table that it was found in. */
interface Found {
  readonly route: Route;
  readonly bucket: RouteBucket;
}

/** Undefined when the move is spent and matching goes on below it. */
function makeMove(
  state: RunState,
  scope: Scope,
  { route, bucket }: Found,
  error: ErrorReport,
): readonly EventBody[] | undefined {
  const visit = visitOf(scope);
  const { move } = route;
  const used = visit.used.get(`${bucket}:${route.index}`) ?? 0;
  const take = (more: Partial<RouteTaken> = {}): EventBody =>
    taken(visit, { move: move.type, rule: route.index, bucket, kind: error.kind, ...more });
  switch (move.type) {
    case 'to':
      return [take({ to: move.to })];
    case 'retry': {
      if (used >= move.max) return undefined;
      const spent = outOfRetries(state, scope, error);
      if (spent !== undefined) return spent;
      const late = lateFor(state, scope, state.nowMs + (error.provider?.retryAfterMs ?? 0), error);
      if (late !== undefined) return late;
      const delayMs = backoffMs(move, used + 1, error, [state.run, visit.path, visit.number]);
      return [
        take(),
        { type: 'node:retrying', ...here(visit), attempt: visit.attempt + 1, delayMs, error },
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
      return [take(), askPerson(state, visit, { prompt: error.message, error, ...move })];
    case 'halt':
      return halt(state, scope, { route, bucket }, error);
    case 'propagate':
      return [take()];
  }
}

function byDefault(state: RunState, scope: Scope, error: ErrorReport): readonly EventBody[] {
  const visit = visitOf(scope);
  if (error.kind === DOUBT && state.hasPeople) {
    return [
      askPerson(state, visit, {
        prompt: error.message,
        error,
        options: ['repeat', 'edit', 'abort'],
      }),
    ];
  }
  const route = taken(visit, { move: 'propagate', bucket: 'default', kind: error.kind });
  return scope.id === ROOT_SCOPE ? failRun(error) : [route];
}

const TERMINATED = 'terminate.failed';

function isTermination(state: RunState, scope: Scope): boolean {
  return nodeOf(fileOf(state.plan, scope.file), visitOf(scope).node).type === 'terminate';
}

function halt(
  state: RunState,
  scope: Scope,
  { route: { move, index }, bucket }: Found,
  cause?: ErrorReport,
): readonly EventBody[] {
  const visit = visitOf(scope);
  const message =
    move.type === 'halt' && move.message !== undefined
      ? haltMessage(state, scope, move.message)
      : undefined;
  if (message instanceof Failed) return guardFailed(state, scope, message.error, cause);
  const error = failureAt(state, scope, visit.node, {
    kind: 'halt.intentional',
    message: message ?? cause?.message ?? `${visit.node} halted the run`,
    ...(cause === undefined ? {} : { cause }),
  });
  return [taken(visit, { move: 'halt', rule: index, bucket }), ...failRun(error)];
}

function haltMessage(state: RunState, scope: Scope, template: string): string | Failed {
  const { output, error } = visitOf(scope);
  try {
    return evaluateText(
      template,
      namesIn(state, scope, { output: output ?? null, error, errors: errorsOf(state, scope) }),
    );
  } catch (thrown) {
    return new Failed(thrownAt(state, scope, visitOf(scope).node, thrown));
  }
}

/** The failure that was being routed is not lost over it. */
function guardFailed(
  state: RunState,
  scope: Scope,
  guard: ErrorReport,
  original: ErrorReport = guard,
): readonly EventBody[] {
  const visit = visitOf(scope);
  const error = failureAt(state, scope, visit.node, {
    kind: 'route.guard_failed',
    message: `A guard of ${visit.node} cannot be evaluated: ${guard.message}`,
    cause: original,
  });
  return [failed(visit, error)];
}

class Failed {
  readonly error: ErrorReport;
  constructor(error: ErrorReport) {
    this.error = error;
  }
}

/** Beside the output of a node that has just succeeded. */
function errorsOf(state: RunState, scope: Scope): JsonValue | undefined {
  const { node } = visitOf(scope);
  const isGiven = givesErrors(nodeOf(fileOf(state.plan, scope.file), node));
  return isGiven ? scope.slots.get(node)?.errors : undefined;
}

function guardHolds(state: RunState, scope: Scope, { when }: Route): boolean | Failed {
  if (when === undefined) return true;
  const { output, error, node } = visitOf(scope);
  try {
    return holds(
      when,
      namesIn(state, scope, {
        output: output ?? null,
        error,
        errors: errorsOf(state, scope),
        fields: isBare(when),
      }),
    );
  } catch (thrown) {
    return new Failed(thrownAt(state, scope, node, thrown));
  }
}

function taken(
  { node, path }: Visit,
  how: Pick<RouteTaken, 'bucket'> &
    Partial<Pick<RouteTaken, 'move' | 'to' | 'rule' | 'kind' | 'until'>>,
): RouteTaken {
  return Object.assign({ type: 'route:taken', node, path, move: 'to' } as const, how);
}

function here({ node, path }: Visit): { readonly node: string; readonly path: string } {
  return { node, path };
}
