import { describe, expect, it } from 'vitest';
import { listedModelLike } from './listed-model.ts';
import { listPrices } from './price-table.ts';

describe('the listed model that a name means', () => {
  it.each([
    ['anthropic/claude-sonet-5', 'anthropic/claude-sonnet-5'],
    ['claude/cluade-sonnet-5', 'anthropic/claude-sonnet-5'],
    ['anthropic/claude-sonnet-4.5', 'anthropic/claude-sonnet-4-5'],
    ['anthropic/Claude-Opus-5', 'anthropic/claude-opus-5'],
    ['openai/gpt-6-mni', 'openai/gpt-6-mini'],
    ['gemini/gemini-3.8-flsh', 'google/gemini-3.8-flash'],
  ])('of %s is %s', (written, meant) => {
    expect(listedModelLike(written)).toBe(meant);
  });

  it.each([
    'openai/gpt-4',
    'openai/gpt-5.2',
    'openai/gpt-6-nano',
    'openai/gpt-7-mini',
    'openai/gpt-6-mini-2027-01-01',
    'mistral/mistral-medium-latest',
    'mistral/ministral-large-4',
    'google/gemini-3.1-pro',
    'acme/claude-sonet-5',
    'openrouter/anthropic/claude-sonet-5',
    'ollama/gpt-6-mni',
    'sim/gpt-6-mni',
    'gpt-6-mni',
  ])('is unknown for %s, which may exist', (written) => {
    expect(listedModelLike(written)).toBeUndefined();
  });

  it('is no other one for any listed model', () => {
    expect(Object.keys(listPrices()).map(listedModelLike)).toEqual(
      Object.keys(listPrices()).map(() => undefined),
    );
  });
});
