/** A provider that redirects its callers: the key and the prompt are not sent there. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportOf } from '../../src/effects/effect-port.cases.ts';
import { ask, KEY } from './harness.ts';
import { PROTOCOLS } from './protocols.ts';
import { oneAgent, runFile } from './runs.ts';
import { startUpstream, streams, type Reply, type Upstream } from './upstream.ts';

let upstream: Upstream;
let otherHost: Upstream;
beforeAll(async () => {
  [upstream, otherHost] = await Promise.all([startUpstream(), startUpstream()]);
});
afterAll(() => Promise.all([upstream.close(), otherHost.close()]));

const redirects =
  (status: number, location: string): Reply =>
  (response) =>
    void response.writeHead(status, { location }).end();

describe.each(PROTOCOLS)('a redirect by $name', (protocol) => {
  it.each([301, 302, 303, 307, 308])('with HTTP %i is not followed', async (status) => {
    otherHost.answer(streams(protocol.stream({ text: 'Mine.', stop: protocol.stops.good })));
    upstream.answer(redirects(status, `${otherHost.url}/secret-path?key=${KEY}`));
    const result = await ask(protocol, upstream.url);
    const report = reportOf(result);
    expect(report).toMatchObject({
      kind: 'provider.invalid_request',
      category: 'configuration',
      retryable: false,
      outcome: 'not_started',
      provider: { status },
      action: { kind: 'fix_setup' },
      rule: { id: 'status.3xx' },
    });
    expect(report.message).toContain(new URL(otherHost.url).host);
    expect(report.message).not.toContain('secret-path');
    expect(report.action.detail).toContain('base_url');
    expect(result.usage).toEqual({ inputTokens: 0, outputTokens: 0 });
    expect(upstream.received).toHaveLength(1);
    expect(otherHost.received).toHaveLength(0);
  });
});

describe('a redirect', () => {
  it('that leads in a circle is one request of a run', async () => {
    upstream.answer((response, got) => redirects(307, `${got.path}/again`)(response, got));
    const provider = { name: 'vllm', base_url: `${upstream.url}/v1` };
    const ran = await runFile(oneAgent('vllm/m', {}, { runtime: { provider } }));
    expect(ran.calls).toEqual(['vllm/m provider.invalid_request']);
    expect(upstream.received).toHaveLength(1);
  });

  it.each(['', 'http://', 'mailto:a@b.example'])('to nowhere is the same: %o', async (location) => {
    const [protocol] = PROTOCOLS;
    if (protocol === undefined) throw new Error('no protocol');
    upstream.answer(redirects(308, location));
    expect(reportOf(await ask(protocol, upstream.url)).kind).toBe('provider.invalid_request');
    expect(upstream.received).toHaveLength(1);
  });
});
