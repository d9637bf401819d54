/**
 * Grants for an agent's tool calls. An approval is for one call with exactly its arguments; the person
 * may instead grant the tool to the node or to the run. A grant replaces the question of a node's
 * `ask` list and nothing else: a denied tool stays denied, and a guard still asks.
 */
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { visitOf } from '../state/plan-lookup.ts';
import type { Grant, RunState, Scope } from '../state/state.ts';

export const GRANT_DURATIONS = ['node', 'run'] as const;
type GrantDuration = (typeof GRANT_DURATIONS)[number];

/** Scope of an answer such as `{"approve": {"for": "run"}}`. Undefined for one call only. */
export function grantDuration(value: JsonValue): GrantDuration | undefined {
  const approve = isPlainObject(value) ? value['approve'] : undefined;
  const wanted = isPlainObject(approve) ? approve['for'] : undefined;
  return GRANT_DURATIONS.find((known) => known === wanted);
}

export function isApproval(value: JsonValue): boolean {
  return value === 'approve' || grantDuration(value) !== undefined;
}

export function noteGrant(
  state: RunState,
  scope: Scope,
  tool: string,
  { value, gate, by }: Grant & { readonly value: JsonValue },
): void {
  const granted = grantDuration(value);
  if (granted !== undefined) state.grants.set(nameOf(scope, tool, granted), { gate, by });
}

export function grantOf(state: RunState, scope: Scope, tool: string): Grant | undefined {
  return (
    state.grants.get(nameOf(scope, tool, 'run')) ?? state.grants.get(nameOf(scope, tool, 'node'))
  );
}

/** Contains the file, because two files may use one name for different tools. */
function nameOf(scope: Scope, tool: string, granted: GrantDuration): string {
  const path = granted === 'run' ? '' : visitOf(scope).path;
  return JSON.stringify([scope.file, tool, path]);
}
