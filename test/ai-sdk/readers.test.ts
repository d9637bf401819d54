/** The reader of a stream: a slow one is no silent provider, and one that went away is on the bill. */
import { afterEach, describe, expect, it, vi } from 'vitest';
import { resilientModel, type AttemptRow } from '../../src/ai-sdk/index.ts';
import { begunText, scripted, textParts, virtualClock, type Turn } from './models.cases.ts';

const never = new AbortController().signal;

interface Opening {
  readonly deadlineMs?: number;
  readonly abortSignal?: AbortSignal;
}

async function opened(turn: Turn, { deadlineMs, abortSignal }: Opening = {}) {
  const rows: AttemptRow[] = [];
  const clock = virtualClock();
  const model = resilientModel([{ model: scripted('a', 'one', turn), timeoutMs: 300 }], {
    clock,
    onAttempt: (row) => rows.push(row),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  });
  const { stream } = await model.doStream({
    prompt: [],
    ...(abortSignal === undefined ? {} : { abortSignal }),
  });
  return { rows, clock, reader: stream.getReader() };
}

describe('a stream of which nobody asks for more', () => {
  afterEach(() => void vi.restoreAllMocks());

  it('keeps no process alive, and one that is waited for does', async () => {
    const set = vi.spyOn(globalThis, 'setTimeout');
    const LIMIT_MS = 7_654_321;
    const timers = (): readonly unknown[] =>
      set.mock.calls.flatMap(([, ms], at) => {
        const timer = set.mock.results[at]?.value as NodeJS.Timeout | undefined;
        return ms !== undefined && ms > LIMIT_MS / 2 ? [timer?.hasRef()] : [];
      });
    const turn: Turn = { parts: begunText('half'), stays: true };
    const entry = { model: scripted('a', 'one', turn), timeoutMs: LIMIT_MS };
    const { stream } = await resilientModel([entry]).doStream({ prompt: [] });
    const reader = stream.getReader();
    expect(timers()).toEqual([false]);
    for (let parts = 0; parts < 3; parts++) await reader.read();
    expect(timers()).toEqual([false]);
    const next = reader.read();
    await new Promise((resolve) => setImmediate(resolve));
    expect(timers()).toEqual([true]);
    await reader.cancel();
    expect(await next).toMatchObject({ done: true });
  });
});

describe('a stream', () => {
  it('whose reader takes longer than the provider may is read to its end', async () => {
    const { rows, clock, reader } = await opened({ parts: textParts('one ', 'two ', 'three') });
    const types: string[] = [];
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      types.push(value.type);
      await clock.sleep(70_000, never);
    }
    expect(types).toEqual(textParts('one ', 'two ', 'three').map(({ type }) => type));
    expect(rows).toMatchObject([{ outcome: 'succeeded' }]);
  });

  it('counts silence only from the moment the next part is asked for', async () => {
    const { rows, clock, reader } = await opened({ parts: begunText('half'), stays: true });
    for (let parts = 0; parts < 3; parts++) await reader.read();
    await clock.sleep(70_000, never);
    expect(rows).toEqual([]);
    expect((await reader.read()).value).toMatchObject({ error: { kind: 'provider.timeout' } });
    expect(rows).toMatchObject([{ kind: 'provider.timeout', outcome: 'partial' }]);
  });

  it('that nobody reads is on the bill in the end, and its request is given up', async () => {
    const { rows, clock, reader } = await opened({ parts: textParts('one ', 'two') });
    await clock.sleep(3_600_000, never);
    const row = { kind: 'cancelled.call', outcome: 'partial', estimated: true };
    expect(rows).toMatchObject([row]);
    const seen = await reader.read();
    expect(seen.value).toMatchObject({ type: 'error', error: { kind: 'cancelled.call' } });
    await expect(reader.read()).rejects.toMatchObject({ kind: 'cancelled.call' });
    expect(rows).toHaveLength(1);
  });

  it('that nobody reads is on the bill at its deadline', async () => {
    const { rows, clock, reader } = await opened({ parts: textParts('one') }, { deadlineMs: 1000 });
    await clock.sleep(2000, never);
    expect(rows).toMatchObject([{ kind: 'limit.node_timeout', outcome: 'partial' }]);
    expect((await reader.read()).value).toMatchObject({ error: { kind: 'limit.node_timeout' } });
  });

  it('that nobody reads is on the bill as soon as its caller aborts', async () => {
    const caller = new AbortController();
    const { rows, reader } = await opened(
      { parts: textParts('one') },
      { abortSignal: caller.signal },
    );
    caller.abort(new Error('the user left'));
    expect(rows).toMatchObject([{ kind: 'cancelled.call' }]);
    await expect(reader.read()).rejects.toBe(caller.signal.reason);
    expect(rows).toHaveLength(1);
  });
});
