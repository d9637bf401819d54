/**
 * Approvals of an agent's tool calls. One is for one call with exactly its arguments; whoever is asked
 * may instead grant the tool to the node or to the run. A grant answers what a node's `ask` list
 * would ask, and nothing else: what is denied stays denied, and a guard still asks for itself.
 */
import { isPlainObject, type JsonValue } from '../errors/json.ts';
import { visitOf } from './plan-lookup.ts';
import type { Grant, RunState, Scope } from './state.ts';

export const GRANT_SCOPES = ['node', 'run'] as const;
type GrantScope = (typeof GRANT_SCOPES)[number];

/** Of an answer: `{"approve": {"for": "run"}}`. Undefined where it is for one call. */
export function grantScope(value: JsonValue): GrantScope | undefined {
  const approve = isPlainObject(value) ? value['approve'] : undefined;
  const wanted = isPlainObject(approve) ? approve['for'] : undefined;
  return GRANT_SCOPES.find((known) => known === wanted);
}

export function isApproval(value: JsonValue): boolean {
  return value === 'approve' || grantScope(value) !== undefined;
}

export function noteGrant(
  state: RunState,
  scope: Scope,
  tool: string,
  { value, gate, by }: Grant & { readonly value: JsonValue },
): void {
  const granted = grantScope(value);
  if (granted !== undefined) state.grants.set(nameOf(scope, tool, granted), { gate, by });
}

export function grantOf(state: RunState, scope: Scope, tool: string): Grant | undefined {
  return (
    state.grants.get(nameOf(scope, tool, 'run')) ?? state.grants.get(nameOf(scope, tool, 'node'))
  );
}

/** Two files may mean different tools by one name. */
function nameOf(scope: Scope, tool: string, granted: GrantScope): string {
  const path = granted === 'run' ? '' : visitOf(scope).path;
  return JSON.stringify([scope.file, tool, path]);
}
