import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText, secretLike } from '../report/arbitraries.cases.ts';
import { REDACTED } from '../report/bounded-text.ts';
import { createRedactor } from './redact.ts';
import { SECRETS } from './secrets.cases.ts';
import { expectLinear } from '../../../test/own-time.ts';
import { rows, runs } from '../../../test/runs.ts';

const shapes = createRedactor();

describe.each(Object.entries(SECRETS))('%s', (_, planted) => {
  it('is redacted in any text', () => {
    const around = fc.constantFrom(
      '',
      ' ',
      '(',
      '"',
      "'",
      '`',
      '\n',
      'failed: ',
      '...and ',
      '<',
      '>',
      ', ',
    );
    fc.assert(
      fc.property(planted, around, around, ({ written, secret, configured }, before, after) => {
        const redactor = createRedactor(configured === undefined ? [] : [configured]);
        const text = redactor.text(`${before}${written}${after}`);
        expect(text).not.toContain(secret);
        expect(text).toContain(REDACTED);
      }),
    );
  });
});

describe('redacting', () => {
  it('twice is the same as once', () => {
    fc.assert(
      fc.property(fc.oneof(secretLike, anyText), (text) => {
        const once = shapes.text(text);
        expect(shapes.text(once)).toBe(once);
      }),
      { numRuns: runs(2000) },
    );
  });

  it.each([
    'OpenAI is rate limiting (tokens per minute) and asks you to wait 12 s.',
    'Basic authentication. Then a bearer of news, the task-force and the disk-cache-miss-rate',
    'npm_config_cache, hf_hub_download and xai-grok-4-fast-reasoning are names',
    'max_tokens: 5, tokens: 7, nextPageToken: x, keyboard=us',
    'https://api.example.com/v1/chat/completions?model=gpt&alt=sse',
    'see RFC 9457, section 3.1; the code is insufficient_quota',
  ])('leaves text alone that only looks like a secret: %s', (text) => {
    expect(shapes.text(text)).toBe(text);
  });

  it('redacts only configured values in inputs and outputs', () => {
    const redactor = createRedactor(['hunter2!']);
    expect(redactor.values('hunter2! sk-proj-abcdefghijklmnop')).toBe(
      `${REDACTED} sk-proj-abcdefghijklmnop`,
    );
  });

  it.each([
    ['4111111111111112', '4,111,111,111,111,112'],
    ['4111111111111112', '4111 1111 1111 1112'],
    ['4111111111111112', '4111-1111-1111-1112'],
    ['4111111111111112', "4'111'111'111'111'112"],
    ['4111111111111112', '4\u202f111\u202f111\u202f111\u202f111\u202f112'],
    ['4111111111111112', '4.111111111111112e+15'],
    ['4111111111111112', '4.111111111111112E15'],
    ['12345678901234567891234', '1.2345678901234568e+22'],
    ['0491570156', '04 91 57 01 56'],
    ['12345678.50', '12345678.5'],
    ['12345678.50', '12,345,678'],
  ])('finds the number %s as %s', (secret, written) => {
    const redactor = createRedactor([secret]);
    for (const take of [redactor.text, redactor.values])
      expect(take(`is ${written}!`)).not.toContain(written);
    expect(redactor.values(JSON.stringify({ n: written }))).not.toContain(written);
  });

  it.each([
    [
      '4111111111111112',
      '4,111,111,111 and 4.1e15 and 4111 1111 and [4,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]',
    ],
    ['10000000', '1e7 and 1e+7 and 1,000'],
    ['1234567', '1,234,567'],
    ['20261117', 'on 2026-11-18 at 1.7e9'],
  ])('of the number %s leaves others alone: %s', (secret, text) => {
    expect(createRedactor([secret]).values(text)).toBe(text);
  });

  it('does not treat a configured word of a few letters as a secret', () => {
    expect(createRedactor(['abc', '']).text('abc')).toBe('abc');
  });

  it.each([
    'true',
    'false',
    'null',
    '8080',
    '1',
    '',
    '3.14',
    'production',
    'application/json',
    'test',
  ])('does not treat the configured %j as a secret', (word) => {
    const text = `x ${word} y`;
    expect(createRedactor([word]).text(text)).toBe(text);
    expect(createRedactor([word]).values(text)).toBe(text);
  });

  it('finds a configured value in hex that is broken into lines, and keeps the lines around it', () => {
    const redactor = createRedactor(['hunter2-correct-horse-battery']);
    const hex = Array.from('hunter2-correct-horse-battery', (char) =>
      char.charCodeAt(0).toString(16),
    ).join('');
    expect(redactor.values(`a\nb ${hex.slice(0, 20)}\n${hex.slice(20)} c\nd`)).toBe(
      `a\nb ${REDACTED} c\nd`,
    );
  });

  it('finds a configured value whose lines are broken within JSON', () => {
    const redactor = createRedactor(['hunter2-correct-horse-battery']);
    const text = '{"say": "key hunter2-correct-\\n    horse-battery"}';
    expect(redactor.values(text)).toBe(`{"say": "key ${REDACTED}"}`);
  });

  describe.each([
    ['an address with some signs left', 'wJalrXUtn/K7MDENG+bPx', 'wJalrXUtn/K7MDENG%2BbPx'],
    ['an address with others left', 'p+w/s=ecret9', 'p+w%2Fs%3decret9'],
    ['an address beyond ASCII', 'Pässw0rt geheim/€', 'P%C3%A4ssw0rt+geheim/%e2%82%ac'],
    ['JSON of ASCII only', 'Pässw0rt-geheim', 'P\\u00e4ssw0rt-geheim'],
    ['JSON for a page', 'tr0ub4dor&3horse', 'tr0ub4dor\\u00263horse'],
    ['JSON with slashes', 'aaa/bbb/ccc"d', 'aaa\\/bbb\\/ccc\\"d'],
    ['JSON in JSON', 'tr0ub4dor&3horse', 'tr0ub4dor\\\\u00263horse'],
    ['an address in JSON', 'aaa/b=b/ccc', 'aaa\\/b%3Db\\/ccc'],
    ['hex with colons', 'hunter2-horse', '68:75:6e:74:65:72:32:2d:68:6f:72:73:65'],
    ['a line of PEM', '-----BEGIN K-----\nMIIEsecretAA\n-----END K-----', 'MIIEsecretAA'],
    ['a field of credentials', '{"id": "x", "api_key": "abcd-1234"}', 'abcd-1234'],
  ])('in %s', (_form, secret, written) => {
    it('finds a configured value, and keeps the text around it', () => {
      const redactor = createRedactor([secret]);
      const before = 'a%20b \\u0041 ä\\n"';
      expect(redactor.values(`${before}${written} c %41\\t`)).toBe(`${before}${REDACTED} c %41\\t`);
    });
  });

  it.each([
    ['od -tx1', '0000000 78 68 75 6e 74 65 72 32\n0000010 2d 68 6f 72 73 65 78\n0000017'],
    ['xxd', '00000000: 7868 756e 7465 7232  xhunter2\n00000008: 2d68 6f72 7365 78    -horsex'],
    [
      'hexdump -C',
      '00000000  78 68 75 6e 74  65 72 32 |xhunter2|\n00000010  2d 68 6f 72 73 65 78  |-horsex|',
    ],
  ])('redacts the lines of %s that have a configured value', (_program, dump) => {
    const redactor = createRedactor(['hunter2-horse']);
    const text = redactor.values(`before\n${dump}\nafter`);
    expect(text).toMatch(/^before\n\[redacted\]\n(?:0000017\n)?after$/);
  });

  it('leaves escapes alone that hide nothing', () => {
    const redactor = createRedactor(['hunter2-horse']);
    const text = 'C:\\new\\u0041 %41%zz%ff%c3 00000000: 7868 756e  xhun\n"\\/"';
    expect(redactor.values(text)).toBe(text);
  });

  it('keeps its marks whole, whatever is configured', () => {
    const redactor = createRedactor(['redacted', 'acted', '\ud800\ud800\ud800\ud800']);
    expect(redactor.text('password=x')).toBe(`password=${REDACTED}`);
  });
});

describe('a hostile text of 64 KiB', () => {
  const CHARS = 65_536;
  const PARTS = [
    ...`a a- - \\ … " ' @ & ? :// a: a= a. a:// bearer sk- hf_ AQ. AKIA eyJ eyJaaaaaaaa. ab://x@
        ?key= password: token=' token\\\\"`.split(/\s+/),
    '-----BEGIN ',
    '-----BEGIN PRIVATE KEY-----',
    ' ',
    'bearer ',
    `bearer ${'a'.repeat(19)} `,
    'api key',
    'password: ',
    'token    :    ',
    'Cookie: ',
    `${'a'.repeat(63)} `,
    `&${'a'.repeat(64)}`,
  ];
  const ESCAPED = [
    '%41',
    '%',
    '\\u0041',
    '\\',
    '000000 aa ',
    '000000 aa\n',
    '00000000: aaaa aaaa  ',
    'aa:',
    '&#65;',
    'a\n',
  ];
  const UNSEEN = [
    '\u001b[31m',
    '\u001b]',
    '\u001b[0',
    '\u001b',
    'a\u0000',
    's\u200bk\u200b-',
    'password\u0000:',
    '\r\n',
    'a\b',
    'aaaa\b\b\b',
    '\ufffd1',
    'é',
    '\\u001b[31m',
  ];
  const configured = createRedactor([
    'hunter2-correct-horse',
    'aaaaaaaa%41',
    '-----A\nbbbbbbbbb\nccc',
  ]);

  it.each(rows([...PARTS, ...UNSEEN]))('of %j costs as much more as it is longer', (part) => {
    expectLinear((chars) => shapes.text(textOf(part, chars)), CHARS);
  });

  it.each(rows([...PARTS, ...ESCAPED, ...UNSEEN]))(
    'of %j costs as much more as it is longer where values are looked for',
    (part) => {
      expectLinear((chars) => configured.text(textOf(part, chars)), CHARS);
    },
  );
});

function textOf(part: string, chars: number): string {
  return part.repeat(Math.ceil(chars / part.length)).slice(0, chars);
}

describe('a secret with backslashes', () => {
  it('is redacted as `echo` prints it', () => {
    const redactor = createRedactor([String.raw`pa\tss\\wo\0101rd-9k`]);
    const printed = 'pa\tss\\woArd-9k';
    for (const text of [printed, printed.replace('\t', ' ')])
      expect(redactor.text(`token ${text}.`)).toBe(`token ${REDACTED}.`);
  });
});

describe('a secret that a program of Windows wrote', () => {
  const secret = 'Zq7kX+9vT/2mLw=eR4uB8nYpC1d';
  const le = Buffer.from(`a ${secret} b`, 'utf16le');
  const be = Buffer.from(le).swap16();

  it.each<[string, string]>([
    ['base64, as in `-EncodedCommand`', le.toString('base64')],
    ['base64 of the other byte order', be.toString('base64')],
    ['the alphabet of addresses', le.toString('base64url')],
    ['hex', le.toString('hex')],
    ['hex of the other byte order', be.toString('hex').toUpperCase()],
  ])('is found in UTF-16 as %s', (_, text) => {
    const redacted = createRedactor([secret]).values(text);
    expect(redacted).toContain('[redacted]');
    expect(redacted.length).toBeLessThan(text.length / 2);
  });
});

describe('the default of a variable', () => {
  it('stays where it is the word of a suggestion', () => {
    const said = 'Set it, or give it a default: `${MYSECRET:-default}`';
    expect(shapes.text(said)).toBe(said);
  });

  it.each([
    '${MYSECRET:-hunter2hunter2}',
    '${MYSECRET:-default-of-mine}',
    'secret=-default}hunter2',
  ])('is redacted where somebody wrote it: %s', (written) => {
    expect(shapes.text(written)).toContain(REDACTED);
  });
});
