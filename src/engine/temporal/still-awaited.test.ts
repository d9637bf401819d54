import { expect, test } from 'vitest';
import { isStillAwaited } from './still-awaited.ts';

const HEARTBEAT_MS = 30_000;
const SCHEDULED_MS = 1_000_000;

const INFO = {
  taskToken: new Uint8Array([1]),
  currentAttemptScheduledTimestampMs: SCHEDULED_MS,
  startToCloseTimeoutMs: 90_000,
  heartbeatTimeoutMs: HEARTBEAT_MS,
};

interface Case {
  readonly ageMs: number;
  /** How long each question takes. Default: no time. */
  readonly takesMs?: readonly number[];
  readonly said?: readonly boolean[];
  readonly info?: object;
}

async function asked({ ageMs, takesMs = [], said = [], info = {} }: Case): Promise<object> {
  let nowMs = SCHEDULED_MS + ageMs;
  let questions = 0;
  const isAwaited = await isStillAwaited(
    { ...INFO, ...info },
    {
      now: () => nowMs,
      ask: () => {
        nowMs += takesMs[questions] ?? 0;
        return Promise.resolve(said[questions++] ?? true);
      },
    },
  );
  return { isAwaited, questions };
}

test.each<[string, Case, object]>([
  ['a task that is new', { ageMs: 20 }, { isAwaited: true, questions: 0 }],
  ['a clock a little behind', { ageMs: -500 }, { isAwaited: true, questions: 0 }],
  ['one that stood still', { ageMs: 31_000, said: [false] }, { isAwaited: false, questions: 1 }],
  ['one that waited for a worker', { ageMs: 3_600_000 }, { isAwaited: true, questions: 1 }],
  ['a clock far behind', { ageMs: -40_000, said: [false] }, { isAwaited: false, questions: 1 }],
  [
    'one that stood still during the answer',
    { ageMs: 31_000, takesMs: [31_000], said: [true, false] },
    { isAwaited: false, questions: 2 },
  ],
  [
    'a call with less time than a heartbeat',
    { ageMs: 3000, said: [false], info: { startToCloseTimeoutMs: 6000 } },
    { isAwaited: false, questions: 1 },
  ],
])('asks the server before an effect begins, for %s', async (_, given, expected) => {
  expect(await asked(given)).toEqual(expected);
});

test('rejects where the server cannot be asked', async () => {
  const away = new Error('away');
  const ask = (): Promise<boolean> => Promise.reject(away);
  const now = (): number => SCHEDULED_MS + HEARTBEAT_MS;
  await expect(isStillAwaited(INFO, { ask, now })).rejects.toBe(away);
});
