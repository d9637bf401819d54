/** Rounds of a supervisor: which node it chose, and the result. */
import { isPlainObject, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import { DONE } from '../../workflow/plan/route-plan.ts';
import { branchId } from '../state/scopes.ts';
import type { RunState, Visit } from '../state/state.ts';
import { shownToModel, type Conversation } from './conversation.ts';

/** The result of the latest round, as the model sees it. */
export function roundResult(
  state: RunState,
  visit: Visit,
  conversation: Conversation,
): JsonObject | undefined {
  const round = conversation.rounds.length;
  const result = state.scopes.get(branchId(visit.path, String(round)))?.result;
  if (result === undefined) return undefined;
  const node = conversation.rounds[round - 1] ?? '';
  return result.error === undefined
    ? { node, output: result.output ?? null }
    : { node, ...shownToModel(result.error) };
}

/** The node that a decision names. */
export function nextOf(decision: JsonValue): string {
  const next = isPlainObject(decision) ? decision['next'] : undefined;
  return typeof next === 'string' ? next : DONE;
}
