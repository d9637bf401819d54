/** Pricing of model calls: what a call costs, and an estimate before it is made. */
import { costUsdMicros, priceOf, type Price } from '../../providers/pricing/prices.ts';
import {
  DEFAULT_OUTPUT_TOKENS,
  TOKENS_PER_IMAGE,
  tokensIn,
} from '../../providers/pricing/estimate-tokens.ts';
import type { Usage } from '../state/events.ts';
import type {
  ModelCall,
  ModelMessage,
  ProviderTurn,
  ToolCall,
} from '../conversation/model-message.ts';
import { runtimeOf } from '../conversation/model-request.ts';
import { fileOf, workflowsAround } from '../state/plan-lookup.ts';
import type { RunState, Scope } from '../state/state.ts';

const FREE: Price = { inputUsdMicrosPerMtok: 0, outputUsdMicrosPerMtok: 0 };

/** Money and tokens together, as budgets count them. */
export interface Amount {
  /** Millionths of a dollar. */
  readonly usdMicros: number;
  /** Tokens of input and output. */
  readonly tokens: number;
}

/** An amount that is expected of one call. */
export interface Estimate extends Amount {
  /** The tokens of the request; absent in older logs. */
  readonly inputTokens?: number;
}

/**
 * A usage as the log stores it: invalid counts are left out, and counts are capped at the largest safe
 * integer. JSON has no infinity, so an uncapped sum could differ in the log.
 */
export function countable(usage: Usage): Usage {
  const counts = Object.entries(usage) as [keyof Usage, number][];
  return Object.fromEntries(
    counts.filter(([, tokens]) => tokens >= 0).map(([name, tokens]) => [name, bounded(tokens)]),
  );
}

/** Caps an amount so that it can be added to and stored. */
export function bounded(amount: number): number {
  return Math.min(amount, Number.MAX_SAFE_INTEGER);
}

/** Null when no price is known for the model. */
function priceIn(state: RunState, scope: Scope, model: string): Price | null {
  for (const around of workflowsAround(state, scope)) {
    const price = priceOf(model, fileOf(state.plan, around.file).prices);
    if (price !== null) return price;
  }
  if (model.startsWith('sim/')) return runtimeOf(state, scope)?.simulatePrice ?? FREE;
  return null;
}

export function isPriced(state: RunState, scope: Scope, model: string): boolean {
  return priceIn(state, scope, model) !== null;
}

/** Undefined for a model without a price. */
export function costOf(
  state: RunState,
  scope: Scope,
  model: string,
  usage: Usage,
): number | undefined {
  const price = priceIn(state, scope, model);
  if (price !== null) return costUsdMicros(price, usage);
  // no tokens cost nothing, whatever the price
  return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) === 0 ? 0 : undefined;
}

/** The amount to reserve for a call before it is made. */
export function estimateOf(state: RunState, scope: Scope, call: ModelCall): Estimate {
  const inputTokens = inputTokensOf(call);
  const outputTokens = call.maxTokens ?? DEFAULT_OUTPUT_TOKENS;
  return {
    usdMicros: costOf(state, scope, call.model, { inputTokens, outputTokens }) ?? 0,
    tokens: inputTokens + outputTokens,
    inputTokens,
  };
}

/** Counts everything that is sent, as a provider does: messages, tools and schema. */
export function inputTokensOf({ system = '', messages, tools, outputSchema }: ModelCall): number {
  const chars =
    system.length +
    messages.reduce((sum, message) => sum + charsOf(message), 0) +
    (tools.length === 0 ? 0 : JSON.stringify(tools).length) +
    (outputSchema === undefined ? 0 : JSON.stringify(outputSchema).length);
  const images = messages.reduce(
    (sum, message) => sum + (message.role === 'user' ? (message.images?.length ?? 0) : 0),
    0,
  );
  return tokensIn(chars) + images * TOKENS_PER_IMAGE;
}

export function outputTokensOf(text: string, toolCalls: readonly ToolCall[] = []): number {
  return tokensIn(text.length + toolCalls.reduce((sum, call) => sum + charsOfCall(call), 0));
}

function charsOf(message: ModelMessage): number {
  switch (message.role) {
    case 'user':
      return message.text.length;
    case 'assistant':
      return (
        message.text.length +
        message.toolCalls.reduce((sum, call) => sum + charsOfCall(call), 0) +
        charsOfThoughts(message.turn)
      );
    case 'tool':
      return JSON.stringify(message.result).length;
  }
}

/** Leaves out encrypted reasoning: only its provider knows how many tokens it is. */
function charsOfThoughts(turn: ProviderTurn | undefined): number {
  return (turn?.parts ?? []).reduce(
    (sum, part) => sum + (part.type === 'reasoning' ? part.text.length : 0),
    0,
  );
}

function charsOfCall({ name, arguments: args, unparsable }: ToolCall): number {
  return name.length + (unparsable ?? JSON.stringify(args ?? {})).length;
}
