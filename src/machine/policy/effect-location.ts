/** Where in a workflow an effect is requested; the same when a loop or a retry leads there again. */
import { identityOf } from '../../workflow/plan/stable-hash.ts';
import { pathKey } from '../state/path-key.ts';
import { scopeAndAncestors, visitOf } from '../state/plan-lookup.ts';
import type { RunState, Scope, Visit } from '../state/state.ts';

/**
 * The path of a scope's node without the rounds of supervisors, because a node that is chosen again in
 * the next round is the same one. A member without a key is identified by its item, because a list may
 * come back in another order.
 */
export function locationOf(state: RunState, scope: Scope): string {
  let location = visitOf(scope).node;
  for (const at of scopeAndAncestors(state, scope)) {
    const parent = at.parent === undefined ? undefined : state.scopes.get(at.parent)?.visit;
    if (parent === undefined) continue;
    location = `${parent.node}${memberLocation(at, parent)}/${location}`;
  }
  return location;
}

function memberLocation({ key, loop }: Scope, { conversation, members }: Visit): string {
  if (key === undefined || conversation !== undefined) return '';
  const items = Object.hasOwn(loop, '_key') ? undefined : members?.items;
  if (items === undefined) return `[${pathKey(key)}]`;
  // no key looks like this: `#` is escaped in keys
  return `[#${identityOf(items[Number(key)] ?? null)}]`;
}
