import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from './arbitraries.cases.ts';
import { boundText, REDACTED, utf8Bytes } from './bounded-text.ts';
import { printable } from '../support/printable.ts';
import { createRedactor } from '../redaction/redact.ts';
import { runs } from '../../../test/runs.ts';

const redactor = createRedactor();
const clean = (text: string): string => redactor.text(printable(text));
const bound = fc.integer({ min: 5, max: 400 });

describe('a text within a bound', () => {
  it('is never longer than the bound', () => {
    fc.assert(
      fc.property(anyText, bound, (text, max) => boundText(text, max, clean).text.length <= max),
    );
  });

  it('does not change, and counts nothing, when it is bounded again', () => {
    fc.assert(
      fc.property(anyText, bound, (text, max) => {
        const once = boundText(text, max, clean).text;
        expect(boundText(once, max, clean)).toEqual({ text: once, cutChars: 0 });
      }),
      { numRuns: runs(1000) },
    );
  });

  it('is the filtered text itself when that fits', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 100 }), (text) => {
        expect(boundText(text, 2000, clean)).toEqual({ text: clean(text), cutChars: 0 });
      }),
    );
  });

  it('ends in an ellipsis when something was left out, and says how much', () => {
    expect(boundText('abcdefghij', 5, (text) => text)).toEqual({ text: 'abcd…', cutChars: 5 });
    expect(boundText('x'.repeat(1_000_000), 100, (text) => text)).toMatchObject({
      cutChars: 999_900,
    });
  });

  it('splits neither a character nor the mark of a redaction', () => {
    expect(boundText('ab🚫cd', 4, (text) => text).text).toBe('ab…');
    expect(boundText(`ab ${REDACTED} cd`, 8, (text) => text).text).toBe('ab …');
  });

  it('shows no half of a secret that begins just before the end of the part that is read', () => {
    const secret = 'sk-proj-abcdefghijklmnopqrstuvwxyz';
    const key = `-----BEGIN PRIVATE KEY-----${'k'.repeat(3900)}-----END PRIVATE KEY-----`;
    for (let distance = 0; distance < 60; distance++) {
      // the key shrinks to a mark, so the end of the part that was read is shown
      const text = `${key}${'.'.repeat(300 + 4096 - key.length - distance)}${secret}${'z'.repeat(99)}`;
      expect(boundText(text, 300, clean).text).not.toContain('sk-');
    }
  });
});

it('counts the bytes of UTF-8 as the platform does', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      (text) => utf8Bytes(text) === Buffer.byteLength(text),
    ),
  );
  expect(utf8Bytes('\ud800')).toBe(3);
});
