/**
 * Prices of calls. A file's own prices win over the table of list prices, and a model that is in neither
 * has no price, which the caller has to report. Money is whole micro-dollars, rounded up, so that rounding
 * never makes a sum lower than the bill.
 */
import { listPrices } from './price-table.ts';
import { providerNamed } from '../known-providers.ts';

export interface Price {
  readonly inputUsdMicrosPerMtok: number;
  /** Thoughts are output too. */
  readonly outputUsdMicrosPerMtok: number;
  /** Absent: as input. */
  readonly cacheReadUsdMicrosPerMtok?: number;
  /** Absent: as input. */
  readonly cacheWriteUsdMicrosPerMtok?: number;
  /** For the whole of a request whose input is longer than that. */
  readonly long?: Omit<Price, 'long'> & { readonly aboveInputTokens: number };
}

export interface TokenCounts {
  /** All of it, cached or not. */
  readonly inputTokens?: number;
  /** All of it, thoughts too. */
  readonly outputTokens?: number;
  /** The part of the input that was read from a cache. */
  readonly cachedTokens?: number;
  /** The part of the input that was written to a cache. */
  readonly cacheWriteTokens?: number;
  /** The part of the output that was thought. */
  readonly reasoningTokens?: number;
}

const FREE: Price = { inputUsdMicrosPerMtok: 0, outputUsdMicrosPerMtok: 0 };

/** On one's own machine. */
const LOCAL: ReadonlySet<string> = new Set(['ollama', 'lmstudio', 'vllm', 'llamacpp']);

/** `-20251001`, `-2026-04-01`, `-2512`, `@20251001`: a day's snapshot costs what its model costs. */
const SNAPSHOT = /[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{4})$/;

/** Null where no price is known. */
export function priceOf(
  model: string,
  overrides: Readonly<Record<string, Price>> = {},
): Price | null {
  const names = namesOf(model);
  return find(overrides, names) ?? find(listPrices(), names) ?? localPrice(model);
}

/** Whole micro-dollars, rounded up, and never more than a number can count. */
export function costUsdMicros(price: Price, usage: TokenCounts): number {
  const cached = count(usage.cachedTokens);
  const written = count(usage.cacheWriteTokens);
  // hosts that leave the cache out of the input, or thoughts out of the output, do charge for them
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

/** Exact: a long context at a high price exceeds what a number holds without loss. */
function times(tokens: number, rate: number): bigint {
  return BigInt(tokens) * BigInt(Math.max(0, Math.ceil(rate)));
}

function count(tokens: number | undefined): number {
  return tokens === undefined || !(tokens > 0) || !Number.isFinite(tokens) ? 0 : Math.ceil(tokens);
}

/** As written, with the usual name of its provider, and without its date. */
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
