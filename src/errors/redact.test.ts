import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText, secretLike } from './arbitraries.cases.ts';
import { REDACTED } from './bounded-text.ts';
import { createRedactor, type Redactor } from './redact.ts';
import { SECRETS } from './secrets.cases.ts';
import { ownMs } from '../../test/own-time.ts';

const shapes = createRedactor();

describe.each(Object.entries(SECRETS))('%s', (_, planted) => {
  it('is taken out of any text around it', () => {
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
      { numRuns: 2000 },
    );
  });

  it.each([
    'OpenAI is rate limiting (tokens per minute) and asks you to wait 12 s.',
    'Basic authentication. Then a bearer of news, the task-force and the disk-cache-miss-rate',
    'npm_config_cache, hf_hub_download and xai-grok-4-fast-reasoning are names',
    'max_tokens: 5, tokens: 7, nextPageToken: x, keyboard=us',
    'https://api.example.com/v1/chat/completions?model=gpt&alt=sse',
    'see RFC 9457, section 3.1; the code is insufficient_quota',
  ])('leaves alone what only looks like it: %s', (text) => {
    expect(shapes.text(text)).toBe(text);
  });

  it('takes out only configured values of inputs and outputs', () => {
    const redactor = createRedactor(['hunter2!']);
    expect(redactor.values('hunter2! sk-proj-abcdefghijklmnop')).toBe(
      `${REDACTED} sk-proj-abcdefghijklmnop`,
    );
  });

  it('does not take a configured word of a few letters for a secret', () => {
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
  ])('does not take the configured %j for a secret', (word) => {
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
    it('finds a configured value, and keeps what is around it', () => {
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
  ])('takes the lines of %s that have a configured value', (_program, dump) => {
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
  const TRIES = 4;
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
  ];
  const configured = createRedactor([
    'hunter2-correct-horse',
    'aaaaaaaa%41',
    '-----A\nbbbbbbbbb\nccc',
  ]);

  it.each(PARTS)('of %j takes less than 5 ms, or as much longer as it is longer', (part) => {
    expectInTime(part, shapes, 5);
  });

  it.each([...PARTS, ...ESCAPED])(
    'of %j takes less than 15 ms where values are looked for',
    (part) => {
      expectInTime(part, configured, 15);
    },
  );

  function expectInTime(part: string, redactor: Redactor, maxMs: number): void {
    const time = (chars: number): number => {
      const text = part.repeat(Math.ceil(chars / part.length)).slice(0, chars);
      return fastestOf(5, () => redactor.text(text));
    };
    // a machine that is busy is slow for both, and now and then only for the second
    const tries = Array.from({ length: TRIES }, () => ({
      short: time(16_384),
      long: time(65_536),
    }));
    // twice what a linear one takes, and half of what a square one does
    const isInTime = ({ short, long }: (typeof tries)[number]): boolean =>
      long < Math.max(maxMs, short * 8);
    expect(tries).toContainEqual(expect.toSatisfy(isInTime));
  }
});

function fastestOf(rounds: number, work: () => void): number {
  const times = Array.from({ length: rounds }, () => {
    const start = ownMs();
    work();
    return ownMs() - start;
  });
  return Math.min(...times);
}
