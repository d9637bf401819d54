import fc from 'fast-check';
import { expect, it } from 'vitest';
import { describeInexact, keepsDigits, readJson, readJsonAsWritten } from './exact-number.ts';
import { repeatedKey } from './repeated-key.ts';

it('reports which number would lose digits, and where it is', () => {
  const text = '{"a": [1, {"b/c": 9007199254740993}], "d": 12345678901234567890}';
  expect(readJson(text).inexact).toEqual({ written: '9007199254740993', pointer: '/a/1/b~1c' });
  expect(readJson('9007199254740993').inexact).toMatchObject({ pointer: '' });
  expect(readJson('{"a": "9007199254740993", "b": 1e300, "c": 0.12345678901234567}').inexact).toBe(
    undefined,
  );
});

it('keeps a number that would be written the same again', () => {
  expect(readJson('[1763304000000000000]').inexact).toMatchObject({ pointer: '/0' });
  expect(readJson('[1763304000000000000]', keepsDigits)).toEqual({
    value: [1_763_304_000_000_000_000],
    inexact: undefined,
  });
});

it('never loses a digit of a whole number silently', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n }), (number) => {
      const { value, inexact } = readJson(`{"n": ${number}}`, keepsDigits);
      if (inexact === undefined) expect(JSON.stringify(value)).toBe(`{"n":${number}}`);
      expect(JSON.stringify(readJsonAsWritten(`[${number}]`))).toMatch(`${number}`);
    }),
  );
});

it('reports a key that an object has twice, and where', () => {
  const text = String.raw`{"a": ["}", {"x": "a\"b:", "y": {"k": 1}, "k": [], "\u006b" : {"k": 2}}], "b": 1}`;
  expect(readJson(text).inexact).toEqual({ written: 'k', pointer: '/a/1/k', isRepeated: true });
  expect(describeInexact({ written: 'k', pointer: '/a/1/k', isRepeated: true })).toBe(
    'has the key "k" twice (/a/1/k)',
  );
});

it('reports no key of a text that JSON.stringify wrote', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 5 }), fc.constantFrom('', ' ', '\n\t'), (json, blank) => {
      const text = JSON.stringify(JSON.parse(json), null, blank);
      expect(repeatedKey(text)).toBe(undefined);
      expect(repeatedKey(`{"k":${text}${blank},"k"${blank}:${text}}`)).toEqual({
        key: 'k',
        pointer: '/k',
      });
    }),
  );
});
