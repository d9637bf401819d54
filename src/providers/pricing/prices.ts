/**
 * Prices of calls. A file's own prices win over the table of list prices. A model in neither has no
 * price, which the caller has to report. Money is whole micro-dollars, rounded up, so that rounding
 * never makes a sum lower than the bill.
 */
import { listPrices } from './price-table.ts';
import { providerNamed } from '../known-providers.ts';

export interface Price {
  readonly inputUsdMicrosPerMtok: number;
  /** Thoughts are output too. */
  readonly outputUsdMicrosPerMtok: number;
  /** Default: the price of input. */
  readonly cacheReadUsdMicrosPerMtok?: number;
  /** Default: the price of input. */
  readonly cacheWriteUsdMicrosPerMtok?: number;
  /** The prices of a whole request whose input exceeds `aboveInputTokens`. */
  readonly long?: Omit<Price, 'long'> & { readonly aboveInputTokens: number };
}

export interface TokenCounts {
  /** All input, cached or not. */
  readonly inputTokens?: number;
  /** All output, including thoughts. */
  readonly outputTokens?: number;
  /** The part of the input that was read from a cache. */
  readonly cachedTokens?: number;
  /** The part of the input that was written to a cache. */
  readonly cacheWriteTokens?: number;
  /** The part of the output that was thought. */
  readonly reasoningTokens?: number;
}

const FREE: Price = { inputUsdMicrosPerMtok: 0, outputUsdMicrosPerMtok: 0 };

/** Hosts on the user's own machine. */
const LOCAL: ReadonlySet<string> = new Set(['ollama', 'lmstudio', 'vllm', 'llamacpp']);

/** `-20251001`, `-2026-04-01`, `-2512`, `@20251001`: a day's snapshot costs what its model costs. */
const SNAPSHOT = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{4})$/;

/** Null if no price is known. */
export function priceOf(
  model: string,
  overrides: Readonly<Record<string, Price>> = {},
): Price | null {
  const names = namesOf(model);
  return find(overrides, names) ?? find(listPrices(), names) ?? localPrice(model);
}

/** Whole micro-dollars, rounded up, and capped at the largest safe integer. */
export function costUsdMicros(price: Price, usage: TokenCounts): number {
  const cached = count(usage.cachedTokens);
  const written = count(usage.cacheWriteTokens);
  // a host charges for the cache and for thoughts even if it leaves them out of its input or output
  // count
  const input = Math.max(count(usage.inputTokens), cached + written);
  const output = Math.max(count(usage.outputTokens), count(usage.reasoningTokens));
  const rates =
    price.long !== undefined && input > price.long.aboveInputTokens ? price.long : price;
  const base = rates.inputUsdMicrosPerMtok;
  const perMillion =
    times(input - cached - written, base) +
    times(cached, rates.cacheReadUsdMicrosPerMtok ?? base) +
    times(written, rates.cacheWriteUsdMicrosPerMtok ?? base) +
    times(output, rates.outputUsdMicrosPerMtok);
  return Math.min(Number((perMillion + MILLION - 1n) / MILLION), Number.MAX_SAFE_INTEGER);
}

const MILLION = 1_000_000n;

/** Exact: a long context at a high price exceeds the integers that a number holds exactly. */
function times(tokens: number, rate: number): bigint {
  return BigInt(tokens) * BigInt(Math.max(0, Math.ceil(rate)));
}

function count(tokens: number | undefined): number {
  return tokens === undefined || !(tokens > 0) || !Number.isFinite(tokens) ? 0 : Math.ceil(tokens);
}

/** The name as written, then with the usual name of its provider, then without its date. */
function namesOf(model: string): readonly string[] {
  const slash = model.indexOf('/');
  if (slash < 1) return [model];
  const provider = providerNamed(model.slice(0, slash)).name;
  const id = model.slice(slash + 1).replace(/^models\//, '');
  return [model, `${provider}/${id}`, `${provider}/${id.replace(SNAPSHOT, '')}`];
}

function find(table: Readonly<Record<string, Price>>, names: readonly string[]): Price | undefined {
  const name = names.find((each) => Object.hasOwn(table, each));
  return name === undefined ? undefined : table[name];
}

function localPrice(model: string): Price | null {
  const slash = model.indexOf('/');
  return slash > 0 && LOCAL.has(providerNamed(model.slice(0, slash)).name) ? FREE : null;
}
