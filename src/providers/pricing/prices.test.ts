import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listPrices } from './price-table.ts';
import { costUsdMicros, priceOf, type Price, type TokenCounts } from './prices.ts';

const SIMPLE: Price = { inputUsdMicrosPerMtok: 2_000_000, outputUsdMicrosPerMtok: 10_000_000 };

function price(model: string): Price {
  const found = priceOf(model);
  if (found === null) throw new Error(`${model} has no price`);
  return found;
}

describe('what a call costs', () => {
  it('is the sum of its tokens at their prices', () => {
    // 1,000 x 2 + 500 x 10 = 2,000 + 5,000
    expect(costUsdMicros(SIMPLE, { inputTokens: 1_000, outputTokens: 500 })).toBe(7_000);
  });

  it('is rounded up to a whole micro-dollar, once', () => {
    const cheap: Price = { inputUsdMicrosPerMtok: 100_000, outputUsdMicrosPerMtok: 500_000 };
    // 1 x 0.1 + 1 x 0.5 = 0.6
    expect(costUsdMicros(cheap, { inputTokens: 1, outputTokens: 1 })).toBe(1);
    // 10 x 0.1 = 1
    expect(costUsdMicros(cheap, { inputTokens: 10 })).toBe(1);
    expect(costUsdMicros(cheap, {})).toBe(0);
  });

  it('is less for tokens read from a cache, and more for tokens written to it', () => {
    // Opus 5.5: 200 x 4 + 700 x 0.20 + 100 x 5 + 50 x 20 = 800 + 140 + 500 + 1,000
    const usage = {
      inputTokens: 1_000,
      cachedTokens: 700,
      cacheWriteTokens: 100,
      outputTokens: 50,
    };
    expect(costUsdMicros(price('anthropic/claude-opus-5-5'), usage)).toBe(2_440);
  });

  it('is the price of input for a cache that has none of its own', () => {
    expect(costUsdMicros(SIMPLE, { inputTokens: 100, cachedTokens: 60 })).toBe(200);
  });

  it('counts a cache as input, and once', () => {
    expect(costUsdMicros(SIMPLE, { inputTokens: 10, cachedTokens: 99 })).toBe(198);
    const opus = price('anthropic/claude-opus-5-5');
    // 700 x 0.20 + 100 x 5
    expect(costUsdMicros(opus, { inputTokens: 5, cachedTokens: 700, cacheWriteTokens: 100 })).toBe(
      640,
    );
  });

  it('counts thoughts as output, and once', () => {
    expect(costUsdMicros(SIMPLE, { outputTokens: 100, reasoningTokens: 80 })).toBe(1_000);
    expect(costUsdMicros(SIMPLE, { outputTokens: 10, reasoningTokens: 80 })).toBe(800);
  });

  it('changes for all of a request that is long', () => {
    const sol = price('openai/gpt-6.1-sol');
    // 272,000 x 2 = 544,000 and one token more 272,001 x 4 = 1,088,004
    expect(costUsdMicros(sol, { inputTokens: 272_000 })).toBe(544_000);
    expect(costUsdMicros(sol, { inputTokens: 272_001 })).toBe(1_088_004);
    // 300,000 tokens, of them 200,000 cached: 100,000 x 4 + 200,000 x 0.20 + 1,000 x 15
    const usage = { inputTokens: 300_000, cachedTokens: 200_000, outputTokens: 1_000 };
    expect(costUsdMicros(sol, usage)).toBe(400_000 + 40_000 + 15_000);
  });

  it('survives counts that make no sense', () => {
    expect(costUsdMicros(SIMPLE, { inputTokens: -5, outputTokens: Number.NaN })).toBe(0);
  });
});

const tokens = fc.record(
  {
    inputTokens: fc.nat(10_000_000),
    outputTokens: fc.nat(10_000_000),
    cachedTokens: fc.nat(10_000_000),
    cacheWriteTokens: fc.nat(10_000_000),
    reasoningTokens: fc.nat(10_000_000),
  },
  { requiredKeys: [] },
);
const prices = fc.constantFrom(SIMPLE, ...Object.values(listPrices()));

describe('every cost', () => {
  it('is a whole number and not below zero', () => {
    fc.assert(
      fc.property(prices, tokens, (each, usage: TokenCounts) => {
        const cost = costUsdMicros(each, usage);
        return Number.isSafeInteger(cost) && cost >= 0;
      }),
    );
  });

  it('does not fall when there is more input or output', () => {
    fc.assert(
      fc.property(prices, tokens, fc.nat(1_000_000), (each, usage: TokenCounts, more) => {
        const cost = costUsdMicros(each, usage);
        const moreInput = { ...usage, inputTokens: (usage.inputTokens ?? 0) + more };
        const moreOutput = { ...usage, outputTokens: (usage.outputTokens ?? 0) + more };
        return costUsdMicros(each, moreInput) >= cost && costUsdMicros(each, moreOutput) >= cost;
      }),
    );
  });

  it('is never higher in parts by more than rounding', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(1_000_000), (one, two) => {
        const whole = costUsdMicros(SIMPLE, { outputTokens: one + two });
        const parts =
          costUsdMicros(SIMPLE, { outputTokens: one }) +
          costUsdMicros(SIMPLE, { outputTokens: two });
        return parts >= whole && parts - whole <= 1;
      }),
    );
  });
});

describe('the table', () => {
  it.each(Object.entries(listPrices()))('has sane prices for %s', (_name, each) => {
    const { long, ...base } = each;
    const { aboveInputTokens, ...longer } = long ?? { aboveInputTokens: 1, ...base };
    for (const rate of [...Object.values(base), ...Object.values(longer), aboveInputTokens]) {
      expect(Number.isSafeInteger(rate) && rate > 0).toBe(true);
    }
    expect(base.outputUsdMicrosPerMtok).toBeGreaterThan(base.inputUsdMicrosPerMtok);
    expect(base.cacheReadUsdMicrosPerMtok ?? 0).toBeLessThan(base.inputUsdMicrosPerMtok);
    expect(longer.inputUsdMicrosPerMtok).toBeGreaterThanOrEqual(base.inputUsdMicrosPerMtok);
    expect(longer.outputUsdMicrosPerMtok).toBeGreaterThanOrEqual(base.outputUsdMicrosPerMtok);
  });

  it('knows a model by its other names and by its dates', () => {
    expect(price('claude/claude-haiku-4-5-20251001')).toBe(price('anthropic/claude-haiku-4-5'));
    expect(price('gemini/models/gemini-3.8-flash')).toBe(price('google/gemini-3.8-flash'));
    expect(price('openai/gpt-4o-2024-08-06')).toBe(price('openai/gpt-4o'));
  });

  it('has nothing for what it does not know', () => {
    for (const model of [
      'openai/gpt-99',
      'azure/mine',
      'perplexity/sonar',
      'gpt-6-sol',
      '',
      'x/',
    ]) {
      expect(priceOf(model)).toBeNull();
    }
    expect(priceOf('openai/constructor')).toBeNull();
  });

  it('is free on one’s own machine', () => {
    expect(costUsdMicros(price('ollama/qwen3'), { inputTokens: 9_999, outputTokens: 9 })).toBe(0);
  });

  it('yields to prices in the file', () => {
    expect(priceOf('openai/gpt-6-sol', { 'openai/gpt-6-sol': SIMPLE })).toBe(SIMPLE);
    expect(priceOf('gemini/mine', { 'google/mine': SIMPLE })).toBe(SIMPLE);
    expect(priceOf('acme/one', { 'acme/one': SIMPLE })).toBe(SIMPLE);
  });
});

describe('a count beyond all prices', () => {
  it.each([1.7e308, 1e300, Number.MAX_SAFE_INTEGER])(
    '%d costs a number that JSON has',
    (tokens) => {
      const price = { inputUsdMicrosPerMtok: 5e9, outputUsdMicrosPerMtok: 5e9 };
      const cost = costUsdMicros(price, { inputTokens: tokens, outputTokens: tokens });
      expect(cost).toBe(Number.MAX_SAFE_INTEGER);
    },
  );
});
