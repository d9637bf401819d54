/**
 * List prices of current models for standard requests, in dollars per million tokens, as the
 * providers write them. Looked up on 16 November 2026. If a provider has several prices for one
 * thing (by the hour, for a while), the highest is here: a budget must hold then too.
 *
 * Absent, and so without a price: charges for more than tokens (Perplexity also charges per
 * request), names that users choose (Azure), prices by region (Bedrock), and markets of many hosts
 * (OpenRouter, Together, Fireworks).
 */
import { once } from '../../errors/support/once.ts';
import type { Price } from './prices.ts';

interface Dollars {
  readonly in: number;
  readonly out: number;
  readonly read?: number;
  readonly write?: number;
  readonly long?: Dollars & { readonly above: number };
}

const MICROS = 1_000_000;

function toPrice(dollars: Dollars): Price {
  const { long } = dollars;
  const price = rates(dollars);
  return long === undefined
    ? price
    : { ...price, long: { ...rates(long), aboveInputTokens: long.above } };
}

function rates({ in: input, out, read, write }: Dollars): Omit<Price, 'long'> {
  return {
    inputUsdMicrosPerMtok: Math.round(input * MICROS),
    outputUsdMicrosPerMtok: Math.round(out * MICROS),
    ...(read === undefined ? {} : { cacheReadUsdMicrosPerMtok: Math.round(read * MICROS) }),
    ...(write === undefined ? {} : { cacheWriteUsdMicrosPerMtok: Math.round(write * MICROS) }),
  };
}

/**
 * Above 272,000 tokens of input OpenAI charges twice the price of input and 1.5 times that of
 * output.
 */
function openai(price: Dollars): Dollars {
  const twice = (dollars: number | undefined): number | undefined =>
    dollars === undefined ? undefined : dollars * 2;
  const read = twice(price.read);
  const write = twice(price.write);
  return {
    ...price,
    long: {
      above: 272_000,
      in: price.in * 2,
      out: price.out * 1.5,
      ...(read === undefined ? {} : { read }),
      ...(write === undefined ? {} : { write }),
    },
  };
}

/**
 * https://developers.openai.com/api/docs/pricing; 5.6 Sol without its discount of autumn 2026. That
 * page lacks two models, for which a file can set better prices: 6 has the price of 6 Sol, and 6
 * Mini one between Luna and Terra.
 */
const OPENAI: Readonly<Record<string, Dollars>> = {
  'gpt-6-astra': openai({ in: 10, read: 1, write: 12.5, out: 50 }),
  'gpt-6.1-sol': openai({ in: 2, read: 0.1, write: 2.5, out: 10 }),
  'gpt-6.1-terra': openai({ in: 1, read: 0.05, write: 1.25, out: 5 }),
  'gpt-6': openai({ in: 2, read: 0.2, write: 2.5, out: 10 }),
  'gpt-6-sol': openai({ in: 2, read: 0.2, write: 2.5, out: 10 }),
  'gpt-6-luna': openai({ in: 0.1, read: 0.01, write: 0.125, out: 0.5 }),
  'gpt-6-mini': openai({ in: 0.5, read: 0.05, write: 0.625, out: 2.5 }),
  'gpt-5.6': openai({ in: 5, read: 0.5, out: 30 }),
  'gpt-5.6-sol': openai({ in: 5, read: 0.5, out: 30 }),
  'gpt-5.6-terra': openai({ in: 2, read: 0.2, out: 12 }),
  'gpt-5.6-luna': openai({ in: 0.2, read: 0.02, out: 1.2 }),
  'gpt-5.1': { in: 1.25, read: 0.125, out: 10 },
  'gpt-5': { in: 1.25, read: 0.125, out: 10 },
  'gpt-4o': { in: 2.5, read: 1.25, out: 10 },
  'gpt-4o-mini': { in: 0.15, read: 0.075, out: 0.6 },
};

const OPUS: Dollars = { in: 5, read: 0.5, write: 6.25, out: 25 };
const FABLE: Dollars = { in: 10, read: 1, write: 12.5, out: 50 };

/**
 * https://platform.claude.com/docs/en/about-claude/pricing; the prices of cache writes are for five
 * minutes.
 */
const ANTHROPIC: Readonly<Record<string, Dollars>> = {
  'claude-fable-5-1': { ...FABLE, read: 0.25 },
  'claude-mythos-5-1': { ...FABLE, read: 0.25 },
  'claude-fable-5': FABLE,
  'claude-mythos-5': FABLE,
  'claude-opus-5-5': { in: 4, read: 0.2, write: 5, out: 20 },
  'claude-opus-5': OPUS,
  'claude-opus-4-8': OPUS,
  'claude-opus-4-7': OPUS,
  'claude-opus-4-6': OPUS,
  'claude-opus-4-5': OPUS,
  'claude-sonnet-5-5': { in: 2, read: 0.2, write: 2.5, out: 10 },
  'claude-sonnet-5': { in: 2, read: 0.2, write: 2.5, out: 10 },
  'claude-sonnet-4-6': { in: 3, read: 0.3, write: 3.75, out: 15 },
  'claude-sonnet-4-5': { in: 3, read: 0.3, write: 3.75, out: 15 },
  'claude-haiku-5-5': {
    in: 0.1,
    read: 0.01,
    write: 0.125,
    out: 0.5,
    long: { above: 100_000, in: 0.5, read: 0.05, write: 0.625, out: 2.5 },
  },
  'claude-haiku-4-5': { in: 1, read: 0.1, write: 1.25, out: 5 },
};

/** https://ai.google.dev/gemini-api/docs/pricing; 3.7 and 3.8 without their discount. */
const GOOGLE: Readonly<Record<string, Dollars>> = {
  'gemini-3.8-flash': { in: 1.5, read: 0.15, out: 7.5 },
  'gemini-3.7-flash': { in: 1.5, read: 0.15, out: 7.5 },
  'gemini-3.6-flash': { in: 1.5, read: 0.15, out: 7.5 },
  'gemini-3.5-flash-lite': { in: 0.3, read: 0.03, out: 2.5 },
  'gemini-3.1-flash-lite': { in: 0.25, read: 0.03, out: 1.5 },
  'gemini-3.1-pro-preview': {
    in: 2,
    read: 0.2,
    out: 12,
    long: { above: 200_000, in: 4, read: 0.4, out: 18 },
  },
  'gemini-2.5-pro': {
    in: 1.25,
    read: 0.125,
    out: 10,
    long: { above: 200_000, in: 2.5, read: 0.25, out: 15 },
  },
};

/** https://docs.mistral.ai/models; Large 4 is in preview, with two published prices. */
const MISTRAL: Readonly<Record<string, Dollars>> = {
  'mistral-large-4': { in: 1.36, out: 4.18 },
  'mistral-large-4-0': { in: 1.36, out: 4.18 },
  'mistral-medium-3.5': { in: 1.5, out: 7.5 },
  'mistral-medium-3': { in: 1.5, out: 7.5 },
  'codestral-latest': { in: 0.3, out: 0.9 },
  'devstral-medium-latest': { in: 0.4, out: 2 },
  devstral: { in: 0.4, out: 2 },
  'magistral-medium-latest': { in: 2, out: 5 },
};

const DEEPSEEK_FLASH: Dollars = { in: 0.3, read: 0.006, out: 1.2 };

/**
 * https://api-docs.deepseek.com/quick_start/pricing; the price at peak hours, half at other times.
 * Reasoner is an old name, at the highest price that it ever had.
 */
const DEEPSEEK: Readonly<Record<string, Dollars>> = {
  'deepseek-flash': DEEPSEEK_FLASH,
  'deepseek-v4-flash': DEEPSEEK_FLASH,
  'deepseek-reasoner': { in: 0.55, read: 0.14, out: 2.19 },
  'deepseek-v4-pro': { in: 1.32, read: 0.044, out: 3.96 },
};

const GROK: Dollars = {
  in: 2,
  read: 0.5,
  out: 6,
  long: { above: 200_000, in: 4, read: 1, out: 12 },
};

/** https://docs.x.ai/developers/models */
const XAI: Readonly<Record<string, Dollars>> = {
  'grok-4.6': GROK,
  'grok-4.5': GROK,
  'grok-4.3': {
    in: 1.25,
    read: 0.2,
    out: 2.5,
    long: { above: 200_000, in: 2.5, read: 0.4, out: 5 },
  },
};

/** https://console.groq.com/docs/models */
const GROQ: Readonly<Record<string, Dollars>> = {
  'openai/gpt-oss-120b': { in: 0.15, out: 0.6 },
  'openai/gpt-oss-20b': { in: 0.075, out: 0.3 },
  'llama-3.3-70b-versatile': { in: 0.59, out: 0.79 },
  'llama-3.1-8b-instant': { in: 0.05, out: 0.08 },
};

const BY_PROVIDER: Readonly<Record<string, Readonly<Record<string, Dollars>>>> = {
  openai: OPENAI,
  anthropic: ANTHROPIC,
  google: GOOGLE,
  mistral: MISTRAL,
  deepseek: DEEPSEEK,
  xai: XAI,
  groq: GROQ,
};

/** By `provider/model`. */
export const listPrices = once((): Readonly<Record<string, Price>> =>
  Object.fromEntries(
    Object.entries(BY_PROVIDER).flatMap(([provider, models]) =>
      Object.entries(models).map(([model, dollars]) => [`${provider}/${model}`, toPrice(dollars)]),
    ),
  ),
);
