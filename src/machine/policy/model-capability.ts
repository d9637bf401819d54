/** Capabilities that models of a chain lack for a conversation, checked before anything is sent. */
import { lacks, limitsOf } from '../../providers/pricing/capabilities.ts';
import {
  modelInput,
  conversationNode,
  type ConversationPlan,
} from '../conversation/model-request.ts';
import { inputTokensOf } from './pricing.ts';
import type { RunState, Scope } from '../state/state.ts';
import type { Conversation } from '../conversation/conversation.ts';

export interface IncapableModel {
  readonly model: string;
  /** Continues a sentence about the model: `cannot call tools`. */
  readonly why: string;
}

/** The models that cannot handle the next request, and why. */
export function incapableModels(
  state: RunState,
  scope: Scope,
  conversation: Conversation,
): readonly IncapableModel[] {
  const required = requirementsOf(state, scope, conversationNode(state, scope), conversation);
  return conversation.chain.flatMap(({ model }) => {
    const why = missingCapability(model, required);
    return why === undefined ? [] : [{ model, why }];
  });
}

/** The same for every model, so it is computed once. */
function requirementsOf(
  state: RunState,
  scope: Scope,
  node: ConversationPlan,
  conversation: Conversation,
): ModelRequirements {
  const { call } = modelInput(state, scope, node, { conversation, model: '', ordinal: 0 });
  return {
    tools: call.tools.length > 0,
    structured: call.outputSchema !== undefined,
    images: call.messages.some(
      (message) => message.role === 'user' && message.images !== undefined,
    ),
    tokens: inputTokensOf(call),
  };
}

interface ModelRequirements {
  readonly tools: boolean;
  readonly structured: boolean;
  readonly images: boolean;
  readonly tokens: number;
}

function missingCapability(
  model: string,
  { tools, structured, images, tokens }: ModelRequirements,
): string | undefined {
  // every reply is streamed
  if (lacks(model, 'streaming')) return 'cannot stream its replies';
  if (tools && lacks(model, 'tools')) return 'cannot call tools';
  if (structured && lacks(model, 'structured_output')) return 'cannot follow an output schema';
  if (images && lacks(model, 'images')) return 'cannot read images';
  const limits = limitsOf(model);
  if (limits !== undefined && tokens > limits.contextTokens)
    return `accepts ${limits.contextTokens} tokens, and the request has about ${tokens}`;
  return undefined;
}
