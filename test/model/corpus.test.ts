/**
 * The corpus of provider failures, played to the model effect over the real SDK: the report must say
 * what the answer itself says, after exactly one request.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MACHINE_CLOCK } from '../../src/effects/clock.ts';
import { contextFor, reportOf } from '../../src/effects/effect.cases.ts';
import { builtInProvider } from '../../src/effects/model/built-in.ts';
import { createModelEffect } from '../../src/effects/model/model.ts';
import { providerNamed } from '../../src/providers/names.ts';
import { ENTRIES, type Entry } from '../corpus/entries.ts';
import { judge } from '../sdk-parity/judge.ts';
import { lossOf } from '../sdk-parity/losses.ts';
import { scriptOf } from '../sdk-parity/play-entry.ts';
import { isForeign, protocolOf, type Protocol } from '../sdk-parity/protocol.ts';
import { HELLO, KEY, SDKS } from './harness.ts';
import { startUpstream, type Upstream } from './upstream.ts';

/** As `judge` has it. */
const NOW_MS = Date.parse('2026-11-15T00:00:00Z');

const SPOKEN_BY: Readonly<Record<Protocol, string>> = {
  chat: '@ai-sdk/openai-compatible',
  responses: '@ai-sdk/openai',
  messages: '@ai-sdk/anthropic',
  gemini: '@ai-sdk/google',
  bedrock: '@ai-sdk/amazon-bedrock',
};

interface Playable {
  readonly entry: Entry;
  readonly protocol: Protocol;
}

/** A call is always a stream, so what can happen to one that is refused or that breaks. */
const PLAYABLE: readonly Playable[] = ENTRIES.flatMap((entry) => {
  const protocol = protocolOf(entry);
  if (protocol === undefined || entry.transport !== null || entry.operation !== 'generate')
    return [];
  const isRefusal = entry.stream === false && (entry.status ?? 0) >= 400;
  if (entry.stream === false && !isRefusal) return [];
  const { name } = providerNamed(entry.provider);
  const speaks = builtInProvider(name)?.package ?? '@ai-sdk/openai-compatible';
  // a refusal is read as it is; events only make sense in their own protocol
  const isSpoken = isRefusal || (speaks === SPOKEN_BY[protocol] && !isForeign(entry));
  const isLost = lossOf(speaks.replace('@ai-sdk/', 'ai/'), entry.id) !== undefined;
  return isSpoken && !isLost ? [{ entry, protocol }] : [];
});

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

describe('what a provider answers', () => {
  it.each(PLAYABLE)('is reported as it is: $entry.id', async ({ entry, protocol }) => {
    const api = protocol === 'bedrock' ? 'ConverseStream' : entry.api;
    const script = scriptOf({ ...entry, api }, protocol);
    upstream.answer((response) => {
      const { socket } = response;
      if (socket !== null) script(response, socket);
    });
    const effect = createModelEffect({ env: { AWS_REGION: 'eu-west-1' } });
    const result = await effect(
      {
        call: { ...HELLO, model: `${entry.provider}/m` },
        settings: { name: entry.provider, baseUrl: upstream.url, apiKey: KEY },
        directory: SDKS,
      },
      contextFor({ clock: { ...MACHINE_CLOCK, now: () => NOW_MS } }),
    );
    const { kind, category, retryable, provider } = reportOf(result);
    const retryAfterMs = provider?.retryAfterMs ?? null;
    expect({ kind, category, retryable, retryAfterMs }).toEqual(judge(entry));
    expect(upstream.received).toHaveLength(1);
  });

  it('is played for the most part', () => {
    expect(PLAYABLE.length).toBeGreaterThan(150);
    expect(new Set(PLAYABLE.map(({ protocol }) => protocol)).size).toBe(5);
  });
});
