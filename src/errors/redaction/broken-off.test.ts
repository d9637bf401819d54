import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactBrokenOff } from './broken-off.ts';
import { createRedactor } from './redact.ts';

const KEY = 'Zq9xhunterKtwoLthree77correct00horse';

describe('a text that broke off', () => {
  it('keeps less than twelve letters of a key that it ends within', () => {
    const before = fc.string({ maxLength: 40 });
    fc.assert(
      fc.property(before, fc.integer({ min: 12, max: KEY.length }), (words, chars) => {
        const shown = redactBrokenOff(`${words} ${KEY.slice(0, chars)}`, createRedactor([KEY]));
        expect(shown).not.toContain(KEY.slice(0, 12));
      }),
    );
  });

  it.each(['The key', 'It begins with Zq9x', ''])('is the same without one: %j', (text) => {
    expect(redactBrokenOff(text, createRedactor([KEY]))).toBe(text);
  });
});
