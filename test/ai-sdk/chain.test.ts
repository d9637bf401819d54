/** `resilientModel` under `generateText`: who is asked, who waits, and what a failure says. */
import { describe, expect, it } from 'vitest';
import { generateText } from '../sdks/node_modules/ai/dist/index.js';
import { resilientModel, type AttemptRow } from '../../src/ai-sdk/index.ts';
import type { ErrorReport } from '../../src/errors/report/report.ts';
import {
  apiError,
  FROZEN,
  limited,
  overloaded,
  quota,
  refusedKey,
  scripted,
  virtualClock,
} from './models.cases.ts';

const prompt = 'What does this customer want?';

/** The report of what is thrown. */
async function reportOf(work: PromiseLike<unknown>): Promise<ErrorReport> {
  try {
    await work;
  } catch (thrown) {
    return (thrown as { report: ErrorReport }).report;
  }
  throw new Error('nothing was thrown');
}

describe('a chain of models', () => {
  it('asks the next entry at once, and says who answered and what it cost', async () => {
    const first = scripted('anthropic.messages', 'claude-sonnet-5', { thrown: overloaded() });
    const second = scripted('openai.responses', 'gpt-6-mini', { text: 'A refund.' });
    const rows: AttemptRow[] = [];
    const clock = virtualClock();
    const model = resilientModel([first, second], { clock, onAttempt: (row) => rows.push(row) });
    const { text, providerMetadata } = await generateText({ model, prompt });
    expect(text).toBe('A refund.');
    expect(clock.slept).toEqual([]);
    expect(providerMetadata?.['errand']).toEqual({
      servedBy: 'openai/gpt-6-mini',
      costUsdMicros: expect.any(Number),
      attempts: rows,
    });
    expect(rows).toMatchObject([
      {
        target: 'anthropic/claude-sonnet-5',
        attempt: 0,
        kind: 'provider.overloaded',
        outcome: 'failed',
        inputTokens: 0,
        costUsdMicros: 0,
        rule: expect.any(String),
      },
      {
        target: 'openai/gpt-6-mini',
        attempt: 1,
        outcome: 'succeeded',
        inputTokens: 10,
        outputTokens: 4,
        estimated: false,
      },
    ]);
    expect(model).toMatchObject({
      specificationVersion: 'v4',
      provider: 'anthropic.messages',
      modelId: 'claude-sonnet-5',
    });
  });

  it('adds up the parts of a count that has no total', async () => {
    const usage = {
      inputTokens: { total: undefined, noCache: 900, cacheRead: 100, cacheWrite: undefined },
      outputTokens: { total: undefined, text: 30, reasoning: 12 },
    };
    const rows: AttemptRow[] = [];
    const model = resilientModel([scripted('a', 'one', { text: 'yes', usage })], {
      clock: virtualClock(),
      onAttempt: (row) => rows.push(row),
    });
    await generateText({ model, prompt });
    expect(rows).toMatchObject([
      { inputTokens: 1000, cachedTokens: 100, outputTokens: 42, estimated: false },
    ]);
  });

  it('lets a model that failed rest for later calls, and asks it again when its time has come', async () => {
    const first = scripted('a', 'one', { thrown: limited(30) }, { text: 'first' });
    const second = scripted('b', 'two', { text: 'second' });
    const clock = virtualClock();
    const model = resilientModel([first, second], { clock });
    const ask = async () => (await generateText({ model, prompt })).text;
    expect([await ask(), await ask()]).toEqual(['second', 'second']);
    expect(first.calls).toHaveLength(1);
    await clock.sleep(30_000, new AbortController().signal);
    expect(await ask()).toBe('first');
  });

  it('waits as long as the server asks when no entry is healthy', async () => {
    const only = scripted('a', 'one', { thrown: limited(7) }, { text: 'done' });
    const clock = virtualClock();
    const { text } = await generateText({ model: resilientModel([only], { clock }), prompt });
    expect(text).toBe('done');
    expect(clock.slept.filter((ms) => ms === 7000)).toHaveLength(1);
  });

  it('ends as exhausted when every schedule is spent, with every attempt', async () => {
    const clock = virtualClock();
    const model = resilientModel(
      [
        scripted('a', 'one', { thrown: overloaded() }),
        scripted('b', 'two', { thrown: apiError(500) }),
      ],
      { clock },
    );
    const report = await reportOf(generateText({ model, prompt, maxRetries: 5 }));
    expect(report).toMatchObject({
      kind: 'provider.exhausted',
      cause: { kind: expect.stringMatching(/^provider\.(overloaded|server_error)$/) },
    });
    expect(report.attempts).toHaveLength(6);
    expect(report.attempts?.[0]).toMatchObject({
      number: 1,
      target: 'a/one',
      kind: 'provider.overloaded',
      inputTokens: 0,
      outputTokens: 0,
      costUsdMicros: 0,
    });
  });

  it('does not begin a wait that would be longer than two minutes', async () => {
    const clock = virtualClock();
    const model = resilientModel([scripted('a', 'one', { thrown: limited(600) })], { clock });
    const report = await reportOf(generateText({ model, prompt }));
    expect(report).toMatchObject({
      kind: 'provider.exhausted',
      cause: { kind: 'provider.rate_limited' },
      provider: { retryAfterMs: 600_000 },
    });
    expect(clock.slept).toEqual([]);
    const again = await reportOf(generateText({ model, prompt }));
    expect(again).toMatchObject({
      kind: 'provider.exhausted',
      cause: { kind: 'provider.rate_limited' },
    });
  });

  it('goes to another provider after a spent quota, and never back', async () => {
    const spent = scripted('openai.chat', 'gpt-6', { thrown: quota() });
    const sibling = scripted('openai.chat', 'gpt-6-mini', { text: 'sibling' });
    const other = scripted('google', 'gemini', { text: 'other' });
    const model = resilientModel([spent, sibling, other], { clock: virtualClock() });
    expect((await generateText({ model, prompt })).text).toBe('other');
    expect((await generateText({ model, prompt })).text).toBe('other');
    expect([spent.calls.length, sibling.calls.length]).toEqual([1, 0]);
  });

  it('takes a cooldownKey for another account', async () => {
    const spent = scripted('openai', 'gpt-6', { thrown: quota() });
    const other = scripted('openai', 'gpt-6', { text: 'the other key' });
    const model = resilientModel(
      [
        { model: spent, cooldownKey: 'accounts-test-a' },
        { model: other, cooldownKey: 'accounts-test-b' },
      ],
      { clock: virtualClock() },
    );
    expect((await generateText({ model, prompt })).text).toBe('the other key');
    const otherModel = resilientModel(
      [
        { model: scripted('openai', 'gpt-6', { text: 'wrong' }), cooldownKey: 'accounts-test-a' },
        scripted('b', 'two', { text: 'two' }),
      ],
      { clock: virtualClock() },
    );
    expect((await generateText({ model: otherModel, prompt })).text).toBe('two');
  });

  it('stops at a fatal failure, unless a later entry names its kind', async () => {
    const bad = scripted('a', 'one', { thrown: refusedKey() });
    const never = scripted('b', 'two', { text: 'two' });
    const stopped = await reportOf(generateText({ model: resilientModel([bad, never]), prompt }));
    expect(stopped.kind).toBe('provider.auth');
    expect(never.calls).toHaveLength(0);
    const model = resilientModel([
      bad,
      never,
      { model: scripted('c', 'three', { text: 'three' }), on: 'provider.auth' },
    ]);
    expect((await generateText({ model, prompt })).text).toBe('three');
  });

  it('answers fifty calls at once while its first entry is down', async () => {
    const first = scripted('a', 'one', { thrown: overloaded() });
    const second = scripted('b', 'two', { text: 'two' });
    const model = resilientModel([first, second], { clock: virtualClock() });
    const texts = await Promise.all(
      Array.from({ length: 50 }, async () => (await generateText({ model, prompt })).text),
    );
    expect(texts).toEqual(Array.from({ length: 50 }, () => 'two'));
    expect(second.calls).toHaveLength(50);
  });

  it('opens a breaker after five failures, and asks the model once its window is over', async () => {
    const first = scripted('a', 'one', { thrown: apiError(500) });
    const second = scripted('b', 'two', { text: 'two' });
    const clock = virtualClock();
    const model = resilientModel([first, second], { clock });
    for (let call = 0; call < 5; call++) {
      await generateText({ model, prompt });
      await clock.sleep(5000, new AbortController().signal);
    }
    expect(first.calls).toHaveLength(5);
    await generateText({ model, prompt });
    expect(first.calls).toHaveLength(5);
  });
});

describe('the ends of a call', () => {
  it('is breaker.open when no entry may be asked before the deadline', async () => {
    const broken = scripted('a', 'one', { thrown: apiError(500) });
    const model = resilientModel([broken], { clock: virtualClock(), deadlineMs: 20_000 });
    for (let call = 0; call < 2; call++) await reportOf(generateText({ model, prompt }));
    expect(broken.calls).toHaveLength(5);
    const report = await reportOf(generateText({ model, prompt }));
    expect(report).toMatchObject({ kind: 'breaker.open', outcome: 'not_started' });
    expect(broken.calls).toHaveLength(5);
  });

  it('is limit.node_timeout when the next wait would end after the deadline', async () => {
    const clock = virtualClock();
    const model = resilientModel([scripted('a', 'one', { thrown: limited(30) })], {
      clock,
      deadlineMs: 20_000,
    });
    const report = await reportOf(generateText({ model, prompt }));
    expect(report).toMatchObject({
      kind: 'limit.node_timeout',
      cause: { kind: 'provider.rate_limited' },
      details: { deadlineMs: 20_000 },
    });
    expect(clock.slept).toEqual([]);
  });

  it('is limit.node_timeout when the answer does not come before the deadline', async () => {
    const model = resilientModel([scripted('a', 'one', { hangs: true })], {
      clock: virtualClock(),
      deadlineMs: 9000,
    });
    expect(await reportOf(generateText({ model, prompt }))).toMatchObject({
      kind: 'limit.node_timeout',
      outcome: 'unknown',
    });
  });

  it('survives an entry that does not answer within its own time', async () => {
    const model = resilientModel(
      [
        { model: scripted('a', 'one', { hangs: true }), timeoutMs: 2000 },
        scripted('b', 'two', { text: 'two' }),
      ],
      { clock: virtualClock() },
    );
    const { text, providerMetadata } = await generateText({ model, prompt });
    expect(text).toBe('two');
    expect(providerMetadata?.['errand']).toMatchObject({
      attempts: [{ kind: 'provider.timeout', outcome: 'unknown', estimated: true }, {}],
    });
  });

  it('throws the reason of the caller’s signal, the same object, and asks nothing more', async () => {
    const reason = new Error('the user left');
    const controller = new AbortController();
    const second = scripted('b', 'two', { text: 'two' });
    const model = resilientModel([scripted('a', 'one', { hangs: true }), second], {
      clock: virtualClock(),
    });
    const call = Promise.resolve(
      model.doGenerate({ prompt: [], abortSignal: controller.signal }),
    ).catch((thrown: unknown) => thrown);
    controller.abort(reason);
    expect(await call).toBe(reason);
    expect(second.calls).toHaveLength(0);
  });

  it('ends a wait for the caller too', async () => {
    const reason = new Error('the user left');
    const controller = new AbortController();
    const model = resilientModel([scripted('a', 'one', { thrown: limited(30) })], {
      clock: FROZEN,
    });
    const call = Promise.resolve(
      model.doGenerate({ prompt: [], abortSignal: controller.signal }),
    ).catch((thrown: unknown) => thrown);
    setImmediate(() => controller.abort(reason));
    expect(await call).toBe(reason);
  });

  it('makes no attempt that would exceed the budget', async () => {
    const prices = { 'a/one': { inputPerMtok: 1, outputPerMtok: 1000 } };
    const one = scripted('a', 'one', { text: 'never' });
    const model = resilientModel([one], { prices, budgetUsd: 0.5 });
    const report = await reportOf(generateText({ model, prompt, maxOutputTokens: 1000 }));
    expect(report).toMatchObject({
      kind: 'limit.budget',
      outcome: 'not_started',
      details: { limit: 500_000, spent: 0 },
    });
    expect(one.calls).toHaveLength(0);
    await expect(generateText({ model, prompt, maxOutputTokens: 100 })).resolves.toMatchObject({
      text: 'never',
    });
  });
});

describe('endings', () => {
  it.each([
    ['content-filter', 'provider.content_filter'],
    ['error', 'provider.exhausted'],
  ] as const)('of %s are failures', async (unified, kind) => {
    const finish = { unified, raw: unified };
    const model = resilientModel([scripted('a', 'one', { text: 'half', finish })], {
      clock: virtualClock(),
    });
    expect((await reportOf(generateText({ model, prompt }))).kind).toBe(kind);
  });

  it('of length pass, unless a later entry asks for what was cut', async () => {
    const finish = { unified: 'length', raw: 'length' } as const;
    const cut = scripted('a', 'one', { text: 'half', finish });
    expect((await generateText({ model: resilientModel([cut]), prompt })).text).toBe('half');
    const longer = { model: scripted('b', 'two', { text: 'whole' }), on: 'provider.truncated' };
    expect((await generateText({ model: resilientModel([cut, longer]), prompt })).text).toBe(
      'whole',
    );
  });

  it('of length are cut whatever word the provider has for it', async () => {
    for (const raw of [undefined, 'LIMITE', 'stop']) {
      const finish = { unified: 'length', raw } as const;
      const cut = scripted('a', 'one', { text: 'half', finish });
      const longer = { model: scripted('b', 'two', { text: 'whole' }), on: 'provider.truncated' };
      const kinds: unknown[] = [];
      const model = resilientModel([cut, longer], { onAttempt: ({ kind }) => kinds.push(kind) });
      const { text } = await generateText({ model, prompt });
      expect([text, kinds]).toEqual(['whole', ['provider.truncated', undefined]]);
    }
  });

  it('of length keep a word that says more', async () => {
    const finish = { unified: 'length', raw: 'model_context_window_exceeded' } as const;
    const cut = scripted('a', 'one', { text: 'half', finish });
    const longer = { model: scripted('b', 'two', { text: 'whole' }), on: 'provider.truncated' };
    const model = resilientModel([cut, longer]);
    expect((await reportOf(generateText({ model, prompt }))).kind).toBe('provider.context_length');
  });
});

describe('what cannot be meant', () => {
  const good = scripted('a', 'one', { text: 'one' });
  it.each([
    ['no entry', [[]]],
    ['a text', [['openai/gpt-6']]],
    ['an older interface', [[{ ...good, specificationVersion: 'v2' }]]],
    ['an unknown option', [[good], { deadline: 3 }]],
    ['an unknown key of an entry', [[{ model: good, timeout: 3 }]]],
    ['an unknown kind', [[{ model: good, on: 'provider.rate_limit' }]]],
    ['a budget without a price', [[good], { budgetUsd: 1 }]],
    ['repairs that are no number', [[good], { repair: 1.5 }]],
  ])('is refused when it is made: %s', (_, args) => {
    expect(() => (resilientModel as (...given: unknown[]) => unknown)(...args)).toThrowError(
      expect.objectContaining({ kind: 'validation.input' }),
    );
  });
});
