/**
 * A resumed run goes on at the innermost nodes that failed or never started; what completed inside
 * groups and children is kept.
 */
import { scopeOf } from './plan-lookup.ts';
import { ROOT_SCOPE, type RunState, type Scope, type Visit } from './state.ts';

export function reopen(state: RunState): void {
  if (state.scopes.has(ROOT_SCOPE)) reopenScope(state, scopeOf(state, ROOT_SCOPE));
}

function reopenScope(state: RunState, scope: Scope): void {
  const { visit } = scope;
  state.ready.add(scope.id);
  if (visit === undefined) return;
  const inside = insideOf(state, scope);
  for (const inner of inside) reopenScope(state, inner);
  // what waits for a person or a time goes on waiting, with its failure
  if (isStuck(scope)) goOnAt(visit, inside.length > 0);
  scope.result = undefined;
}

function goOnAt(visit: Visit, isInside: boolean): void {
  visit.error = undefined;
  if (visit.members !== undefined) {
    visit.members.failed = 0;
    visit.members.firstFailed = undefined;
  }
  if (isInside) visit.phase = { at: 'inside' };
  else {
    visit.attempt++;
    visit.phase = { at: 'entering' };
  }
}

/** The branches and the child of a visit that did not come to a good end. */
function insideOf(state: RunState, { visit }: Scope): Scope[] {
  if (visit === undefined) return [];
  const ids =
    visit.members === undefined
      ? [visit.path]
      : visit.members.keys.map((key) => `${visit.path}[${key}]`);
  return ids
    .flatMap((id) => state.scopes.get(id) ?? [])
    .filter(({ result }) => result === undefined || result.error !== undefined);
}

function isStuck({ visit, result }: Scope): boolean {
  if (visit === undefined) return false;
  const { at } = visit.phase;
  return at === 'failed' || at === 'parked' || (at === 'ended' && result?.error !== undefined);
}
