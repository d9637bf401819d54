/** Results of ended nodes, as later templates see them. */
import { isPlainObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { givesErrors } from '../../workflow/plan/node-plan.ts';
import type { EventBody } from '../state/events.ts';
import { asJson } from '../decide/template-context.ts';
import { fileOf, nodeOf } from '../state/plan-lookup.ts';
import type { RunState, Scope, NodeResult, Visit } from '../state/state.ts';

export function resultOf(
  state: RunState,
  scope: Scope,
  { node, output, errors = [] }: Extract<EventBody, { type: 'node:completed' }>,
): NodeResult {
  const isPartly = givesErrors(nodeOf(fileOf(state.plan, scope.file), node));
  return isPartly ? { output, errors: errors.map(asJson) } : { output };
}

export function partialResult(visit: Visit, output: JsonValue | undefined): NodeResult {
  if (output === undefined) return {};
  return isGroup(visit) ? groupResult(output) : { output };
}

/** A supervisor has members too (its rounds), but is not a group. */
export function isGroup({ members, conversation }: Visit): boolean {
  return members !== undefined && conversation === undefined;
}

/** The output may be anything, because a person can replace it. */
export function groupResult(output: JsonValue): NodeResult {
  if (!isPlainObject(output)) return { output };
  return { outputs: output['outputs'] ?? null, errors: output['errors'] ?? null, output };
}
