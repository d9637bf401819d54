/**
 * A run is resumed with a file that changed: a conversation that nobody has answered yet begins anew
 * with the new words, and any other goes on: what was said and done stays, and its next request has
 * the new words and goes to the models that the file names now.
 */
import type { WorkflowPlan } from '../workflow/model.ts';
import { newChain, type ChainEntry } from './chain.ts';
import { findNode } from './drift.ts';
import { isTalking, modelsOf, type TalkingPlan } from './model-request.ts';
import { closeGates } from './scopes.ts';
import type { RunState, Scope, Visit } from './state.ts';

export function takeOverText(state: RunState, before: WorkflowPlan): void {
  for (const scope of state.scopes.values()) {
    // what is under way was asked with the old words, and is asked again with them
    if (scope.visit?.talk !== undefined && scope.visit.pending.size === 0)
      takeOver(state, scope, scope.visit, before);
  }
}

/** What they ask next they ask with the words and inputs that hold now. */
export function rewordTalks({ scopes }: RunState): void {
  for (const { visit } of scopes.values())
    if (visit?.talk !== undefined) visit.talk.isReworded = true;
}

function takeOver(state: RunState, scope: Scope, visit: Visit, before: WorkflowPlan): void {
  const { talk } = visit;
  const node = findNode(state.plan, scope.file, visit.node);
  if (talk === undefined || node === undefined) return;
  const was = findNode(before, scope.file, visit.node);
  const isChanged = was?.fingerprint !== node.fingerprint;
  if (!isTalking(node) || node.type !== was?.type || (isChanged && talk.turns === 0)) {
    // its own questions were asked for the old text; what became of it is still to be answered
    if (visit.phase.at !== 'asking') closeGates(state, scope);
    visit.talk = undefined;
    return;
  }
  const chain = chainNow(state, scope, node, talk.chain);
  if (chain.length > 0) talk.chain.splice(0, Infinity, ...chain);
}

/** A model that was there before has fared as it has. */
function chainNow(
  state: RunState,
  scope: Scope,
  node: TalkingPlan,
  known: readonly ChainEntry[],
): readonly ChainEntry[] {
  return newChain(modelsOf(state, scope, node)).map((entry) => {
    const same = known.find(({ model }) => model === entry.model);
    return same === undefined ? entry : { ...same, on: entry.on };
  });
}
