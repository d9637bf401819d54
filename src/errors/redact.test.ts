import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText, secretLike } from './arbitraries.cases.ts';
import { REDACTED } from './bounded-text.ts';
import { createRedactor } from './redact.ts';
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

  it.each(PARTS)('of %j takes less than 5 ms, or as much longer as it is longer', (part) => {
    const time = (chars: number): number => {
      const text = part.repeat(Math.ceil(chars / part.length)).slice(0, chars);
      return fastestOf(5, () => shapes.text(text));
    };
    // a machine that is busy is slow for both, and now and then only for the second
    const tries = Array.from({ length: TRIES }, () => ({
      short: time(16_384),
      long: time(65_536),
    }));
    expect(tries).toContainEqual(expect.toSatisfy(isInTime));
  });
});

/** Twice what a linear one takes, and half of what a square one does. */
function isInTime({ short, long }: { readonly short: number; readonly long: number }): boolean {
  return long < Math.max(5, short * 8);
}

function fastestOf(rounds: number, work: () => void): number {
  const times = Array.from({ length: rounds }, () => {
    const start = ownMs();
    work();
    return ownMs() - start;
  });
  return Math.min(...times);
}
