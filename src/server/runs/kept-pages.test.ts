import { expect, test } from 'vitest';
import type { EffectClock } from '../../effects/clock.ts';
import { KeptPages } from './kept-pages.ts';

function setUp(mark: () => string | undefined) {
  let nowMs = 0;
  let made = 0;
  // only the time is read
  const clock = { now: () => nowMs } as EffectClock;
  const pages = new KeptPages({ clock, writeMark: async () => mark() });
  return {
    page: async (name: string) => (await pages.of(name, async () => ({ text: `${++made}` }))).text,
    wait: (ms: number) => (nowMs += ms),
  };
}

test('makes a page anew after every write, and each page by itself', async () => {
  let mark = 'a';
  const { page } = setUp(() => mark);
  expect([await page('?x'), await page('?x'), await page('?y')]).toEqual(['1', '1', '2']);
  mark = 'b';
  expect([await page('?x'), await page('?y')]).toEqual(['3', '4']);
});

test('makes a page anew after a quarter of a second: a process may have died without a write', async () => {
  const { page, wait } = setUp(() => 'a');
  expect(await page('')).toBe('1');
  wait(250);
  expect(await page('')).toBe('1');
  wait(1);
  expect(await page('')).toBe('2');
});

test('keeps nothing where the store does not say what was written', async () => {
  const { page } = setUp(() => undefined);
  expect([await page(''), await page('')]).toEqual(['1', '2']);
});
