/** What a call of a model costs in this run, and what it may cost before it is made. */
import { costUsdMicros, priceOf, type Price } from '../providers/prices.ts';
import type { Usage } from './events.ts';
import type { ModelCall, ModelMessage, ProviderTurn, ToolCall } from './model-call.ts';
import { runtimeOf } from './model-request.ts';
import { fileOf, workflowsAround } from './plan-lookup.ts';
import type { RunState, Scope } from './state.ts';

const CHARS_PER_TOKEN = 4;
const OUTPUT_TOKENS = 1000;
/** What providers charge for a picture of usual size; nobody tells before the answer. */
const TOKENS_PER_IMAGE = 1000;
const FREE: Price = { inputUsdMicrosPerMtok: 0, outputUsdMicrosPerMtok: 0 };

export interface Amount {
  readonly usdMicros: number;
  readonly tokens: number;
}

/** Null where nobody said what the model costs. */
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
  // what used nothing costs nothing, whatever the price
  return (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0) === 0 ? 0 : undefined;
}

/** What is set aside for a call before it is made. */
export function estimateOf(state: RunState, scope: Scope, call: ModelCall): Amount {
  const inputTokens = inputTokensOf(call);
  const outputTokens = call.maxTokens ?? OUTPUT_TOKENS;
  return {
    usdMicros: costOf(state, scope, call.model, { inputTokens, outputTokens }) ?? 0,
    tokens: inputTokens + outputTokens,
  };
}

/** Everything that is sent, tools and schema too: what a provider counts. */
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

/** What is encrypted is no text, and how many tokens it stands for only its provider knows. */
function charsOfThoughts(turn: ProviderTurn | undefined): number {
  return (turn?.parts ?? []).reduce(
    (sum, part) => sum + (part.type === 'reasoning' ? part.text.length : 0),
    0,
  );
}

function charsOfCall({ name, arguments: given, unparsable }: ToolCall): number {
  return name.length + (unparsable ?? JSON.stringify(given ?? {})).length;
}

function tokensIn(chars: number): number {
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
