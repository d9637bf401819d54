/** What later templates see of a node that has ended. */
import { isPlainObject, type JsonValue } from '../errors/json.ts';
import { givesErrors } from '../workflow/node-model.ts';
import type { EventBody } from './events.ts';
import { asJson } from './names.ts';
import { fileOf, nodeOf } from './plan-lookup.ts';
import type { RunState, Scope, Slot, Visit } from './state.ts';

export function slotOf(
  state: RunState,
  scope: Scope,
  { node, output, errors = [] }: Extract<EventBody, { type: 'node:completed' }>,
): Slot {
  const isPartly = givesErrors(nodeOf(fileOf(state.plan, scope.file), node));
  return isPartly ? { output, errors: errors.map(asJson) } : { output };
}

export function partialSlot(visit: Visit, output: JsonValue | undefined): Slot {
  if (output === undefined) return {};
  return isGroup(visit) ? groupSlot(output) : { output };
}

/** A supervisor has rounds inside, and is none. */
export function isGroup({ members, talk }: Visit): boolean {
  return members !== undefined && talk === undefined;
}

/** A person may have given it any output. */
export function groupSlot(output: JsonValue): Slot {
  if (!isPlainObject(output)) return { output };
  return { outputs: output['outputs'] ?? null, errors: output['errors'] ?? null, output };
}
