/** Routing of a kind: the routes that can handle it, in matching order. */
import { isReservedKind, matchesKind } from '../../errors/catalog/kinds.ts';
import type { NodePlan } from '../plan/node-plan.ts';
import type { Route } from '../plan/route-plan.ts';

export interface Step {
  readonly route: Route;
  readonly table: 'node' | 'workflow';
}

export interface Handling {
  /** The routes that can handle the kind, up to the first that certainly does. */
  readonly steps: readonly Step[];
  /** False when the default can still be reached. */
  readonly isSettled: boolean;
}

/** The one kind whose default is to ask a person. */
export const ASKED_BY_DEFAULT = 'effect.outcome_unknown';

export function handlingOf(
  kind: string,
  nodeRoutes: readonly Route[],
  workflowRoutes: readonly Route[],
): Handling {
  const steps: Step[] = [];
  const tables = [
    ['node', nodeRoutes],
    ['workflow', workflowRoutes],
  ] as const;
  for (const [table, routes] of tables) {
    // a table whose guard has failed is not matched again
    if (table === 'node' && kind === 'route.guard_failed') continue;
    for (const route of routes) {
      if (!takes(route, kind)) continue;
      steps.push({ route, table });
      if (isFinal(route)) return { steps, isSettled: true };
    }
  }
  return { steps, isSettled: false };
}

/** Whether a failure of this kind can propagate to the caller, past the node's routes and the workflow's. */
export function letsGo(
  kind: string,
  nodeRoutes: readonly Route[],
  workflowRoutes: readonly Route[],
): boolean {
  const { steps, isSettled } = handlingOf(kind, nodeRoutes, workflowRoutes);
  return !isSettled || steps.some(({ route }) => mayLetGo(route));
}

/** By the move itself, or because a person declines to act. */
function mayLetGo({ move }: Route): boolean {
  return move.type === 'propagate' || (move.type === 'ask' && move.options.includes('abort'));
}

/** Whether an error route matches the kind, ignoring its guard. */
export function takes(route: Route, kind: string): boolean {
  if (route.onError === undefined) return false;
  const isMatch =
    route.onError === true || route.onError.some((pattern) => matchesKind(kind, pattern));
  if (!isMatch) return false;
  return !mustBeNamed(route, kind) || isNamed(route, kind);
}

/** Kinds with a used-up schedule or an unknown outcome are repeated only by a route that names them. */
function mustBeNamed({ move }: Route, kind: string): boolean {
  if (move.type === 'retry') return kind === 'provider.exhausted' || kind === ASKED_BY_DEFAULT;
  return move.type === 'park' && kind === ASKED_BY_DEFAULT;
}

/**
 * Failures that a node may have beyond its kinds. `any`: its function may throw anything, even
 * failures of another Errand. `own`: the author's kinds; an undeclared one is marked and keeps its
 * name. `none`: nothing.
 */
export type Raising = 'any' | 'own' | 'none';

/** `within`: what a child may propagate beyond its kinds, by its file. */
export function raisingOf(node: NodePlan, within: (file: string) => Raising): Raising {
  switch (node.type) {
    case 'call':
    case 'tool':
      return 'any';
    case 'agent':
    case 'supervisor':
    case 'script':
      return 'own';
    case 'workflow':
      return within(node.workflow);
    case 'transform':
    case 'set':
    case 'wait':
    case 'human_gate':
    case 'terminate':
    case 'parallel':
    case 'for_each':
      return 'none';
  }
}

/** Whether the route can ever match a failure of a node with these kinds, or one that it may raise. */
export function mayTake(route: Route, kinds: readonly string[], raising: Raising): boolean {
  if (kinds.some((kind) => takes(route, kind))) return true;
  const { onError } = route;
  if (onError === undefined || raising === 'none') return false;
  if (onError === true || raising === 'any') return true;
  return onError.some((pattern) => !isReservedKind(pattern));
}

/** Whether a failure of the node can pass its own table and come to this route of the workflow's. */
export function reachesHandler(
  handler: Route,
  nodeRoutes: readonly Route[],
  workflowRoutes: readonly Route[],
  { kinds, raising }: { readonly kinds: readonly string[]; readonly raising: Raising },
): boolean {
  const isReached = (kind: string): boolean =>
    handlingOf(kind, nodeRoutes, workflowRoutes).steps.some(({ route }) => route === handler);
  if (kinds.some(isReached)) return true;
  const keepsAll = nodeRoutes.some((route) => route.onError === true && isFinal(route));
  return !keepsAll && mayTake(handler, [], raising);
}

/**
 * The routes of a table that earlier routes make unreachable, whatever a node raises. A route with
 * a guard or a limit makes no other unreachable.
 */
export function shadowedRoutes(table: readonly Route[]): ReadonlySet<Route> {
  const shadowed = new Set<Route>();
  const taken = new Set<string>();
  // patterns of routes that pass an unknown outcome on to the next
  const takenButAsked = new Set<string>();
  for (const route of table) {
    const { onError } = route;
    if (onError === undefined || onError === true) continue;
    const isTaken = (pattern: string): boolean =>
      above(pattern).some((each) => taken.has(each)) ||
      (!matchesKind(ASKED_BY_DEFAULT, pattern) &&
        above(pattern).some((each) => takenButAsked.has(each)));
    if (onError.every(isTaken)) shadowed.add(route);
    if (!isFinal(route)) continue;
    for (const pattern of onError)
      if (pattern !== ASKED_BY_DEFAULT && mustBeNamed(route, ASKED_BY_DEFAULT))
        takenButAsked.add(pattern);
      else taken.add(pattern);
  }
  return shadowed;
}

/**
 * A pattern and the patterns that cover all its kinds: `a.b.*`, `a.*` for `a.b.*`; `a.b`, `a.*` for
 * `a.b`.
 */
function above(pattern: string): readonly string[] {
  const words = pattern.split('.').slice(0, -1);
  return [pattern, ...words.map((_, at) => `${words.slice(0, at + 1).join('.')}.*`)];
}

/** Whether the route names the kind itself, alone or in a list. */
export function isNamed({ onError }: Route, kind: string): boolean {
  return onError !== undefined && onError !== true && onError.includes(kind);
}

/** `retry #2, then to apologise`: the handling of a kind, in words. */
export function handlingWords(kind: string, { steps, isSettled }: Handling): string {
  const words = steps.map(stepWords);
  if (!isSettled) words.push(kind === ASKED_BY_DEFAULT ? 'ask by default' : 'the default');
  return words.join(', then ');
}

function stepWords({ route, table }: Step): string {
  const { move, index, when } = route;
  const what = move.type === 'to' ? `to ${move.to}` : `${move.type} #${index}`;
  const where = table === 'workflow' ? ' of the workflow' : '';
  return `${what}${where}${when === undefined ? '' : ' if its guard holds'}`;
}

/** Whether no route below it can match: no guard, and a move without a limit. */
function isFinal({ when, move }: Route): boolean {
  if (when !== undefined) return false;
  switch (move.type) {
    case 'to':
    case 'halt':
    case 'propagate':
      return true;
    case 'park':
      return move.max === undefined;
    case 'retry':
    case 'ask':
      return false;
  }
}
