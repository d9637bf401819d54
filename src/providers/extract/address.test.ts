import { describe, expect, it } from 'vitest';
import { readAddress } from './address.ts';

describe('the address of a request', () => {
  it.each([
    ['https://api.openai.com/v1/responses', { provider: 'openai', api: 'responses' }],
    [
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:generateContent?alt=sse',
      { provider: 'google', model: 'gemini-2.5-flash', api: 'generateContent' },
    ],
    [
      'https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude%3A0/converse-stream',
      { provider: 'bedrock', model: 'anthropic.claude:0', api: 'ConverseStream' },
    ],
    [
      'https://api.openai.com/v1/images/generations',
      { api: 'images.generations', operation: 'submit' },
    ],
    [
      'https://queue.fal.run/fal-ai/flux',
      { provider: 'fal', api: 'queue.submit', operation: 'submit' },
    ],
    ['http://localhost:11434/v1/chat/completions', { provider: 'ollama', api: 'chat.completions' }],
  ])('%s gives provider, model and operation', (address, expected) => {
    expect(readAddress(address)).toMatchObject(expected);
  });

  it('gives nothing when it is absent or makes no sense', () => {
    expect(readAddress(undefined)).toEqual({});
    expect(readAddress('%%%')).toMatchObject({ provider: undefined, operation: undefined });
    expect(readAddress('https://x.y/models/%E0%A4%A/')).toMatchObject({ model: '%E0%A4%A' });
  });
});
