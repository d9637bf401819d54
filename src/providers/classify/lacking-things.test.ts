/** Refusals in the words of many people, by what is said not to be there; no single word decides them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { extractFailure } from '../extract/extract.ts';
import { classify } from './classify.ts';

interface Refusal {
  readonly expected: string;
  readonly status: number | null;
  readonly param: string;
  readonly code: string;
  readonly message: string;
}

function readRefusals(): Refusal[] {
  const file = new URL('../../../test/corpus/refusals-in-other-words.txt', import.meta.url);
  let expected = '';
  return readFileSync(file, 'utf8')
    .split('\n')
    .flatMap((line) => {
      if (line.startsWith('= ')) expected = line.slice(2);
      const found = /^(\d{3}|-) (\S+) (\S+) \| (.*)$/.exec(line);
      if (found === null) return [];
      const [, status = '', param = '', code = '', message = ''] = found;
      return [{ expected, status: status === '-' ? null : Number(status), param, code, message }];
    });
}

function conclusionOn({ status, param, code, message }: Refusal): string {
  const error = {
    message,
    ...(param === '-' ? {} : { param }),
    ...(code === '-' ? {} : { code }),
  };
  const entry =
    status === null
      ? { status, transport: { name: 'Error', message, code: null } }
      : { status, headers: {}, body: { error } };
  const failure = extractFailure({ operation: 'generate', stream: false, ...entry });
  if (failure === undefined) return 'no failure';
  const { kind, category } = classify(failure);
  return `${kind.replace('provider.', '')} ${category}`;
}

it.each(readRefusals())('is $expected under $status: $message', (refusal) => {
  expect(conclusionOn(refusal)).toBe(refusal.expected);
});

describe('the moment of the next request', () => {
  const date = 'Thu, 20 Nov 2025 00:00:00 GMT';
  const waitIn = (error: string): number | null => {
    const failure = extractFailure({
      operation: 'generate',
      stream: false,
      status: 429,
      headers: { date },
      body: { error },
    });
    return failure === undefined ? null : classify(failure).retryAfterMs;
  };

  it.each([
    ['Possible again at 2025-11-20T00:00:20Z', 20_000],
    ['Rate limited, not before 2025-11-20T00:01:00Z', 60_000],
    ['Slow down; earliest next request: 2025-11-20T00:00:05Z', 5000],
    ['Too many calls. You can send the next one at 2025-11-20 00:00:45 UTC', 45_000],
    ['Next request: 2025-11-20T00:00:08Z', 8000],
  ])('is read from %s', (message, ms) => {
    expect(waitIn(message)).toBe(ms);
  });

  it.each([
    ['Too many requests. Window began at 2025-11-20T00:00:20Z'],
    ['Rate limited (seen at 2025-11-20T00:01:00Z)'],
    ['Too many requests, logged 2025-11-20T00:00:30Z'],
  ])('is not invented for %s', (message) => {
    expect(waitIn(message)).toBeNull();
  });
});

describe('a wait of a day', () => {
  const limited = (message: string): string | undefined => {
    const failure = extractFailure({
      operation: 'generate',
      stream: false,
      status: 429,
      headers: { 'retry-after': '86400' },
      body: { error: { code: '429', message } },
    });
    return failure === undefined ? undefined : classify(failure).kind;
  };

  it('is that of a spent quota, where the rate has no length', () => {
    expect(limited('You went over the call rate limit of your pricing tier')).toBe(
      'provider.quota_exhausted',
    );
  });

  it('is no quota where the rate is counted by the minute', () => {
    expect(limited('You went over the call rate limit of 60 per minute')).toBe(
      'provider.rate_limited',
    );
  });
});

it('reads the action of a guardrail as a reason to stop, unless it did nothing', () => {
  const replied = (action: string): object | undefined => {
    const failure = extractFailure({
      operation: 'generate',
      stream: false,
      status: 200,
      headers: {},
      body: { content: [{ type: 'text', text: 'No.' }], 'amazon-bedrock-guardrailAction': action },
    });
    return failure && { kind: classify(failure).kind };
  };
  expect(replied('INTERVENED')).toEqual({ kind: 'provider.content_filter' });
  expect(replied('NONE')).not.toEqual({ kind: 'provider.content_filter' });
});
