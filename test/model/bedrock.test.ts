import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { contextFor, failureOf, reportOf } from '../../src/effects/effect-port.cases.ts';
import type { EffectResult } from '../../src/effects/effect-port.ts';
import { createModelEffect } from '../../src/effects/model/model-effect.ts';
import { encodeFrame } from '../sdk-parity/event-stream.ts';
import { HELLO, KEY, SDKS } from './harness.ts';
import { startUpstream, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

function event(type: string, body: object): Buffer {
  const headers = {
    ':message-type': 'event',
    ':event-type': type,
    ':content-type': 'application/json',
  };
  return encodeFrame(headers, JSON.stringify(body));
}

const BEGINNING = [
  event('messageStart', { role: 'assistant' }),
  event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Once' } }),
];

const ending = (stopReason: string): Buffer[] => [
  event('contentBlockStop', { contentBlockIndex: 0 }),
  event('messageStop', { stopReason }),
  event('metadata', {
    usage: { inputTokens: 120, outputTokens: 30, totalTokens: 150 },
    metrics: { latencyMs: 1 },
  }),
];

function ask(frames: readonly Buffer[]): Promise<EffectResult> {
  upstream.answer((response) => {
    response.writeHead(200, { 'content-type': 'application/vnd.amazon.eventstream' });
    response.end(Buffer.concat([...frames]));
  });
  const effect = createModelEffect({
    env: { AWS_REGION: 'eu-west-1', AWS_BEARER_TOKEN_BEDROCK: KEY },
  });
  return effect(
    {
      call: { ...HELLO, model: 'bedrock/some.model' },
      settings: { name: 'bedrock', baseUrl: upstream.url },
      directory: SDKS,
    },
    contextFor(),
  );
}

describe('an answer of Bedrock', () => {
  it('is its text and what it used', async () => {
    const result = await ask([...BEGINNING, ...ending('end_turn')]);
    expect(result).toMatchObject({
      ok: true,
      output: { text: 'Once', toolCalls: [] },
      usage: { inputTokens: 120, outputTokens: 30 },
    });
    expect(upstream.received).toHaveLength(1);
  });

  it.each([
    ['max_tokens', 'provider.truncated'],
    ['content_filtered', 'provider.content_filter'],
    ['guardrail_intervened', 'provider.content_filter'],
    ['model_context_window_exceeded', 'provider.context_length'],
  ])('that stopped for %s is %s', async (stop, kind) => {
    const result = await ask([...BEGINNING, ...ending(stop)]);
    expect(failureOf(result)).toMatchObject({
      failure: { kind },
      output: { text: 'Once' },
      usage: { inputTokens: 120, outputTokens: 30 },
    });
  });

  it.each(['brand_new', 'malformed_model_output', 'malformed_tool_use'])(
    'that ends with a word that is not known to be good is no success: %s',
    async (stop) => {
      const result = await ask([...BEGINNING, ...ending(stop)]);
      expect(failureOf(result)).toMatchObject({ output: { text: 'Once' } });
      expect(reportOf(result).kind).toMatch(/^provider\./);
    },
  );

  it.each([
    ['max_tokens', 'provider.truncated'],
    ['guardrail_intervened', 'provider.content_filter'],
  ])('that ended with %s first is not made good by a second end', async (stop, kind) => {
    const twice = [event('messageStop', { stopReason: stop }), ...ending('end_turn')];
    const result = await ask([...BEGINNING, ...twice]);
    expect(failureOf(result)).toMatchObject({ failure: { kind }, output: { text: 'Once' } });
  });

  const words = (at: number): Buffer[] => [
    event('contentBlockDelta', { contentBlockIndex: at, delta: { text: ' evil' } }),
    event('contentBlockStop', { contentBlockIndex: at }),
  ];
  const call = (at: number): Buffer[] => [
    event('contentBlockStart', {
      contentBlockIndex: at,
      start: { toolUse: { toolUseId: 't1', name: 'pay' } },
    }),
    event('contentBlockStop', { contentBlockIndex: at }),
  ];

  it('with a piece of a call that never began is no whole reply', async () => {
    const piece = event('contentBlockDelta', {
      contentBlockIndex: 1,
      delta: { toolUse: { input: '{}' } },
    });
    const result = await ask([...BEGINNING, piece, ...ending('end_turn')]);
    expect(reportOf(result).kind).toBe('provider.stream_interrupted');
  });

  it.each([
    ['words', words(1)],
    ['a call', call(1)],
    ['a second message', [event('messageStart', { role: 'assistant' }), ...words(0)]],
  ])('has no part in %s after its end', async (_, after) => {
    const [stop, ended, metadata] = ending('end_turn');
    for (const frames of [
      [stop, ended, ...after, metadata],
      [stop, ended, metadata, ...after],
    ]) {
      const result = await ask([...BEGINNING, ...frames.flatMap((frame) => frame ?? [])]);
      expect(reportOf(result).kind).toBe('provider.stream_interrupted');
    }
  });

  it('that begins twice is not one', async () => {
    const result = await ask([...BEGINNING, ...BEGINNING, ...ending('end_turn')]);
    expect(reportOf(result).kind).toBe('provider.stream_interrupted');
  });

  it('with an error in the frame of the transport is that error, whatever comes after it', async () => {
    const frame = (code: string): Buffer =>
      encodeFrame({ ':message-type': 'error', ':error-code': code, ':error-message': 'no' }, '');
    for (const [code, kind] of [
      ['InternalServerException', 'provider.server_error'],
      ['ThrottlingException', 'provider.rate_limited'],
    ] as const) {
      const result = await ask([...BEGINNING, frame(code), ...ending('end_turn')]);
      expect(failureOf(result)).toMatchObject({ failure: { kind }, output: { text: 'Once' } });
      expect(reportOf(await ask([frame(code)])).kind).toBe(kind);
    }
  });

  it.each([
    ['modelTimeoutException', 'provider.timeout'],
    ['serviceUnavailableException', 'provider.overloaded'],
    ['accessDeniedException', 'provider.permission'],
  ])('with the exception %s is %s, though the SDK does not know it', async (type, kind) => {
    const headers = { ':message-type': 'exception', ':exception-type': type };
    const frame = encodeFrame(headers, JSON.stringify({ message: 'no' }));
    const result = await ask([...BEGINNING, frame, ...ending('end_turn')]);
    expect(reportOf(result).kind).toBe(kind);
  });

  it('without its end is interrupted', async () => {
    const result = await ask(BEGINNING);
    expect(reportOf(result)).toMatchObject({
      kind: 'provider.stream_interrupted',
      outcome: 'partial',
    });
    expect(upstream.received).toHaveLength(1);
  });

  it('with a frame that is longer than anything is broken off where it says so', async () => {
    const frame = Buffer.alloc(1024 * 1024);
    frame.writeUInt32BE(1024 ** 3);
    const result = await ask([...BEGINNING, frame]);
    expect(reportOf(result)).toMatchObject({ kind: 'provider.truncated', retryable: false });
  });
});
