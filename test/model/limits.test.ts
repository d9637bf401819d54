import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MACHINE_CLOCK } from '../../src/effects/clock.ts';
import { failureOf, reportOf } from '../../src/effects/effect-port.cases.ts';
import { DEFAULT_TIMEOUTS } from '../../src/machine/policy/model-timeouts.ts';
import { CallTimeouts } from '../../src/effects/model/call-timeouts.ts';
import type { ModelPart } from '../../src/effects/model/language-model.ts';
import { readStream } from '../../src/effects/model/stream/read-stream.ts';
import { newStreamState } from '../../src/effects/model/stream/stream-state.ts';
import { ask, KEY, ManualClock } from './harness.ts';
import { PROTOCOLS, type Protocol } from './protocols.ts';
import { oneAgent, runFile } from './runs.ts';
import { EVENT_STREAM, stalls, startUpstream, streams, type Upstream } from './upstream.ts';

let upstream: Upstream;
beforeAll(async () => {
  upstream = await startUpstream();
});
afterAll(() => upstream.close());

const { firstTokenMs, idleMs, totalMs } = DEFAULT_TIMEOUTS;

/** Resolves when the request is there, or when the first words of its answer are. */
function moment(): { readonly come: Promise<void>; readonly now: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { come: promise, now: () => resolve() };
}

describe.each(PROTOCOLS)('a server that falls silent, by $name', (protocol) => {
  it('has until its first token', async () => {
    const clock = new ManualClock();
    const asked = moment();
    upstream.answer(() => asked.now());
    const pending = ask(protocol, upstream.url, { context: { clock } });
    await asked.come;
    clock.advance(firstTokenMs - 1);
    expect(clock.pending).toBeGreaterThan(0);
    clock.advance(1);
    const result = await pending;
    expect(reportOf(result)).toMatchObject({
      kind: 'provider.timeout',
      category: 'transient',
      retryable: true,
      details: { limit: 'firstTokenMs', limitMs: firstTokenMs },
    });
    expect(result).toMatchObject({ isEstimated: true });
    expect(upstream.received).toHaveLength(1);
    expect(clock.pending).toBe(0);
  });

  it('may not pause for long in the middle', async () => {
    const { result, clock } = await silentAfterWords(protocol, (time) => time.advance(idleMs));
    expect(reportOf(result)).toMatchObject({
      kind: 'provider.timeout',
      category: 'ambiguous',
      retryable: false,
      outcome: 'partial',
      details: { limit: 'idleMs' },
    });
    expect(result).toMatchObject({ output: { text: 'Once' }, isEstimated: true });
    expect(clock.pending).toBe(0);
  });

  it('is left when the caller has no use for it', async () => {
    const controller = new AbortController();
    const { result, clock } = await silentAfterWords(
      protocol,
      () => controller.abort(),
      controller,
    );
    expect(reportOf(result)).toMatchObject({ kind: 'cancelled.call', outcome: 'partial' });
    expect(result).toMatchObject({ output: { text: 'Once' }, isEstimated: true });
    expect(clock.pending).toBe(0);
  });
});

async function silentAfterWords(
  protocol: Protocol,
  then: (clock: ManualClock) => void,
  controller = new AbortController(),
) {
  const clock = new ManualClock();
  const words = moment();
  upstream.answer(stalls(protocol.beginning));
  const pending = ask(protocol, upstream.url, {
    context: { clock, signal: controller.signal, progress: words.now },
  });
  await words.come;
  then(clock);
  return { result: await pending, clock };
}

describe('the limits of a call', () => {
  const [chat] = PROTOCOLS.filter(({ name }) => name === 'chat');
  if (chat === undefined) throw new Error('no such protocol');

  it('are those of the request, then those of the host, then the usual', async () => {
    const clock = new ManualClock();
    const asked = moment();
    upstream.answer(() => asked.now());
    const pending = ask(chat, upstream.url, {
      context: { clock },
      options: { timeouts: { firstTokenMs: 7, totalMs: 8 } },
      request: { timeouts: { firstTokenMs: 9 } },
    });
    await asked.come;
    clock.advance(8);
    const report = reportOf(await pending);
    expect(report.details).toMatchObject({ limit: 'totalMs', limitMs: 8 });
    expect(report.message).toContain('did not finish its reply');
  });

  it('are not those of the node, whose time is its own', async () => {
    const clock = new ManualClock();
    const asked = moment();
    upstream.answer(() => asked.now());
    const pending = ask(chat, upstream.url, { context: { clock }, request: { timeoutMs: 5_000 } });
    await asked.come;
    clock.advance(5_000);
    const result = await pending;
    expect(reportOf(result)).toMatchObject({ kind: 'limit.node_timeout', outcome: 'partial' });
    expect(result).toMatchObject({ isEstimated: true });
    expect(clock.pending).toBe(0);
  });

  it('let a stream go on that keeps talking, until the whole takes too long', async () => {
    const clock = new ManualClock();
    let words = 0;
    let response: { write(text: string): void } | undefined;
    upstream.answer((open) => {
      response = open.writeHead(200, EVENT_STREAM);
      open.write(chat.beginning);
    });
    const result = await ask(chat, upstream.url, {
      context: {
        clock,
        // each word comes just in time and asks for the next one
        progress: () => {
          words += 1;
          clock.advance(idleMs - 1);
          response?.write(chat.beginning);
        },
      },
    });
    expect(words).toBe(Math.ceil(totalMs / (idleMs - 1)));
    expect(reportOf(result).details).toMatchObject({ limit: 'totalMs' });
    expect(clock.pending).toBe(0);
  });

  it('are not held off by pieces that bring nothing', async () => {
    const clock = new ManualClock();
    const watch = new CallTimeouts(clock, DEFAULT_TIMEOUTS, new AbortController().signal);
    const empty = { choices: [{ index: 0, delta: { content: '' }, finish_reason: null }] };
    async function* pieces(): AsyncGenerator<ModelPart> {
      yield { type: 'text-start', id: '0' };
      yield { type: 'text-delta', id: '0', delta: 'Once' };
      for (let turn = 0; turn < 5; turn++) {
        clock.advance(idleMs / 2);
        yield { type: 'raw', rawValue: empty };
        yield { type: 'text-delta', id: '0', delta: '' };
      }
    }
    const state = newStreamState();
    const modelRef = { provider: 'openai', model: 'm' };
    const open = () => Promise.resolve(ReadableStream.from(pieces()));
    await readStream(open, { state, watch, onDelta: () => undefined, modelRef });
    expect(watch.stop).toMatchObject({ by: 'limit', limit: 'idleMs' });
    watch.close();
  });

  it('give a model that thinks as long as a first token may take', async () => {
    const clock = new ManualClock();
    const thoughts = moment();
    upstream.answer(stalls(chat.stream({ reasoning: 'Hm.' })));
    const pending = ask(chat, upstream.url, { context: { clock, progress: thoughts.now } });
    await thoughts.come;
    clock.advance(firstTokenMs - 1);
    clock.advance(1);
    expect(reportOf(await pending).details).toMatchObject({
      limit: 'idleMs',
      limitMs: firstTokenMs,
    });
  });

  it('do not touch an answer that came to its end, and leave no timer', async () => {
    const clock = new ManualClock();
    upstream.answer(streams(chat.stream({ text: 'Hello.', stop: 'stop' })));
    const result = await ask(chat, upstream.url, { context: { clock } });
    expect(result.ok).toBe(true);
    expect(clock.pending).toBe(0);
  });

  it('ask nothing of anybody when the caller left before', async () => {
    upstream.answer(streams(chat.stream({ text: 'Hello.', stop: 'stop' })));
    const result = await ask(chat, upstream.url, { context: { signal: AbortSignal.abort() } });
    expect(failureOf(result).failure).toMatchObject({
      kind: 'cancelled.call',
      outcome: 'not_started',
    });
    expect(upstream.received).toHaveLength(0);
  });

  it('leave a model that does not listen to its signal', async () => {
    const clock = new ManualClock();
    const asked = moment();
    const deaf = {
      specificationVersion: 'v4',
      provider: 'acme',
      modelId: 'deaf',
      supportedUrls: {},
      doGenerate: () => Promise.reject(new Error('not used')),
      doStream: () => {
        asked.now();
        return new Promise(() => undefined);
      },
    };
    const pending = ask(chat, upstream.url, {
      call: { model: 'acme/deaf' },
      context: { clock },
      options: { models: { 'acme/deaf': deaf } },
    });
    await asked.come;
    clock.advance(firstTokenMs + 1_000);
    expect(reportOf(await pending)).toMatchObject({ kind: 'provider.timeout' });
    expect(clock.pending).toBe(0);
  });
});

describe('the limits of a file', () => {
  const [chat] = PROTOCOLS.filter(({ name }) => name === 'chat');
  if (chat === undefined) throw new Error('no such protocol');

  it.each([
    ['first_token_seconds', 'firstTokenMs', 'provider.exhausted', 3],
    ['idle_seconds', 'idleMs', 'provider.timeout', 1],
    ['total_seconds', 'totalMs', 'provider.timeout', 1],
  ])('%s holds for every call', async (name, limit, kind, requests) => {
    const provider = { name: 'groq', base_url: `${upstream.url}/v1`, api_key: KEY };
    upstream.answer(limit === 'firstTokenMs' ? () => undefined : stalls(chat.beginning));
    // long enough for a busy machine to send the request
    const runtime = { provider, model_timeouts: { [name]: 1.5 } };
    const file = oneAgent('groq/m', {}, { runtime });
    const { result } = await runFile(file, { effectClock: MACHINE_CLOCK });
    if (result.status !== 'failed') throw new Error(result.status);
    const { error } = result;
    expect(error.kind).toBe(kind);
    expect((error.cause ?? error).details).toMatchObject({ limit, limitMs: 1500 });
    expect(upstream.received).toHaveLength(requests);
  });
});
