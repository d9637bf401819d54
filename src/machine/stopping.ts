/**
 * An end that comes from around effects that are under way: a group that has seen enough, a time or a
 * limit that is used up, a run that fails. It is decided at once and said only when each of them has
 * really ended: what they gave, or that nobody knows, is in the log before it.
 *
 * The scope that decides marks what it ends. Nothing more is decided in there; the driver stops the
 * effects and brings their ends, all in one commit with the end that waited for them. So the log
 * holds no half of it, and a crash in between leaves what a crash always leaves: requests without a
 * result, and a decision that is made again.
 */
import type { EventBody, RouteTaken } from './events.ts';
import { fileOf, nodeOf, scopeIdOf, visitOf, workflowScope } from './plan-lookup.ts';
import { insideOf } from './scopes.ts';
import type { PendingEffect, RunState, Scope, Visit } from './state.ts';

export interface Ending {
  /** As they were decided; doubts that come of the stopping are added when they are said. */
  readonly events: readonly EventBody[];
  /** The scopes that end by them. */
  readonly scopes: readonly string[];
}

/** The end that these events amount to, when something has to be stopped before they can be said. */
export function endingOf(state: RunState, events: readonly EventBody[]): Ending | undefined {
  if (state.effects.size === 0) return undefined;
  const scopes = new Set(events.flatMap((event) => endedBy(state, event)));
  if (![...scopes].some(isUnderWay)) return undefined;
  return { events, scopes: Array.from(scopes, ({ id }) => id) };
}

/** Whether everything that it stops has ended. */
export function isOver({ scopes }: RunState, ending: Ending): boolean {
  return ending.scopes.every((id) => {
    const scope = scopes.get(id);
    return scope === undefined || !isUnderWay(scope);
  });
}

/** From here on nothing is decided inside; an end that was decided in there gives way to this one. */
export function beginStopping(state: RunState, decider: string, ending: Ending): void {
  for (const id of ending.scopes) {
    const scope = state.scopes.get(id);
    if (scope === undefined) continue;
    scope.stoppedFor = decider;
    if (id !== decider) state.endings.delete(id);
  }
  state.endings.set(decider, ending);
}

export function endStopping(state: RunState, decider: string): void {
  for (const id of state.endings.get(decider)?.scopes ?? []) {
    const scope = state.scopes.get(id);
    if (scope !== undefined) scope.stoppedFor = undefined;
  }
  state.endings.delete(decider);
}

/** The scope that has decided to stop an effect; undefined for one that is wanted. */
export function stoppedFor({ scopes }: RunState, { scope }: PendingEffect): string | undefined {
  return scopes.get(scope)?.stoppedFor;
}

function isUnderWay({ visit }: Scope): boolean {
  return visit !== undefined && visit.pending.size > 0;
}

/** The scopes with something to stop, should this event be said. */
function endedBy(state: RunState, event: EventBody): readonly Scope[] {
  switch (event.type) {
    case 'run:failed':
      return [...state.scopes.values()].filter(isOpen);
    case 'node:failed':
    case 'node:completed': {
      const scope = state.scopes.get(scopeIdOf(event.path, event.node));
      if (scope?.visit?.node !== event.node) return [];
      const own = isUnderWay(scope) ? [scope] : [];
      return [...own, ...allInside(state, scope.visit)];
    }
    case 'route:taken':
      return terminated(state, event);
    default:
      return [];
  }
}

/** A termination ends its whole workflow, with whatever runs in other branches. */
function terminated(state: RunState, { node, path, move, to }: RouteTaken): readonly Scope[] {
  const scope = state.scopes.get(scopeIdOf(path, node));
  if (scope?.kind !== 'branch' || (move === 'to' && to !== '$end')) return [];
  if (nodeOf(fileOf(state.plan, scope.file), node).type !== 'terminate') return [];
  return allInside(state, visitOf(workflowScope(state, scope)));
}

function allInside(state: RunState, visit: Visit): readonly Scope[] {
  return insideOf(state, visit).flatMap((scope) =>
    isOpen(scope)
      ? [scope, ...(scope.visit === undefined ? [] : allInside(state, scope.visit))]
      : [],
  );
}

function isOpen({ result, isFrozen }: Scope): boolean {
  return result === undefined && !isFrozen;
}
