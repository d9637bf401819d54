import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newRunId } from './run-id.ts';

it.each([
  ['the device of the kernel', undefined],
  ['node:crypto where there is no such device', join(import.meta.dirname, 'no-such-device')],
  ['node:crypto where it is a file', import.meta.filename],
])(
  'names runs by 120 random bits of %s, in letters that are not mistaken for others',
  (_, device) => {
    const names = Array.from({ length: 2000 }, () => newRunId(device));
    for (const name of names) expect(name).toMatch(/^[0-9a-hjkmnp-tv-z]{24}$/);
    expect(new Set(names.map((name) => name.slice(0, 12))).size).toBe(names.length);
    // every position has every letter, so no bit is wasted
    for (let place = 0; place < 24; place++)
      expect(new Set(names.map((name) => name[place])).size).toBe(32);
  },
);
