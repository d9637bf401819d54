/**
 * The corpus of provider failures, played to the model effect over the real SDK: the report must say
 * what the answer itself says, after exactly one request.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MACHINE_CLOCK } from '../../src/effects/clock.ts';
import { contextFor, reportOf } from '../../src/effects/effect-port.cases.ts';
import { createModelEffect } from '../../src/effects/model/model-effect.ts';
import { judge } from '../sdk-parity/judge.ts';
import { HELLO, KEY, SDKS } from './harness.ts';
import { PLAYABLE, playOn } from './playable.ts';
import { startUpstream, type Upstream } from './upstream.ts';

/** As `judge` has it. */
const NOW_MS = Date.parse('2026-11-15T00:00:00Z');

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

describe('what a provider answers', () => {
  it.each(PLAYABLE)('is reported as it is: $entry.id', async ({ entry, protocol }) => {
    playOn(upstream, { entry, protocol });
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
