/**
 * Secrets that invisible characters interrupt: removing those characters later must not restore the secret.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText } from '../report/arbitraries.cases.ts';
import { REDACTED } from '../report/bounded-text.ts';
import { FOREIGN_BREAK, printable } from '../support/printable.ts';
import { createRedactor } from './redact.ts';
import { isSecretName } from './secret-names.ts';
import { SECRETS } from './secrets.cases.ts';
import { asSeen } from './seen-text.ts';
import { runs } from '../../../test/runs.ts';

/** Whole sequences, so that the letter behind one is never a part of it. */
const UNSEEN: Readonly<Record<string, string>> = {
  'a colour': '\u001b[1;31m',
  'the colours of grep': '\u001b[m\u001b[K',
  'a colour in one byte': '\u009b31m',
  'a title': '\u001b]0;title\u0007',
  'an address behind a word': '\u001b]8;;https://x.example\u001b\\',
  'a character set': '\u001b(B',
  'a saved cursor': '\u001b7',
  'words for the terminal': '\u001bP+q544e\u001b\\',
  'a zero': '\u0000',
  'a bell': '\u0007',
  'a mark that reorders': '\u202e',
  'an end of such a mark': '\u202c',
  'a space without width': '\u200b',
  'a joiner': '\u200d',
  'a byte order mark': '\ufeff',
  'a soft hyphen': '\u00ad',
  'a variation': '\ufe0f',
  'a tag': '\u{e0041}',
};
const unseen = fc.constantFrom(...Object.values(UNSEEN));

/** The position of each, as a share of the text. */
const positions = fc.array(fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), unseen), {
  minLength: 1,
  maxLength: 8,
});

function interrupted(text: string, at: readonly (readonly [number, string])[]): string {
  const letters = Array.from(text);
  return at
    .map(([share, what]) => [Math.floor(share * letters.length), what] as const)
    .toSorted(([a], [b]) => b - a)
    .reduce((result, [position, what]) => result.toSpliced(position, 0, what), letters)
    .join('');
}

/** Decodes escapes one by one, because a redacted text need not be valid JSON. */
function jsonMeaning(text: string): string {
  return text.replace(/\\(?:u[\da-fA-F]{4}|["\\/bfnrt])/g, (escape) =>
    String(JSON.parse(`"${escape}"`)),
  );
}

describe.each(Object.entries(SECRETS))('%s', (_, planted) => {
  it('is not restored by removing invisible characters, before or after', () => {
    fc.assert(
      fc.property(planted, positions, ({ written, secret, configured }, at) => {
        const redactor = createRedactor(configured === undefined ? [] : [configured]);
        const text = interrupted(written, at);
        const redacted = redactor.text(text);
        const inJson = redactor.text(JSON.stringify(text));
        const shown = asSeen(secret);
        for (const result of [
          redacted,
          printable(redacted),
          asSeen(redacted),
          redactor.text(printable(text)),
          asSeen(redactor.text(printable(text))),
          asSeen(inJson),
          asSeen(jsonMeaning(inJson)),
        ]) {
          expect(result).not.toContain(secret);
          expect(result).not.toContain(shown);
        }
        expect(redacted).toContain(REDACTED);
        expect(redactor.text(redacted)).toBe(redacted);
      }),
    );
  });
});

describe('an interrupted secret', () => {
  const SECRET = 'hunter_acme_9931xyz';
  const KEY = 'sk-proj-abcdefghijklmnopqrstuvwx0123';
  const redactor = createRedactor([SECRET]);

  it.each(Object.entries(UNSEEN))(
    'by %s, is redacted, and the text around it stays',
    (_name, what) => {
      for (let at = 1; at < SECRET.length; at++) {
        const text = `${what}a ${SECRET.slice(0, at)}${what}${SECRET.slice(at)}${what} b\n`;
        expect(redactor.values(text)).toBe(`${what}a ${REDACTED}${what} b\n`);
      }
      for (let at = 1; at < KEY.length; at++) {
        const text = `${what}a ${KEY.slice(0, at)}${what}${KEY.slice(at)} b${what}\n`;
        expect(redactor.text(text)).toBe(`${what}a ${REDACTED} b${what}\n`);
      }
      const everywhere = Array.from(SECRET).join(what);
      expect(redactor.values(`a ${everywhere} b`)).toBe(`a ${REDACTED} b`);
    },
  );

  it.each([
    ['by the colours of grep', `a hunter\u001b[01;31m\u001b[K_acme\u001b[m\u001b[K_9931xyz b`],
    ['in UTF-16', Buffer.from(`a ${SECRET} b`, 'utf16le').toString()],
    ['in the other UTF-16', Buffer.from(`a ${SECRET} b`, 'utf16le').swap16().toString()],
    ['in UTF-16 as Latin 1', Buffer.from(`a ${SECRET} b`, 'utf16le').toString('latin1')],
    ['by a byte that is no character', 'a hunter_ac\ufffdme_9931xyz b'],
    ['by a colour of eight bits', 'a hunter_ac\ufffd31mme_9931xyz b'],
    ['by letters that are taken back', 'a hunter_qq\b\bacme_9931\bxyz\b\b\b1xyz b'],
    [
      'by printing it bold',
      `a ${Array.from(SECRET, (letter) => `${letter}\b${letter}`).join('')} b`,
    ],
    ['by underlining it', `a ${Array.from(SECRET, (letter) => `_\b${letter}`).join('')} b`],
    ['by a line break', 'a hunter_acme_\n    9931xyz b'],
    ['by another line break', 'a hunter_acme_\r\n9931xyz b'],
    ['by a line break and a colour', 'a hunter_acme_\u001b[0m\n\u001b[31m9931xyz b'],
    ['by a colour in JSON', 'a hunter_\\u001b[31macme_9931xyz b'],
    ['by a colour in JSON in JSON', 'a hunter_\\\\u001b[31macme_9931xyz b'],
    ['by a colour in an address', 'a hunter%5Facm%1b%5B31me_9931xyz b'],
    ['by a colour in JSON, in an address in an address', 'a hunter%255Facm\\u001b[31me_9931xyz b'],
    ['by a colour in an address in JSON in JSON', 'a hunter\\\\u005facm%1b%5B31me_9931xyz b'],
    ['by a mark on a page, in an address', 'a hunter%26%2395%3bacm\u200be_9931xyz b'],
    ['by colours, in an address', 'a hunter%5Facm\u001b[31me_9931xyz b'],
    ['by colours, on a page', 'a hunter&#95;acme&#x5f;9931xyz b'],
    ['by colours, in base64', `a ${btoa(SECRET).slice(0, 9)}\u001b[0m\n${btoa(SECRET).slice(9)} b`],
    [
      'by colours, in hex',
      `a ${Buffer.from(SECRET).toString('hex').replace(/../g, '\u001b[32m$&\u001b[0m ')}b`,
    ],
  ])('%s, is redacted', (_name, text) => {
    const left = asSeen(redactor.values(text)).replaceAll(REDACTED, '');
    expect(left.replace(/[\sab=]/g, '').length).toBeLessThan(5);
    expect(redactor.values(redactor.values(text))).toBe(redactor.values(text));
  });

  it.each([
    ['colours', 'pass\u001b[31mword=\u001b[0mcorrect-horse'],
    ['colours in JSON', '{"msg": "pass\\u001b[31mword=correct-\\u001b[0mhorse"}'],
    ['zeros', Array.from('Authorization: Bearer correct-horse9').join('\u0000')],
    ['marks', 'postgres://app:correct\u200b-horse@db\u200b.internal/x'],
  ])('by %s, is found by its name', (_name, text) => {
    expect(asSeen(createRedactor().text(text))).not.toMatch(/correct|horse/);
  });

  it('is found by a name that has marks in it, too', () => {
    expect(isSecretName('pass\u200bword')).toBe(true);
    expect(createRedactor().text('correct-horse', 'api\u0000_key')).toBe(REDACTED);
  });
});

describe('a secret that is not ASCII', () => {
  const SECRET = 'Pässw0rt-geheim-é';
  const bytes = Buffer.from(SECRET);

  it.each([
    ['the other form of its accents', SECRET.normalize('NFD')],
    ['UTF-8 that is read as Latin 1', bytes.toString('latin1')],
    ['Latin 1 that is read as UTF-8', Buffer.from(SECRET, 'latin1').toString()],
    ['UTF-16 that is read as UTF-8', Buffer.from(SECRET, 'utf16le').toString()],
    ['the other form in base64', Buffer.from(SECRET.normalize('NFD')).toString('base64')],
  ])('is found as %s', (_name, written) => {
    const found = createRedactor([SECRET]).values(`a ${written} b`);
    expect(found).toContain(REDACTED);
    expect(found).not.toMatch(/geheim|w0rt|Z2VoZWlt/);
    expect(createRedactor([SECRET.normalize('NFD')]).values(SECRET)).toBe(REDACTED);
  });
});

describe('an invisible character', () => {
  it('stays where it hides no secret', () => {
    const redactor = createRedactor(['hunter_acme_9931xyz']);
    fc.assert(
      fc.property(fc.array(fc.oneof(anyText, unseen)), (parts) => {
        const text = parts.join('');
        expect(redactor.values(text)).toBe(text);
        const once = redactor.text(text);
        expect(redactor.text(once)).toBe(once);
      }),
      { numRuns: runs(500) },
    );
  });

  it('includes every character that is removed for a screen', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(anyText, unseen)), (parts) => {
        const text = parts.join('');
        expect(asSeen(printable(text))).toBe(asSeen(text).replace(FOREIGN_BREAK, '\n'));
      }),
      { numRuns: runs(500) },
    );
  });
});
