/** The rounds of a supervisor: which node was chosen, and what came of it. */
import { isPlainObject, type JsonObject, type JsonValue } from '../errors/json.ts';
import { branchId } from './scopes.ts';
import type { RunState, Visit } from './state.ts';
import { toldToModel, type Talk } from './talk.ts';

/** What the model is told of the round that has just ended. */
export function roundResult(state: RunState, visit: Visit, talk: Talk): JsonObject | undefined {
  const round = talk.rounds.length;
  const result = state.scopes.get(branchId(visit.path, String(round)))?.result;
  if (result === undefined) return undefined;
  const node = talk.rounds[round - 1] ?? '';
  return result.error === undefined
    ? { node, output: result.output ?? null }
    : { node, ...toldToModel(result.error) };
}

/** The node that a decision names. */
export function nextOf(decision: JsonValue): string {
  const next = isPlainObject(decision) ? decision['next'] : undefined;
  return typeof next === 'string' ? next : 'done';
}
