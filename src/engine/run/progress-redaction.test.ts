import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expectLinear } from '../../../test/own-time.ts';
import { runs } from '../../../test/runs.ts';
import { createRedactor } from '../../errors/redaction/redact.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { ProgressRedaction } from './progress-redaction.ts';

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const word = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...LETTERS.split('')), { minLength, maxLength })
    .map((letters) => letters.join(''));

/** Keys that begin alike, keys that end as they begin, and keys with signs that programs encode. */
const key = fc.oneof(
  word(36, 40).map((body) => `sk-${body}`),
  word(20, 30).map((body) => `${body}${body.slice(0, 3)}`),
  fc
    .tuple(word(8, 12), fc.constantFrom('"', '\\', ' ', '/', '+', '%', '\n', 'é', '&'), word(8, 12))
    .map((parts) => parts.join('')),
  fc
    .tuple(word(1, 2), fc.integer({ min: 6, max: 12 }))
    .map(([part, times]) => `q${part.repeat(times)}`),
);

const bytesOf = (text: string): readonly number[] => [...new TextEncoder().encode(text)];
const hexOf = (text: string): string =>
  bytesOf(text)
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
const base64Of = (text: string): string => btoa(String.fromCharCode(...bytesOf(text)));
const unitsOf = (text: string, write: (code: string) => string): string =>
  text
    .split('')
    .map((unit) => write(unit.charCodeAt(0).toString(16)))
    .join('');

/** How `xxd` writes it. */
function dumpOf(text: string): string {
  const bytes = bytesOf(text).map((byte) => byte.toString(16).padStart(2, '0'));
  const lines = Array.from({ length: Math.ceil(bytes.length / 16) }, (_, line) => {
    const own = bytes.slice(line * 16, line * 16 + 16);
    const pairs = own.join('').match(/.{1,4}/g) ?? [];
    return `${(line * 16).toString(16).padStart(8, '0')}: ${pairs.join(' ').padEnd(39)}  ${'.'.repeat(own.length)}`;
  });
  return `\n${lines.join('\n')}\n`;
}

/** Spellings in which a stored text knows a secret again. */
const SPELLINGS: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  'small letters': (secret) => secret.toLowerCase(),
  capitals: (secret) => secret.toUpperCase(),
  hex: hexOf,
  'hex with gaps': (secret) => hexOf(secret).replace(/..(?=.)/g, '$&:'),
  base64: base64Of,
  'base64 of more': (secret) => base64Of(`xy${secret}zz`),
  'base64 in lines': (secret) => base64Of(`x${secret}`).replace(/.{20}/g, '$&\n'),
  'an address': encodeURIComponent,
  'an address of escapes only': (secret) =>
    bytesOf(secret)
      .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
      .join(''),
  JSON: (secret) => JSON.stringify(secret).slice(1, -1),
  'JSON of escapes only': (secret) => unitsOf(secret, (code) => `\\u${code.padStart(4, '0')}`),
  'JSON within JSON': (secret) => unitsOf(secret, (code) => `\\\\u${code.padStart(4, '0')}`),
  'escapes of other languages': (secret) =>
    unitsOf(secret, (code) => `\\x${code.padStart(2, '0')}`),
  HTML: (secret) => unitsOf(secret, (code) => `&#x${code};`),
  'marks without width': (secret) => secret.split('').join('\u200b'),
  colours: (secret) => secret.split('').join('\u001b[0;31m'),
  'a title of the window': (secret) => secret.split('').join('\u001b]0;hi\u0007'),
  'escaped colours': (secret) => secret.split('').join('\\u001b[0m'),
  'escaped marks without width': (secret) => secret.split('').join('\\u200b'),
  'unreadable bytes': (secret) => secret.split('').join('\ufffd'),
  overstruck: (secret) =>
    secret
      .split('')
      .map((letter) => `${letter}\b${letter}`)
      .join(''),
  underlined: (secret) =>
    secret
      .split('')
      .map((letter) => `_\b${letter}`)
      .join(''),
  'corrected letters': (secret) => secret.replace(/../g, '$&xyz\b\b\b'),
  'two lines': (secret) => `${secret.slice(0, 9)}\n  ${secret.slice(9)}`,
  'a dump of bytes': dumpOf,
};

const piece = fc.oneof(
  word(0, 6),
  fc.constantFrom(
    ' ',
    ' the key is ',
    '\n',
    '%',
    '\\',
    '&',
    '0',
    '\u001b',
    '.',
    'sk-',
    '%5',
    '\\u00',
  ),
);

interface Streamed {
  readonly keys: readonly string[];
  readonly whole: string;
  /** Most of each secret, as it is written. */
  readonly fragments: readonly string[];
  readonly pieces: readonly string[];
}

function streamed(spellings: readonly string[]): fc.Arbitrary<Streamed> {
  const part = fc.record({
    before: fc.array(piece, { maxLength: 3 }),
    which: fc.nat(),
    spelling: fc.constantFrom(...spellings),
    kept: fc.constantFrom(1, 1, 1, 0.5),
  });
  return fc
    .record({
      keys: fc.array(key, { minLength: 1, maxLength: 4 }),
      parts: fc.array(part, { minLength: 1, maxLength: 4 }),
      lengths: fc.array(fc.integer({ min: 1, max: 24 }), { minLength: 1, maxLength: 9 }),
    })
    .map(({ keys, parts, lengths }) => {
      const written = parts.map(({ before, which, spelling, kept }) => {
        const text = SPELLINGS[spelling]?.(keys[which % keys.length] ?? '') ?? '';
        return { before: before.join(''), text: text.slice(0, Math.ceil(text.length * kept)) };
      });
      const whole = written.map(({ before, text }) => before + text).join('');
      const fragments = written.flatMap(({ text }) => {
        const chars = Math.ceil(text.length * 0.75);
        return [text.slice(0, chars), text.slice(-chars)];
      });
      return { keys, whole, fragments, pieces: piecesOf(whole, lengths) };
    });
}

function piecesOf(whole: string, lengths: readonly number[]): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0; at < whole.length; at += pieces.at(-1)?.length ?? 1)
    pieces.push(whole.slice(at, at + (lengths[pieces.length % lengths.length] ?? 1)));
  return pieces;
}

type Delta = readonly [type: 'text' | 'reasoning', delta: string];

/** The pieces of each type that a listener has seen, joined. */
function seenOf(keys: readonly string[], deltas: readonly Delta[]): Record<string, string> {
  const seen: Record<string, string> = { text: '', reasoning: '' };
  const redactor = createRedactor(keys);
  const progress = new ProgressRedaction(redactor, (value: JsonValue) => {
    const { type, delta } = value as { readonly type: string; readonly delta: string };
    seen[type] += delta;
  });
  for (const [type, delta] of deltas) progress.text({ type, attempt: 1, delta });
  progress.end(true);
  return seen;
}

const asText = (pieces: readonly string[]): readonly Delta[] =>
  pieces.map((delta) => ['text', delta]);

describe('streamed text, however it is cut into pieces', () => {
  it.each(Object.keys(SPELLINGS))('shows no secret in %s', (spelling) => {
    fc.assert(
      fc.property(streamed([spelling, spelling, 'plain']), ({ keys, whole, fragments, pieces }) => {
        const { text = '' } = seenOf(keys, asText(pieces));
        const stored = createRedactor(keys).values(whole);
        expect(createRedactor(keys).values(text)).toBe(text);
        for (const fragment of fragments)
          if (!stored.includes(fragment)) expect(text).not.toContain(fragment);
      }),
      { numRuns: runs(200) },
    );
  });

  it('is what is stored, where the secrets are written as they are', () => {
    const words = fc.array(fc.constantFrom('the ', 'key ', 'is', ', ', 'so.\n'), { maxLength: 4 });
    fc.assert(
      fc.property(
        fc.array(word(36, 40), { minLength: 1, maxLength: 3 }),
        fc.array(fc.tuple(words, fc.nat({ max: 3 })), { minLength: 1, maxLength: 5 }),
        fc.array(fc.integer({ min: 1, max: 24 }), { minLength: 1, maxLength: 9 }),
        (keys, parts, lengths) => {
          const whole = parts.map(([said, which]) => said.join('') + (keys[which] ?? '')).join('');
          const { text } = seenOf(keys, asText(piecesOf(whole, lengths)));
          expect(text).toBe(createRedactor(keys).values(whole));
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it('shows no secret whose pieces have thoughts in between', () => {
    const secret = 'Zq9xhunterKtwoLthree77correct00horsZ';
    const deltas = piecesOf(`see ${secret} end`, [5]).flatMap((delta): readonly Delta[] => [
      ['text', delta],
      ['reasoning', delta],
    ]);
    const said = 'see [redacted] end';
    expect(seenOf([secret], deltas)).toEqual({ text: said, reasoning: said });
  });

  it('is shown at once where no secret can have begun', () => {
    const shown: JsonValue[] = [];
    const redactor = createRedactor(['Zq9xhunterKtwoLthree77correct00horsZ']);
    const progress = new ProgressRedaction(redactor, (value) => shown.push(value));
    const delta = 'Good mornin';
    progress.text({ type: 'text', attempt: 1, delta });
    expect(shown).toEqual([{ type: 'text', attempt: 1, delta }]);
  });

  it('costs as much for each character of a text that is held for long', () => {
    const redactor = createRedactor(['Zq9xhunterKtwoLthree77correct00horsZ']);
    expectLinear((size) => {
      const progress = new ProgressRedaction(redactor, () => undefined);
      for (const delta of piecesOf(`Zq9x${'\u200b'.repeat(size)}`, [7]))
        progress.text({ type: 'text', attempt: 1, delta });
      progress.end(true);
    }, 60_000);
  });
});
