/** What the models of a chain lack for a conversation, found out before anything is sent. */
import { lacks, limitsOf } from '../providers/capabilities.ts';
import { modelWork, talkingNode, type TalkingPlan } from './model-request.ts';
import { inputTokensOf } from './pricing.ts';
import type { RunState, Scope } from './state.ts';
import type { Talk } from './talk.ts';

export interface Unable {
  readonly model: string;
  /** `cannot call tools`: the rest of a sentence about it. */
  readonly why: string;
}

/** The entries that cannot do what is asked, and why. */
export function unableModels(state: RunState, scope: Scope, talk: Talk): readonly Unable[] {
  const wanted = wantedBy(state, scope, talkingNode(state, scope), talk);
  return talk.chain.flatMap(({ model }) => {
    const why = lackOf(model, wanted);
    return why === undefined ? [] : [{ model, why }];
  });
}

/** The same of every model, so it is worked out once. */
function wantedBy(state: RunState, scope: Scope, node: TalkingPlan, talk: Talk): Wanted {
  const { call } = modelWork(state, scope, node, { talk, model: '', ordinal: 0 });
  return {
    tools: call.tools.length > 0,
    structured: call.outputSchema !== undefined,
    images: call.messages.some(
      (message) => message.role === 'user' && message.images !== undefined,
    ),
    tokens: inputTokensOf(call),
  };
}

interface Wanted {
  readonly tools: boolean;
  readonly structured: boolean;
  readonly images: boolean;
  readonly tokens: number;
}

function lackOf(model: string, { tools, structured, images, tokens }: Wanted): string | undefined {
  // every answer is read as it comes
  if (lacks(model, 'streaming')) return 'cannot stream its answers';
  if (tools && lacks(model, 'tools')) return 'cannot call tools';
  if (structured && lacks(model, 'structured_output')) return 'cannot answer by a schema';
  if (images && lacks(model, 'images')) return 'cannot read images';
  const limits = limitsOf(model);
  if (limits !== undefined && tokens > limits.contextTokens)
    return `takes ${limits.contextTokens} tokens, and about ${tokens} are asked of it`;
  return undefined;
}
