/**
 * A resumed run goes on at the innermost nodes that failed or never started; what completed inside
 * groups and children is kept.
 */
import { scopeOf } from './plan-lookup.ts';
import { ROOT_SCOPE, type RunState, type Scope } from './state.ts';

export function reopen(state: RunState): void {
  if (state.scopes.has(ROOT_SCOPE)) reopenScope(state, scopeOf(state, ROOT_SCOPE));
}

function reopenScope(state: RunState, scope: Scope): void {
  const { visit } = scope;
  state.ready.add(scope.id);
  if (visit === undefined) return;
  const inside = insideOf(state, scope);
  if (inside.length > 0) {
    for (const inner of inside) reopenScope(state, inner);
    if (visit.error !== undefined || scope.result !== undefined) visit.phase = { at: 'inside' };
    if (visit.members !== undefined) {
      visit.members.failed = 0;
      visit.members.firstFailed = undefined;
    }
  } else if (isStuck(scope)) {
    visit.attempt = visit.error === undefined ? visit.attempt : visit.attempt + 1;
    visit.phase = { at: 'entering' };
  }
  scope.result = undefined;
  visit.error = undefined;
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
