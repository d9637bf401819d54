/** A streaming request that is answered with an error or a page under HTTP 200, by the real packages. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportOf } from '../../src/effects/effect-port.cases.ts';
import { classify } from '../../src/providers/classify/classify.ts';
import { extractFailure } from '../../src/providers/extract/extract.ts';
import { ask } from './harness.ts';
import { PROTOCOLS } from './protocols.ts';
import { refuses, startUpstream, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const PAGE = '<!doctype html><html><body><h1>Log in to the gateway</h1></body></html>';

const BODIES = [
  [
    'a quota that is spent',
    { error: { code: 'insufficient_quota', type: 'insufficient_quota', message: 'No more.' } },
    'provider.quota_exhausted',
  ],
  [
    'a bill that is not paid',
    { type: 'error', error: { type: 'billing_error', message: 'Your credit is too low.' } },
    'provider.quota_exhausted',
  ],
  ['a bad key', { error: { code: 'invalid_api_key', message: 'Bad key.' } }, 'provider.auth'],
  [
    'too many requests, in a list',
    [{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Slow down.' } }],
    'provider.rate_limited',
  ],
  ['a word without an error', { detail: 'Not authenticated' }, 'provider.auth'],
] as const;

const EVENTS = 'text/event-stream; charset=utf-8';

/** A gateway may put the label on it that was asked for. */
const LABELLED = ['application/json', EVENTS].flatMap((type) =>
  BODIES.map(([name, body, kind]) => [name, type, body, kind] as const),
);

/** The same answer in one piece, as nobody asked for it. */
const WHOLE = {
  content: [{ type: 'text', text: 'Hello.' }],
  stop_reason: 'end_turn',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello.' }, finish_reason: 'stop' }],
  candidates: [{ content: { parts: [{ text: 'Hello.' }] }, finishReason: 'STOP' }],
  output: [{ type: 'message', content: [{ type: 'output_text', text: 'Hello.' }] }],
  status: 'completed',
};

/** What it used, in the words of each protocol. */
const COUNTED = {
  usage: { prompt_tokens: 10, completion_tokens: 5, input_tokens: 10, output_tokens: 5 },
  usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 5 },
};

describe.each(PROTOCOLS)('HTTP 200 by $name', (protocol) => {
  it.each(LABELLED)('with %s as %s is what it says', async (_, type, body, kind) => {
    upstream.answer(refuses(200, body, { 'content-type': type }));
    const report = reportOf(await ask(protocol, upstream.url));
    expect(upstream.received).toHaveLength(1);
    const [provider = ''] = protocol.model.split('/');
    const failure = extractFailure({ provider, status: 200, body, transport: null });
    if (failure === undefined) throw new Error('no failure');
    const { category, retryable, outcome } = classify(failure);
    expect(report).toMatchObject({ kind, category, retryable, outcome });
  });

  it.each(['text/html', 'text/plain', '', EVENTS])('with a page as %s is one', async (type) => {
    upstream.answer((response) => {
      response.writeHead(200, type === '' ? {} : { 'content-type': type }).end(PAGE);
    });
    expect(reportOf(await ask(protocol, upstream.url))).toMatchObject({
      kind: 'provider.invalid_request',
      retryable: false,
    });
  });

  it.each(['application/json', EVENTS])(
    'with a whole answer as %s is a setup to mend, and paid as counted',
    async (type) => {
      upstream.answer(refuses(200, { ...WHOLE, ...COUNTED }, { 'content-type': type }));
      const result = await ask(protocol, upstream.url);
      expect(reportOf(result)).toMatchObject({
        kind: 'provider.unsupported',
        retryable: false,
        outcome: 'failed',
        action: { kind: 'fix_setup' },
      });
      expect(result).toMatchObject({ usage: { inputTokens: 10, outputTokens: 5 } });
      expect(result.isEstimated).not.toBe(true);
      expect(upstream.received).toHaveLength(1);
    },
  );

  it('with a whole answer that counts nothing is paid as estimated', async () => {
    upstream.answer(refuses(200, WHOLE, { 'content-type': 'application/json' }));
    const { usage, isEstimated } = await ask(protocol, upstream.url);
    expect(isEstimated).toBe(true);
    expect(usage?.inputTokens).toBeGreaterThan(0);
    expect(usage?.outputTokens).toBeGreaterThan(0);
  });

  it('with events under another name is an answer', async () => {
    upstream.answer((response) => {
      const text = protocol.stream({ text: 'Hello.', stop: protocol.stops.good });
      response.writeHead(200, { 'content-type': 'application/json' }).end(text);
    });
    const result = await ask(protocol, upstream.url);
    expect(result).toMatchObject({ ok: true, output: { text: 'Hello.' } });
  });

  it('with a body that breaks off is a broken connection', async () => {
    upstream.answer((response) => {
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .write('{"error":', () => response.destroy());
    });
    expect(reportOf(await ask(protocol, upstream.url)).kind).toBe('provider.network');
  });
});
