/**
 * Stops running effects when something around them ends: a group that has enough results, a time or
 * a limit that is used up, a run that fails. The end is decided at once, but its events are emitted
 * only when each effect has really ended, so that every result, known or unknown, precedes the end
 * in the log.
 *
 * The deciding scope marks the scopes that it ends, and nothing more is decided in them. The engine
 * stops the effects and commits their ends together with the end that waited for them. So the log
 * never holds half an end: a crash in between leaves only requests without results, and the
 * decision is made again.
 */
import type { EventBody, RouteTaken } from '../state/events.ts';
import { fileOf, nodeOf, scopeIdOf, visitOf, workflowScope } from '../state/plan-lookup.ts';
import { scopesInside } from '../state/scopes.ts';
import type { PendingEffect, RunState, Scope, Visit } from '../state/state.ts';

export interface Ending {
  /** As decided; unknown outcomes that the stopping causes are added when they are emitted. */
  readonly events: readonly EventBody[];
  /** The scopes that end with them. */
  readonly scopes: readonly string[];
}

/** The delayed end that these events need, when running effects have to be stopped first. */
export function endingOf(state: RunState, events: readonly EventBody[]): Ending | undefined {
  if (state.effects.size === 0) return undefined;
  // most events end nothing, and nothing is made for them
  let ended: Set<Scope> | undefined;
  for (const event of events)
    for (const scope of endedBy(state, event)) (ended ??= new Set()).add(scope);
  if (ended === undefined) return undefined;
  const scopes = [...ended];
  return scopes.some(hasRunningEffects)
    ? { events, scopes: scopes.map(({ id }) => id) }
    : undefined;
}

/** Whether all effects that it stops have ended. */
export function haveAllStopped({ scopes }: RunState, ending: Ending): boolean {
  return ending.scopes.every((id) => {
    const scope = scopes.get(id);
    return scope === undefined || !hasRunningEffects(scope);
  });
}

/** Marks the scopes that end; replaces ends that were decided inside them. */
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

/** Whether any scope has decided to stop effects. */
export function isStoppingAny({ endings }: RunState): boolean {
  return endings.size > 0;
}

/** The scope that has decided to stop an effect; undefined for one that may run. */
export function stoppedFor({ scopes }: RunState, { scope }: PendingEffect): string | undefined {
  return scopes.get(scope)?.stoppedFor;
}

function hasRunningEffects({ visit }: Scope): boolean {
  return visit !== undefined && visit.pending.size > 0;
}

/** The scopes that this event would end. */
function endedBy(state: RunState, event: EventBody): readonly Scope[] {
  switch (event.type) {
    case 'run:failed':
      return [...state.scopes.values()].filter(isOpen);
    case 'node:failed':
    case 'node:completed': {
      const scope = state.scopes.get(scopeIdOf(event.path, event.node));
      if (scope?.visit?.node !== event.node) return NOTHING;
      const inside = allInside(state, scope.visit);
      return hasRunningEffects(scope) ? [scope, ...inside] : inside;
    }
    case 'route:taken':
      return endedByTermination(state, event);
    default:
      return NOTHING;
  }
}

const NOTHING: readonly Scope[] = [];

/** A termination ends its whole workflow, including other branches. */
function endedByTermination(
  state: RunState,
  { node, path, move, to }: RouteTaken,
): readonly Scope[] {
  const scope = state.scopes.get(scopeIdOf(path, node));
  if (scope?.kind !== 'branch' || (move === 'to' && to !== '$end')) return NOTHING;
  if (nodeOf(fileOf(state.plan, scope.file), node).type !== 'terminate') return NOTHING;
  return allInside(state, visitOf(workflowScope(state, scope)));
}

function allInside(state: RunState, visit: Visit): readonly Scope[] {
  const scopes = scopesInside(state, visit);
  if (scopes.length === 0) return scopes;
  return scopes.flatMap((scope) =>
    isOpen(scope)
      ? [scope, ...(scope.visit === undefined ? [] : allInside(state, scope.visit))]
      : [],
  );
}

function isOpen({ result, isFrozen }: Scope): boolean {
  return result === undefined && !isFrozen;
}
