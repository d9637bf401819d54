import { expect, it } from 'vitest';
import { newRunId } from './run-id.ts';

it('names runs by 120 random bits, in letters that are not mistaken for others', () => {
  const names = Array.from({ length: 2000 }, newRunId);
  for (const name of names) expect(name).toMatch(/^[0-9a-hjkmnp-tv-z]{24}$/);
  expect(new Set(names.map((name) => name.slice(0, 12))).size).toBe(names.length);
  // every position has every letter, so no bit is wasted
  for (let place = 0; place < 24; place++)
    expect(new Set(names.map((name) => name[place])).size).toBe(32);
});
