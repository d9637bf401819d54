/**
 * The corpus of provider failures, played by the simulator on this machine to whole runs over the real
 * AI SDK: the kind, the number of requests, every wait and the model that answers in the end. Requests
 * are counted at the server, are those of the ledger, and are never more than validation prints.
 */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HURRIED } from '../../src/effects/hurried-clock.cases.ts';
import { builtInProvider } from '../../src/effects/model/built-in.ts';
import { readCorpus } from '../../src/simulator-server/corpus.ts';
import { startSimulator, type SimulatorServer } from '../../src/simulator-server/start.ts';
import { defaultSchedule } from '../../src/workflow/plan/attempt-bound.ts';
import { providerNamed } from '../../src/providers/known-providers.ts';
import { ENTRIES } from '../corpus/entries.ts';
import { load } from '../sdk-parity/install.ts';
import { judge, type Judgement } from '../sdk-parity/judge.ts';
import { scriptOf } from '../simulator/script.cases.ts';
import { KEY } from './harness.ts';
import { JumpClock, oneAgent, openRunner, planOf, ranOf, runFile, type Ran } from './runs.ts';
import { openMemoryStore } from '../../src/stores/memory.ts';
import { PLAYABLE, playOn, type Playable } from './playable.ts';
import { startUpstream, type Upstream } from './upstream.ts';

const CORPUS = new URL('../corpus/provider-failures.jsonl', import.meta.url);

const SPOKEN: Readonly<Record<string, string>> = {
  '@ai-sdk/openai': '/v1',
  '@ai-sdk/openai-compatible': '/v1',
  '@ai-sdk/anthropic': '/v1',
  '@ai-sdk/google': '/v1beta',
  '@ai-sdk/mistral': '/v1',
  '@ai-sdk/azure': '/openai',
};

/** One provider of each protocol that the simulator speaks. */
const PROVIDERS = ['openai', 'groq', 'anthropic', 'google'] as const;

function packageOf(provider: string): string {
  return builtInProvider(providerNamed(provider).name)?.package ?? '@ai-sdk/openai-compatible';
}

let server: SimulatorServer;
beforeAll(async () => {
  server = await startSimulator({
    corpus: readCorpus(readFileSync(CORPUS, 'utf8')),
    script: scriptOf(`
well: [{answer: "All is well."}]
limited: [{fail: {kind: provider.rate_limited}}]
broken: [{fail: {kind: provider.server_error}}]
hinted:
  - fail: {kind: provider.rate_limited, retry_after: 7.25}
  - fail: {kind: provider.overloaded, retry_after: 3}
  - answer: At last.
later:
  - fail: {kind: provider.rate_limited, retry_after: 3600}
  - answer: At last.
cut: [{stream: ["The lab", "el is"], cut: true}, {answer: whole}]
unheard: [{stream: [], cut: true}, {answer: whole}]
lost: [{answer: lost, lose_reply: true}, {answer: whole}]
`),
  });
});
afterAll(async () => {
  await server?.close();
});

function settings(provider: string): object {
  const base = SPOKEN[packageOf(provider)] ?? '/v1';
  return { runtime: { provider: { name: provider, base_url: server.url + base, api_key: KEY } } };
}

interface Counted extends Ran {
  /** Requests that the server has seen, by model. */
  readonly seen: readonly string[];
}

async function run(
  provider: string,
  model: unknown,
  { more = {}, wait = true }: { readonly more?: object; readonly wait?: boolean } = {},
): Promise<Counted> {
  const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible/dist/index.js');
  const before = server.records.length;
  const house = createOpenAICompatible({ name: 'cerebras', baseURL: `${server.url}/v1` });
  const ran = await runFile(oneAgent(model, more, settings(provider)), {
    // by a known name: any other would be taken for a model of the provider that is set
    providers: { cerebras: house },
    wait,
  });
  const seen = server.records.slice(before).map((record) => record.model ?? '');
  const ledger = ran.costs.attempts.filter(({ type }) => type === 'model');
  expect(seen).toHaveLength(ledger.length);
  expect(seen.length).toBeLessThanOrEqual(ran.bound);
  return { ...ran, seen };
}

/** What the default schedule makes of a failure that comes every time. */
function expectSchedule(waitsMs: readonly number[], judged: Judgement): void {
  const { retryAfterMs } = judged;
  const schedule = defaultSchedule({ kind: judged.kind, category: 'transient' });
  // none would mean that it is spent after one call, and that no retry of the author's is made
  expect(schedule?.attempts).toBeGreaterThan(1);
  expect(waitsMs).toHaveLength((schedule?.attempts ?? 1) - 1);
  for (const [index, waitMs] of waitsMs.entries()) {
    const usualMs = schedule?.waitsMs[index] ?? 0;
    if (retryAfterMs !== null) expect(waitMs).toBe(retryAfterMs);
    else expect(Math.abs(waitMs - usualMs)).toBeLessThanOrEqual(usualMs * 0.2);
  }
}

let names = 0;

/** A model whose script nobody has asked yet: what stands before its last slash is no part of it. */
function fresh(provider: string, script: string): string {
  return `${provider}/${++names}/${script}`;
}

const REFUSALS = ENTRIES.filter(
  ({ provider, status, stream, transport, operation }) =>
    (status ?? 0) >= 400 &&
    stream === false &&
    transport === null &&
    operation === 'generate' &&
    Object.hasOwn(SPOKEN, packageOf(provider)) &&
    // nobody calls these by their names
    !['opencode-zen', 'fluxrouter', 'typesafe'].includes(provider),
).map((entry) => ({ id: entry.id, entry }));

describe('a refusal of the corpus', () => {
  it.each(REFUSALS)('alone: $id', async ({ id, entry }) => {
    const judged = judge(entry);
    const { result, waitsMs, seen, costs } = await run(
      entry.provider,
      `${entry.provider}/corpus/${id}`,
    );
    const kinds = costs.attempts.map(({ kind }) => kind);
    expect(new Set(kinds)).toEqual(new Set([judged.kind]));
    if (result.status !== 'failed') throw new Error(result.status);
    if (judged.retryable === true) {
      expect(result.error).toMatchObject({
        kind: 'provider.exhausted',
        cause: { kind: judged.kind },
      });
      expect(result.error.attempts).toHaveLength(seen.length);
      expectSchedule(waitsMs, judged);
    } else {
      expect(result.error.kind).toBe(judged.kind);
      expect(seen).toHaveLength(1);
    }
  });

  it.each(REFUSALS)('with another provider behind it: $id', async ({ id, entry }) => {
    const { kind, retryable } = judge(entry);
    const model = `${entry.provider}/corpus/${id}`;
    const { result, seen, waitsMs } = await run(entry.provider, [model, 'cerebras/well']);
    const goesOn = retryable === true || kind === 'provider.quota_exhausted';
    expect(seen).toEqual([`corpus/${id}`, ...(goesOn ? ['well'] : [])]);
    if (goesOn) {
      expect(result).toMatchObject({ status: 'completed', output: { result: 'All is well.' } });
      expect(waitsMs).toEqual([0]);
    } else expect(result).toMatchObject({ status: 'failed', error: { kind } });
  });

  it('is played in every protocol', () => {
    const packages = new Set(REFUSALS.map(({ entry }) => packageOf(entry.provider)));
    expect(REFUSALS.length).toBeGreaterThan(90);
    expect(packages.size).toBe(Object.keys(SPOKEN).length);
  });
});

const STREAMS = PLAYABLE.filter(({ entry }) => entry.stream !== false);

describe('a stream of the corpus that fails', () => {
  let upstream: Upstream;
  beforeAll(async () => {
    upstream = await startUpstream();
  });
  afterAll(() => upstream.close());

  /** One that plays it to everyone, with a well model of another provider behind it. */
  async function played(
    { entry }: Playable,
    model: unknown,
    more: object = {},
  ): Promise<Ran & { readonly asked: number }> {
    const { createOpenAICompatible } = await load('@ai-sdk/openai-compatible/dist/index.js');
    const before = upstream.received.length;
    const provider = { name: entry.provider, base_url: upstream.url, api_key: KEY };
    const ran = await runFile(oneAgent(model, more, { runtime: { provider } }), {
      env: { AWS_REGION: 'eu-west-1' },
      providers: {
        cerebras: createOpenAICompatible({ name: 'cerebras', baseURL: `${server.url}/v1` }),
      },
    });
    const asked = upstream.received.length - before;
    expect(asked).toBeLessThanOrEqual(ran.bound);
    return { ...ran, asked };
  }

  it.each(STREAMS)('alone: $entry.id', async (each) => {
    const judged = judge(each.entry);
    playOn(upstream, each);
    const { result, waitsMs, asked, costs } = await played(each, `${each.entry.provider}/m`);
    expect(new Set(costs.attempts.map(({ kind }) => kind))).toEqual(new Set([judged.kind]));
    expect(costs.attempts).toHaveLength(asked);
    if (result.status !== 'failed') throw new Error(result.status);
    if (judged.retryable === true) {
      expect(result.error).toMatchObject({
        kind: 'provider.exhausted',
        cause: { kind: judged.kind },
      });
      expectSchedule(waitsMs, judged);
    } else {
      expect(result.error).toMatchObject({ kind: judged.kind, category: judged.category });
      expect(asked).toBe(1);
    }
  });

  it.each(STREAMS)('with another provider behind it: $entry.id', async (each) => {
    const { kind, retryable } = judge(each.entry);
    playOn(upstream, each);
    const chain = [`${each.entry.provider}/m`, 'cerebras/well'];
    const { result, asked } = await played(each, chain);
    const goesOn = retryable === true || kind === 'provider.quota_exhausted';
    expect(asked).toBe(1);
    if (goesOn)
      expect(result).toMatchObject({ status: 'completed', output: { result: 'All is well.' } });
    else expect(result).toMatchObject({ status: 'failed', error: { kind } });
  });

  it('is played in every protocol of which the corpus has one', () => {
    expect(STREAMS.length).toBeGreaterThanOrEqual(9);
    const protocols = new Set(STREAMS.map(({ protocol }) => protocol));
    expect([...protocols].toSorted()).toEqual(['bedrock', 'chat', 'gemini', 'responses']);
  });
});

const DAILY = ENTRIES.filter(
  ({ status, expect: { kind } }) => status === 429 && kind === 'provider.quota_exhausted',
);

describe.each(PROVIDERS)('the protocol of %s', (provider) => {
  it('has six attempts at a rate limit without a hint: 5, 10, 20, 40, 80 s, each within a fifth', async () => {
    const { waitsMs, seen, result } = await run(provider, `${provider}/limited`);
    expect(seen).toHaveLength(6);
    expect(result).toMatchObject({ error: { kind: 'provider.exhausted' } });
    for (const [index, usual] of [5, 10, 20, 40, 80].entries())
      expect(Math.abs((waitsMs[index] ?? 0) - usual * 1000)).toBeLessThanOrEqual(usual * 200);
  });

  it('has three attempts at a server error', async () => {
    const { waitsMs, seen } = await run(provider, `${provider}/broken`);
    expect(seen).toHaveLength(3);
    for (const [index, usual] of [1, 2].entries())
      expect(Math.abs((waitsMs[index] ?? 0) - usual * 1000)).toBeLessThanOrEqual(usual * 200);
  });

  it('keeps to the millisecond what the server asks for', async () => {
    const { waitsMs, result } = await run(provider, fresh(provider, 'hinted'));
    expect(waitsMs).toEqual([7250, 3000]);
    expect(result).toMatchObject({ status: 'completed', output: { result: 'At last.' } });
  });

  it('does not try again when the quota of a day is spent', async () => {
    const [daily] = DAILY.filter((entry) => packageOf(entry.provider) === packageOf(provider));
    if (daily === undefined) throw new Error(`The corpus has no spent quota of ${provider}`);
    const { seen, result } = await run(daily.provider, `${daily.provider}/corpus/${daily.id}`);
    expect(seen).toHaveLength(1);
    expect(result).toMatchObject({ error: { kind: 'provider.quota_exhausted' } });
  });

  it('is parked by a hint of an hour, still waits after a restart, and continues in time', async () => {
    const clock = new JumpClock();
    const store = openMemoryStore({ now: () => clock.now() });
    const { plan, bound } = planOf(oneAgent(fresh(provider, 'later'), {}, settings(provider)));
    const before = server.records.length;
    const handle = await openRunner({ store }, clock).start(plan, {});
    const first = await handle.result();
    const until = new Date(clock.now() + 3_600_000).toISOString();
    expect(first).toMatchObject({ status: 'paused', waiting: { reason: 'time', until } });
    clock.advance(1_800_000);
    const second = await (await openRunner({ store }, clock).resume(handle.id)).result();
    expect(second).toMatchObject({ status: 'paused', waiting: { reason: 'time', until } });
    expect(server.records.length - before).toBe(1);
    // what is left is short enough to wait for
    clock.advance(1_799_000);
    const result = await (await openRunner({ store }, clock).resume(handle.id)).result();
    expect(result).toMatchObject({ status: 'completed', output: { result: 'At last.' } });
    const { waitsMs } = await ranOf(store, handle.id, { result, bound });
    expect(waitsMs).toEqual([3_600_000]);
    expect(server.records.length - before).toBe(2);
  });

  it('breaks: after the first content the node decides, before it the call is made again', async () => {
    const outcomes: string[] = [];
    for (const [model, more] of [
      ['cut', {}],
      ['cut', { on_partial: 'restart' }],
      ['cut', { on_partial: 'keep_partial' }],
      ['unheard', {}],
      ['lost', {}],
    ] as const) {
      const { result, seen, costs } = await run(provider, fresh(provider, model), { more });
      const [first] = costs.attempts;
      expect(first).toMatchObject({ estimated: true });
      outcomes.push(`${model} ${seen.length} ${first?.kind} ${endingOf(result)}`);
    }
    expect(outcomes).toEqual([
      'cut 1 provider.stream_interrupted provider.stream_interrupted',
      'cut 2 provider.stream_interrupted {"result":"whole"}',
      expect.stringMatching(
        /^cut 1 provider\.stream_interrupted \{"result":"The lab(?:el is)?","partial":true\}$/,
      ),
      'unheard 2 provider.network {"result":"whole"}',
      'lost 2 provider.network {"result":"whole"}',
    ]);
  });
});

describe('a script', () => {
  /** What can happen to a call beside an answer with a status. */
  const FATES: Readonly<Record<string, readonly object[]>> = {
    silent: [{ hang: true }, { answer: 'whole' }],
    lost: [{ answer: 'lost', lose_reply: true }, { answer: 'whole' }],
    cut: [{ stream: ['The lab', 'el is'], cut: true }],
    unheard: [{ stream: [], cut: true }, { answer: 'whole' }],
    failing: [{ fail: { kind: 'provider.overloaded', retry_after: 1.5 } }, { answer: 'whole' }],
  };

  it.each(Object.entries(FATES))('means the same behind both doors: %s', async (_, script) => {
    const there = await startSimulator({ script: scriptOf(JSON.stringify({ m: script })) });
    try {
      const provider = { name: 'openai', base_url: `${there.url}/v1`, api_key: KEY };
      const runtime = { model_timeouts: { first_token_seconds: 1.5 }, simulate: { m: script } };
      const inside = await runFile(oneAgent('sim/m', {}, { runtime }), { effectClock: HURRIED });
      const outside = await runFile(
        oneAgent('openai/m', {}, { runtime: { ...runtime, provider } }),
      );
      const reported = ({ calls, result, costs }: Ran): object => ({
        calls: calls.map((call) => call.replace(/^\S+ /, '')),
        ending: endingOf(result),
        outcomes: costs.attempts.map(({ outcome }) => outcome),
      });
      expect(reported(inside)).toEqual(reported(outside));
    } finally {
      await there.close();
    }
  });

  it('loses no entry to a breaker', async () => {
    const broken = { when: 'Break', fail: { kind: 'provider.server_error' } };
    const runtime = { simulate: { m: [broken, { answer: 'first' }, { answer: 'second' }] } };
    const node = (name: string, prompt: string, to: string): object => ({
      name,
      prompt,
      tools: [],
      model: 'sim/m',
      routes: [{ to }, { on_error: 'provider.exhausted', to }],
    });
    const { calls, result, costs } = await runFile({
      workflow: { name: 't', entry_point: 'a', runtime },
      nodes: [node('a', 'Break it.', 'b'), node('b', 'Break it.', 'c'), node('c', 'Hello', '$end')],
    });
    expect(calls).toContain('sim/m breaker.open');
    expect(result).toEqual({ status: 'completed', output: { result: 'first' } });
    // nobody was asked, so nobody is paid
    expect(costs.attempts.map(({ outcome, kind }) => kind ?? outcome)).toEqual(
      calls
        .filter((call) => call !== 'sim/m breaker.open')
        .map((call) => (call.endsWith(' ok') ? 'succeeded' : call.slice('sim/m '.length))),
    );
  });
});

function endingOf(result: Ran['result']): string {
  if (result.status === 'completed') return JSON.stringify(result.output);
  return result.status === 'failed' ? result.error.kind : result.status;
}
