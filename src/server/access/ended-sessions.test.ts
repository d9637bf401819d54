/** Ended sessions stay few, and none of them is ever valid again. */
import { expect, test } from 'vitest';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { openMemoryStore } from '../../stores/memory.ts';
import { EndedSessions } from './ended-sessions.ts';

const DAY = 24 * 3600;

function scene() {
  let nowMs = 100 * DAY * 1000;
  const now = (): number => nowMs;
  const store = openMemoryStore({ now });
  const open = () => new EndedSessions({ notes: async () => store, now, maxAgeSeconds: 30 * DAY });
  const kept = async () => (await store.notes('sessions')).notes.get('ended')?.value;
  const keep = (value: JsonObject) => store.setNote('sessions', 'ended', { value, version: 0 });
  const pass = (seconds: number): void => void (nowMs += seconds * 1000);
  return { open, kept, keep, pass };
}

const session = (sinceSeconds: number) => ({ nonce: `n${sinceSeconds}`, sinceSeconds });

test('sessions that would be over by themselves are forgotten', async () => {
  const { open, kept, pass } = scene();
  await open().add(session(99 * DAY));
  pass(31 * DAY);
  await open().add(session(130 * DAY));
  expect(await kept()).toEqual({ throughSeconds: 0, sessions: { [`n${130 * DAY}`]: 130 * DAY } });
});

test('too many ended sessions end every session that is as old as the older half', async () => {
  const { open, kept, keep } = scene();
  const first = 99 * DAY;
  const many = Array.from({ length: 2000 }, (_, n) => [`n${first + n}`, first + n]);
  await keep({ throughSeconds: 0, sessions: Object.fromEntries(many) });
  await open().add(session(first + 2000));
  const { throughSeconds, sessions } = (await kept()) as {
    throughSeconds: number;
    sessions: object;
  };
  expect([throughSeconds, Object.keys(sessions).length]).toEqual([first + 999, 1001]);
  const again = open();
  for (const n of [0, 999, 1000, 2000]) expect(await again.has(session(first + n))).toBe(true);
  expect(await again.has(session(first + 2001))).toBe(false);
});

test('two servers that end sessions at the same moment lose neither', async () => {
  const { open } = scene();
  const [one, other] = [open(), open()];
  await Promise.all([one.add(session(99 * DAY)), other.add(session(98 * DAY))]);
  const reader = open();
  expect(await reader.has(session(99 * DAY))).toBe(true);
  expect(await reader.has(session(98 * DAY))).toBe(true);
});
