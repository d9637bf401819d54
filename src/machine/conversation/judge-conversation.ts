/** Begins the conversation with the model that judges the final reply of an agent. */
import type { AgentPlan } from '../../workflow/plan/node-plan.ts';
import { newChain } from '../policy/model-chain.ts';
import { logPlanMismatch, visitOf } from '../state/plan-lookup.ts';
import type { RunState, Scope } from '../state/state.ts';
import { newConversation, type Conversation } from './conversation.ts';
import { judgePlan } from './output-judge.ts';
import { chainOf, promptOf, schemaOf } from './model-request.ts';
import { readReply } from './model-reply.ts';

/**
 * The same state gives the same conversation: it is built for the request, and again when the
 * request is stored.
 */
export function judgeConversation(state: RunState, scope: Scope, node: AgentPlan): Conversation {
  const { conversation } = visitOf(scope);
  if (conversation === undefined) throw logPlanMismatch('conversation', node.name);
  const read = readReply(conversation.reply?.text ?? '', schemaOf(state, node));
  const output = read.type === 'output' ? read.output : null;
  const judge = judgePlan(node, output);
  const chain = newChain(chainOf(state, scope, judge));
  return {
    ...newConversation(promptOf(state, scope, judge), chain, conversation),
    judging: { of: conversation, output },
  };
}
