/** What a call of a model costs in this run, and what it may cost before it is made. */
import { costUsdMicros, priceOf, type Price } from '../providers/prices.ts';
import type { Usage } from './events.ts';
import type { ModelCall } from './model-call.ts';
import { runtimeOf } from './model-request.ts';
import { fileOf, scopeOf, workflowScope } from './plan-lookup.ts';
import type { RunState, Scope } from './state.ts';

const CHARS_PER_TOKEN = 4;
const OUTPUT_TOKENS = 1000;
const FREE: Price = { inputUsdMicrosPerMtok: 0, outputUsdMicrosPerMtok: 0 };

export interface Amount {
  readonly usdMicros: number;
  readonly tokens: number;
}

/** Null where nobody said what the model costs. */
function priceIn(state: RunState, scope: Scope, model: string): Price | null {
  if (model.startsWith('sim/')) return runtimeOf(state, scope)?.simulatePrice ?? FREE;
  for (let around = workflowScope(state, scope); ;) {
    const price = priceOf(model, fileOf(state.plan, around.file).prices);
    if (price !== null || around.parent === undefined) return price;
    around = workflowScope(state, scopeOf(state, around.parent));
  }
}

/** Undefined for a model without a price. */
export function costOf(
  state: RunState,
  scope: Scope,
  model: string,
  usage: Usage,
): number | undefined {
  const price = priceIn(state, scope, model);
  return price === null ? undefined : costUsdMicros(price, usage);
}

/** What is set aside for a call before it is made. */
export function estimateOf(state: RunState, scope: Scope, call: ModelCall): Amount {
  const inputTokens = Math.ceil(charsOf(call) / CHARS_PER_TOKEN);
  const outputTokens = call.maxTokens ?? OUTPUT_TOKENS;
  return {
    usdMicros: costOf(state, scope, call.model, { inputTokens, outputTokens }) ?? 0,
    tokens: inputTokens + outputTokens,
  };
}

function charsOf({ system = '', messages }: ModelCall): number {
  return messages.reduce(
    (sum, message) =>
      sum + (message.role === 'tool' ? JSON.stringify(message.result) : message.text).length,
    system.length,
  );
}
