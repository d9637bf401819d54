/** One call to a simulated model, through the door that drivers use. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contextFor, failureOf, reportOf, SECRET } from '../../src/effects/effect-port.cases.ts';
import type { EffectResult } from '../../src/effects/effect-port.ts';
import { playModel, playModelWithin } from '../../src/effects/simulator/play-model.ts';
import { RUNTIME_KINDS } from '../../src/errors/catalog/catalog.ts';
import type { JsonValue } from '../../src/errors/support/safe-json.ts';
import { reportFrom } from '../../src/providers/report-from.ts';
import type { ModelCall } from '../../src/machine/conversation/model-message.ts';
import type { SimulatedAnswer } from '../../src/workflow/plan/plan.ts';
import { ManualClock } from './manual-clock.ts';

const CALL: ModelCall = {
  model: 'sim/clerk',
  messages: [{ role: 'user', text: 'What is it?' }],
  tools: [],
  ordinal: 0,
};

function asked(simulated: SimulatedAnswer, changes: Partial<ModelCall> = {}): ModelCall {
  return { ...CALL, ...changes, simulated };
}

function textOf(result: EffectResult): string {
  return (result.output as { readonly text: string }).text;
}

describe('a simulated model', () => {
  it('without a script repeats the last thing that the user said', async () => {
    const messages = [
      { role: 'user', text: 'one' },
      { role: 'assistant', text: 'two', toolCalls: [] },
      { role: 'user', text: 'three' },
    ] as const;
    const result = await playModel({ ...CALL, messages }, contextFor());
    expect(result).toEqual({
      ok: true,
      output: { text: 'three', toolCalls: [] },
      usage: { inputTokens: 3, outputTokens: 2 },
    });
  });

  it('answers text as text and JSON as JSON', async () => {
    const said = await playModel(
      asked({ type: 'answer', delayMs: 0, answer: 'a bug' }),
      contextFor(),
    );
    expect(textOf(said)).toBe('a bug');
    const json = await playModel(
      asked({ type: 'answer', delayMs: 0, answer: { label: 'bug' } }),
      contextFor(),
    );
    expect(textOf(json)).toBe('{"label":"bug"}');
  });

  it('asks for tools, each time under another id', async () => {
    const calls = [
      { name: 'lookup', arguments: { id: 7 } },
      { name: 'lookup', arguments: { id: 8 } },
    ];
    const ask = async (ordinal: number): Promise<JsonValue | undefined> =>
      (await playModel(asked({ type: 'tool_calls', delayMs: 0, calls }, { ordinal }), contextFor()))
        .output;
    expect(await ask(0)).toEqual({
      text: '',
      toolCalls: [
        { id: 'call_clerk_0_0', name: 'lookup', arguments: { id: 7 } },
        { id: 'call_clerk_0_1', name: 'lookup', arguments: { id: 8 } },
      ],
    });
    expect(await ask(1)).toMatchObject({ toolCalls: [{ id: 'call_clerk_1_0' }, {}] });
  });

  it('that counts nothing of what is not empty has sent no count', async () => {
    const usage = { inputTokens: 0, outputTokens: 0 };
    const free = asked({ type: 'answer', delayMs: 0, answer: '12345', usage });
    expect(await playModel(free, contextFor())).toMatchObject({
      usage: { inputTokens: 3, outputTokens: 2 },
      isEstimated: true,
    });
    const half = { inputTokens: 9, outputTokens: 0 };
    const exact = asked({ type: 'answer', delayMs: 0, answer: '12345', usage: half });
    const result = await playModel(exact, contextFor());
    expect(result.usage).toEqual(half);
    expect(result.isEstimated).toBeUndefined();
  });

  it('bills what the script says, and counts what it leaves open', async () => {
    const usage = { inputTokens: 120, cachedTokens: 20 };
    const answer = { type: 'answer', delayMs: 0, answer: '12345', usage } as const;
    const result = await playModel(asked(answer), contextFor());
    expect(result.usage).toEqual({ inputTokens: 120, cachedTokens: 20, outputTokens: 2 });
    expect(result.isEstimated).toBeUndefined();
  });

  it('takes configured secrets out of what it says', async () => {
    const answer = { type: 'answer', delayMs: 0, answer: `key ${SECRET}` } as const;
    expect(textOf(await playModel(asked(answer), contextFor()))).not.toContain(SECRET);
  });

  it('tells its text piece by piece, whole characters only', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 200 }), async (text) => {
        const received: JsonValue[] = [];
        const context = contextFor({ attempt: 2, progress: (value) => received.push(value) });
        const answer = { type: 'answer', delayMs: 0, answer: text } as const;
        const result = await playModel(asked(answer), context);
        const pieces = received as { type: string; attempt: number; delta: string }[];
        expect(pieces.every((each) => each.type === 'text' && each.attempt === 2)).toBe(true);
        expect(pieces.map(({ delta }) => delta).join('')).toBe(textOf(result));
        expect(pieces.every(({ delta }) => delta.isWellFormed() || !text.isWellFormed())).toBe(
          true,
        );
      }),
    );
  });

  it('is not disturbed by a watcher that throws', async () => {
    const progress = (): void => {
      throw new Error('I watch no more');
    };
    const result = await playModel(CALL, contextFor({ progress }));
    expect(textOf(result)).toBe('What is it?');
  });

  it('gives the same result for the same call', async () => {
    const entry = fc.oneof(
      fc.record({
        type: fc.constant('answer' as const),
        delayMs: fc.constant(0),
        answer: fc.jsonValue() as fc.Arbitrary<JsonValue>,
      }),
      fc.record({
        type: fc.constant('stream' as const),
        delayMs: fc.constant(0),
        chunks: fc.array(fc.string(), { maxLength: 5 }),
        isCut: fc.boolean(),
      }),
      fc.record({
        type: fc.constant('fail' as const),
        delayMs: fc.constant(0),
        fail: fc.record({ kind: fc.constantFrom(...RUNTIME_KINDS) }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(entry, fc.string(), async (simulated, text) => {
        const call = asked(simulated, { messages: [{ role: 'user', text }] });
        const clock = new ManualClock();
        const first = await playModel(call, contextFor({ clock }));
        expect(await playModel(structuredClone(call), contextFor({ clock }))).toEqual(first);
      }),
    );
  });
});

describe('a simulated failure', () => {
  it.each(RUNTIME_KINDS)('is %s when the script says so', async (kind) => {
    const simulated = { type: 'fail', delayMs: 0, fail: { kind, retryAfterMs: 1500 } } as const;
    const report = reportOf(await playModel(asked(simulated), contextFor()));
    expect(report).toMatchObject({ kind, provider: { name: 'sim/clerk', retryAfterMs: 1500 } });
  });

  it('says what the script makes it say, and keeps the bill', async () => {
    const fail = { kind: 'provider.overloaded', message: 'All hands are busy' };
    const simulated = { type: 'fail', delayMs: 0, fail, usage: { inputTokens: 9 } } as const;
    const result = await playModel(asked(simulated), contextFor());
    expect(reportOf(result)).toMatchObject({
      message: 'All hands are busy',
      category: 'transient',
    });
    expect(result.usage).toEqual({ inputTokens: 9 });
  });

  it('by an answer is judged as a real one is', async () => {
    const body = { error: { code: 'insufficient_quota', message: 'You exceeded your quota' } };
    const headers = { 'retry-after': '1' };
    const fail = { provider: 'openai', status: 429, headers, body };
    const simulated = { type: 'fail', delayMs: 0, fail } as const;
    const played = reportOf(await playModel(asked(simulated), contextFor()));
    const real = reportFrom({ ...fail, transport: null }, { provider: 'openai', model: 'clerk' });
    const { id: _id, at: _at, ...expected } = real;
    expect(played).toMatchObject(expected);
    expect(played.kind).toBe('provider.quota_exhausted');
  });

  it('of a stream keeps the text and the bill', async () => {
    const chunks = ['The lab', 'el is'];
    const simulated = { type: 'stream', delayMs: 0, chunks, isCut: true } as const;
    const result = await playModel(asked(simulated), contextFor());
    expect(reportOf(result)).toMatchObject({
      kind: 'provider.stream_interrupted',
      category: 'ambiguous',
      outcome: 'partial',
    });
    expect(result).toMatchObject({
      output: { text: 'The label is' },
      usage: { inputTokens: 3, outputTokens: 3 },
    });
  });
});

describe('a simulated delay', () => {
  const answer = { type: 'answer', delayMs: 50, answer: 'late' } as const;

  it('passes on the clock of the caller', async () => {
    const clock = new ManualClock();
    const playing = playModel(asked(answer), contextFor({ clock }));
    const timer = await clock.next();
    expect(timer.ms).toBe(50);
    timer.fire();
    expect(textOf(await playing)).toBe('late');
  });

  it('ends at once when the call is no longer wanted, and nothing is billed', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const playing = playModel(asked(answer), contextFor({ clock, signal: controller.signal }));
    await clock.next();
    controller.abort();
    const result = failureOf(await playing);
    expect(result.failure).toMatchObject({ kind: 'cancelled.call', outcome: 'failed' });
    expect(result.usage).toBeUndefined();
    expect(clock.cancelled).toEqual([50]);
  });

  it('does not begin for a call that was cancelled before', async () => {
    const result = await playModel(asked(answer), contextFor({ signal: AbortSignal.abort() }));
    expect(failureOf(result).failure).toMatchObject({ outcome: 'not_started' });
  });
});

describe('a simulated model that hangs', () => {
  const hang = { type: 'hang', delayMs: 0 } as const;

  it.each([
    [{}, 180_000, 'provider.timeout', { limit: 'firstTokenMs', limitMs: 180_000 }],
    [{ timeouts: { firstTokenMs: 70 } }, 70, 'provider.timeout', { limitMs: 70 }],
    [{ timeouts: { totalMs: 60 } }, 60, 'provider.timeout', { limit: 'totalMs' }],
    [{ timeoutMs: 50 }, 50, 'limit.node_timeout', { limitMs: 50 }],
  ] as const)('says nothing for as long as %o allow', async (limits, ms, kind, details) => {
    const clock = new ManualClock();
    const playing = playModelWithin(limits)(asked(hang), contextFor({ clock }));
    const timer = await clock.next();
    expect(timer.ms).toBe(ms);
    timer.fire();
    expect(reportOf(await playing)).toMatchObject({ kind, details });
  });

  it('is left by a caller that no longer wants it', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const playing = playModel(asked(hang), contextFor({ clock, signal: controller.signal }));
    await clock.next();
    controller.abort();
    expect(failureOf(await playing).failure).toMatchObject({ kind: 'cancelled.call' });
  });
});

it('a reply that is lost is a broken connection, and its work is on the bill', async () => {
  const usage = { inputTokens: 7, outputTokens: 2 };
  const lost = { type: 'answer', delayMs: 0, answer: 'never heard', isLost: true, usage } as const;
  const said: unknown[] = [];
  const context = contextFor({ progress: (value) => void said.push(value) });
  const result = await playModel(asked(lost), context);
  expect(reportOf(result)).toMatchObject({ kind: 'provider.network', retryable: true });
  expect({ usage: result.usage, said }).toEqual({ usage, said: [] });
});

it('a call that is cancelled between two pieces keeps what was said', async () => {
  const controller = new AbortController();
  const simulated = { type: 'stream', delayMs: 0, chunks: ['1234', '5678'], isCut: false } as const;
  const context = contextFor({
    signal: controller.signal,
    cancelled: 'cancelled.node',
    progress: () => controller.abort(),
  });
  const result = await playModel(asked(simulated), context);
  expect(failureOf(result)).toMatchObject({
    failure: { kind: 'cancelled.node', outcome: 'partial' },
    output: { text: '1234' },
    usage: { inputTokens: 3, outputTokens: 1 },
  });
});
