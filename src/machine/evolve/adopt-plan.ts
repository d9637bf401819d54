/**
 * Adopts a changed plan on resume. A conversation without a reply starts again with the new text,
 * or ends if its node has another type. Any other continues: its messages and results stay, and its
 * next request uses the new text and the models that the file names now.
 */
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { newChain, type ChainEntry } from '../policy/model-chain.ts';
import { findNode } from '../state/plan-lookup.ts';
import { hasConversation, modelsOf, type ConversationPlan } from '../conversation/model-request.ts';
import { closeGates, dropInside } from '../state/scopes.ts';
import type { RunState, Scope, Visit } from '../state/state.ts';

export function adoptPlan(state: RunState, before: WorkflowPlan): void {
  for (const scope of state.scopes.values()) {
    // a pending request was made with the old text, and is repeated with it
    if (scope.visit?.conversation !== undefined && scope.visit.pending.size === 0)
      adoptInConversation(state, scope, scope.visit, before);
  }
}

/** The next request of each conversation uses the current text and input. */
export function rewordConversations({ scopes }: RunState): void {
  for (const { visit } of scopes.values())
    if (visit?.conversation !== undefined) visit.conversation.isReworded = true;
}

function adoptInConversation(
  state: RunState,
  scope: Scope,
  visit: Visit,
  before: WorkflowPlan,
): void {
  const { conversation } = visit;
  const node = findNode(state.plan, scope.file, visit.node);
  if (conversation === undefined || node === undefined) return;
  const was = findNode(before, scope.file, visit.node);
  const isChanged = was?.fingerprint !== node.fingerprint;
  if (
    !hasConversation(node) ||
    node.type !== was?.type ||
    (isChanged && conversation.turns === 0)
  ) {
    // its approvals were about the old text; a question about its failure stays open
    if (visit.phase.type !== 'asking') closeGates(state, scope);
    visit.conversation = undefined;
    // the rounds of a supervisor are part of it: a node of another type has nothing inside
    dropInside(state, visit);
    visit.members = undefined;
    return;
  }
  const chain = updatedChain(state, scope, node, conversation.chain);
  if (chain.length > 0) conversation.chain.splice(0, Infinity, ...chain);
}

/** A model that was in the chain before keeps its attempts and its pause. */
function updatedChain(
  state: RunState,
  scope: Scope,
  node: ConversationPlan,
  known: readonly ChainEntry[],
): readonly ChainEntry[] {
  return newChain(modelsOf(state, scope, node)).map((entry) => {
    const same = known.find(({ model }) => model === entry.model);
    return same === undefined ? entry : { ...same, on: entry.on };
  });
}
