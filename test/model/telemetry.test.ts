/** A host that traces the AI SDK sees nothing of our calls: it would get tokens twice, and prompts. */
import { tracingChannel } from 'node:diagnostics_channel';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ask } from './harness.ts';
import { PROTOCOLS } from './protocols.ts';
import { startUpstream, streams, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

/** Where the SDK keeps what a host registers. */
const host = globalThis as { AI_SDK_TELEMETRY_INTEGRATIONS?: unknown[] };
afterEach(() => void delete host.AI_SDK_TELEMETRY_INTEGRATIONS);

describe.each(PROTOCOLS)('a call by $name', (protocol) => {
  it('says nothing to telemetry that a host has registered', async () => {
    const said: string[] = [];
    const names = ['onStart', 'onStepStart', 'onLanguageModelCallStart', 'onEnd'];
    const listener = Object.fromEntries(names.map((name) => [name, () => void said.push(name)]));
    host.AI_SDK_TELEMETRY_INTEGRATIONS = [listener];
    const channel = tracingChannel('ai:telemetry');
    const subscriber = { start: () => void said.push('channel') };
    channel.start.subscribe(subscriber.start);
    upstream.answer(streams(protocol.stream({ text: 'Hello.', stop: protocol.stops.good })));
    const result = await ask(protocol, upstream.url);
    channel.start.unsubscribe(subscriber.start);
    expect(result).toMatchObject({ ok: true, output: { text: 'Hello.' } });
    expect(said).toEqual([]);
  });
});
