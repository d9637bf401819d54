import fc from 'fast-check';
import { expect, it } from 'vitest';
import { anyText } from '../report/arbitraries.cases.ts';
import { onScreen } from './on-screen.ts';
import { jsonText, printable, singleLine, visible } from './printable.ts';
import { runs } from '../../../test/runs.ts';

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
    { numRuns: runs(500) },
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

/** Listed one by one, not by the property that the code uses. */
const INVISIBLE = Array.from(
  '\u200b\u200c\u200d\u2060\u2061\u2064\ufeff\u00ad\u034f\u3164\u115f\uffa0\ufe00\ufe0f\u180e' +
    '\u202e\u001b\u2028\u{e0001}\u{e0041}\u{e007f}\u{e0100}\u{e01ef}',
);

it('makes invisible characters visible, and loses none of them in JSON', () => {
  const letters = fc.constantFrom('a', 'Z', 'é', 'ж', '\\', '"', ' ', '値', '(', '한');
  const mixed = fc.array(fc.oneof(letters, fc.constantFrom(...INVISIBLE)), { maxLength: 40 });
  fc.assert(
    fc.property(mixed, (parts) => {
      const text = parts.join('').replace(/(?<=値)[\ufe00\u{e0100}\u{e01ef}]+/gu, '');
      const { name } = onScreen({ name: text });
      const json = jsonText({ name: text });
      for (const shown of [visible(text), name, json])
        expect(INVISIBLE.filter((character) => shown.includes(character))).toEqual([]);
      expect(visible(visible(text))).toBe(visible(text));
      expect(JSON.parse(json)).toEqual({ name: text });
    }),
    { numRuns: runs(500) },
  );
});

it.each([
  ['an emoji that is put together', '👩🏽‍🚀 👨‍👩‍👧 ❤️‍🔥 1️⃣ ⚠️'],
  ['Persian', 'می‌خواهم'],
  ['Sinhala and Hindi', 'ශ්‍රී क्‍ष'],
  ['a variant of a Han character', '葛\u{e0100}'],
])('leaves %s as it is', (_, text) => {
  expect(visible(text)).toBe(text);
});

it.each([
  ['pay\u200bpal', String.raw`pay\u200bpal`],
  ['a\u200db', String.raw`a\u200db`],
  ['\u180e\u200d\u180e', String.raw`\u180e\u200d\u180e`],
  ['👩\u200d\u200d👧', String.raw`👩\u200d\u200d👧`],
  ['😀\ufe0f\ufe0f\u{e0100}', `😀\ufe0f${String.raw`\ufe0f\udb40\udd00`}`],
  ['soft\u00adhyphen', String.raw`soft\u00adhyphen`],
])('shows %j as %j on a screen', (text, shown) => {
  expect(visible(text)).toBe(shown);
});

it('escapes exactly the characters that are not seen, each by itself', () => {
  const unseen =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb]|\p{Default_Ignorable_Code_Point}/u;
  const wrong = Array.from({ length: 0x10000 }, (_, unit) => String.fromCharCode(unit)).filter(
    (character) => (visible(character) === character) === unseen.test(character),
  );
  expect(wrong).toEqual([]);
});
