/** Lets a second model judge the output of an agent; sends its words back, or fails the node. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { AgentPlan } from '../../workflow/plan/node-plan.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { feedbackText, rejectedConversation } from '../conversation/output-judge.ts';
import { judgeConversation } from '../conversation/judge-conversation.ts';
import { visitOf } from '../state/plan-lookup.ts';
import type { RunState, Scope } from '../state/state.ts';
import type { Decision } from './complete-node.ts';
import { failureAt, nodeFailed } from './failure-reports.ts';
import { askModel } from './model-call.ts';

/** The first request to the judge. Throws `validation.template`. */
export function beginJudging(state: RunState, scope: Scope, node: AgentPlan): Decision {
  const conversation = judgeConversation(state, scope, node);
  return askModel(state, withConversation(scope, conversation), conversation);
}

/** Follows a verdict that did not pass. */
export function afterRejection(
  state: RunState,
  scope: Scope,
  node: AgentPlan,
  { verdict, judge }: { readonly verdict: JsonValue; readonly judge: Conversation },
): Decision {
  const visit = visitOf(scope);
  const again = rejectedConversation(judge);
  const retries = node.validator?.maxRetries ?? 0;
  const isOver = again === undefined || (again.rejections ?? 0) > retries;
  if (!isOver && again.turns < node.maxTurns)
    return askModel(state, withConversation(scope, again), again);
  const error = failureAt(state, scope, visit.node, {
    kind: 'agent.output_rejected',
    message: `The output of ${visit.node} does not meet its criteria: ${feedbackText(verdict)}`,
    details: { rejections: again?.rejections ?? 1, feedback: feedbackText(verdict) },
  });
  const output = judge.judging?.output ?? null;
  return { events: [{ ...nodeFailed(visit, error), output }] };
}

/** The scope as it will be when the request is stored. */
function withConversation(scope: Scope, conversation: Conversation): Scope {
  return { ...scope, visit: { ...visitOf(scope), conversation } };
}
