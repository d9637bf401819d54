import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyText } from './arbitraries.cases.ts';
import { printable, singleLine } from './printable.ts';

const FORBIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/;

it('leaves nothing that could repaint a screen or reorder what is read', () => {
  const noisy = fc.array(
    fc.oneof(anyText, fc.constantFrom('\u001b', '[', ']', '\u0007', '\u009b31m', '\u202e', '0m')),
  );
  fc.assert(
    fc.property(noisy, (parts) => {
      const text = printable(parts.join(''));
      expect(text).not.toMatch(FORBIDDEN);
      expect(printable(text)).toBe(text);
    }),
    { numRuns: 500 },
  );
});

it.each([
  ['\u001b[1;31mred\u001b[0m', 'red'],
  ['\u001b]0;title\u0007text', 'text'],
  ['\u001b]8;;https://x\u001b\\link\u001b]8;;\u001b\\', 'link'],
  ['a\r\nb\tc\nd', 'a\nb\tc\nd'],
  ['plain 値 🚫', 'plain 値 🚫'],
])('shows %j as %j', (text, shown) => {
  expect(printable(text)).toBe(shown);
});

it('puts a text of many lines on one', () => {
  expect(singleLine('  a\n\n\tb  c ')).toBe('a b c');
});
