/**
 * Events of a good stream that the SDK cannot read: errors in a shape of the host's own keep their meaning,
 * and rubbish is a broken stream. Neither is a reply in the wrong form, which only a model can give.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportOf } from '../../src/effects/effect-port.cases.ts';
import type { ErrorReport } from '../../src/errors/report/report.ts';
import { ask } from './harness.ts';
import { PROTOCOLS, type Protocol } from './protocols.ts';
import { startUpstream, streams, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

async function received(protocol: Protocol, stream: string | Uint8Array): Promise<ErrorReport> {
  upstream.answer(streams(stream));
  return reportOf(await ask(protocol, upstream.url));
}

const frame = (event: object | string): string =>
  `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`;

const ERRORS: Readonly<Record<string, readonly [object, string]>> = {
  vLLM: [
    { object: 'error', message: 'The model is overloaded.', type: 'server_error', code: 503 },
    'provider.overloaded',
  ],
  DashScope: [
    {
      code: 'Throttling.RateQuota',
      message: 'Requests rate limit exceeded.',
      request_id: '4f1c-22',
    },
    'provider.rate_limited',
  ],
  'a proxy': [{ status: 429, message: 'Too many requests' }, 'provider.rate_limited'],
  FastAPI: [{ status: 401, detail: 'Not authenticated' }, 'provider.auth'],
  'an older Responses API': [
    { type: 'error', code: 'server_error', message: 'The server had an error.', param: null },
    'provider.server_error',
  ],
};

describe('an event that the SDK stumbles over', () => {
  it('leaves a part of a reply behind, where there was content before it', async () => {
    const protocol = PROTOCOLS.find(({ name }) => name === 'messages');
    if (protocol === undefined) throw new Error('no protocol');
    const delta = { type: 'text_delta', text: 'lost' };
    const stray = frame({ type: 'content_block_delta', index: 7, delta });
    expect(await received(protocol, protocol.beginning + stray)).toMatchObject({
      kind: 'provider.unknown',
      outcome: 'partial',
    });
  });
});

describe.each(PROTOCOLS)('by $name', (protocol) => {
  it.each(Object.entries(ERRORS))(
    'the error of %s keeps its kind',
    async (_host, [error, kind]) => {
      expect(await received(protocol, frame(error))).toMatchObject({ kind, outcome: 'failed' });
      const report = await received(protocol, protocol.beginning + frame(error));
      expect(report).toMatchObject({ kind });
      expect(report.outcome).toBe(report.category === 'configuration' ? 'failed' : 'partial');
    },
  );

  it.each([['{"id": broken'], ['"a text"'], ['[1, 2]'], ['{"choices": 7, "candidates": 7}']])(
    '%s is a broken stream',
    async (rubbish) => {
      const early = { kind: 'provider.network', category: 'transient', outcome: 'unknown' };
      for (const before of ['', ': a comment\n\n'])
        expect(await received(protocol, before + frame(rubbish))).toMatchObject(early);
      const late = await received(protocol, protocol.beginning + frame(rubbish));
      expect(late).toMatchObject({ kind: 'provider.stream_interrupted', outcome: 'partial' });
    },
  );

  it('bytes that are no UTF-8 are a broken stream, and no answer with other characters', async () => {
    const whole = protocol.stream({ text: 'Schön', stop: protocol.stops.good });
    expect(await received(protocol, Buffer.from(whole, 'latin1'))).toMatchObject({
      kind: 'provider.network',
      category: 'transient',
    });
  });
});
