import { describe, expect, it } from 'vitest';
import { CAPABILITIES, lacks, limitsOf } from './capabilities.ts';
import { listPrices } from './price-table.ts';

describe('what models lack', () => {
  it.each([
    ['deepseek/deepseek-v4-pro', 'images'],
    ['perplexity/sonar-pro', 'tools'],
    ['groq/openai/gpt-oss-120b', 'images'],
    ['mistral/codestral-latest', 'images'],
    ['ollama/gemma3:12b', 'tools'],
    ['openai/davinci-002', 'tools'],
  ] as const)('is known of %s: %s', (model, capability) => {
    expect(lacks(model, capability)).toBe(true);
  });

  it.each([
    ['deepseek/deepseek-v4-pro', 'tools'],
    ['deepseek/deepseek-flash', 'images'],
    ['ollama/gemma3-tools', 'tools'],
    ['ollama/phi4-mini', 'tools'],
  ] as const)('is not claimed of %s: %s', (model, capability) => {
    expect(lacks(model, capability)).toBe(false);
  });

  it('is nothing for an unknown model', () => {
    for (const capability of CAPABILITIES) {
      expect(lacks('openai/gpt-99', capability)).toBe(false);
      expect(lacks('no-provider', capability)).toBe(false);
    }
  });
});

describe('how much models take', () => {
  it('is known by any name of the provider, and with a date', () => {
    expect(limitsOf('claude/claude-haiku-4-5-20251001')).toEqual({
      contextTokens: 200_000,
      maxOutputTokens: 64_000,
    });
    expect(limitsOf('gemini/gemini-3.8-flash')).toEqual(limitsOf('google/gemini-3.8-flash'));
    expect(limitsOf('openai/gpt-6.1-sol')?.contextTokens).toBe(1_050_000);
  });

  it('is not claimed of an unknown model', () => {
    expect(limitsOf('openai/gpt-99')).toBeUndefined();
    expect(limitsOf('google/gemini-9-flash')).toBeUndefined();
    expect(limitsOf('no-provider')).toBeUndefined();
  });

  it('leaves room for input beside the longest reply', () => {
    for (const model of Object.keys(listPrices())) {
      const limits = limitsOf(model);
      if (limits === undefined) continue;
      expect(limits.maxOutputTokens ?? 1).toBeLessThanOrEqual(limits.contextTokens);
    }
  });
});
