import { describe, expect, it } from 'vitest';
import { classify, extendClassify, reportFromFailure, type ProviderFailure } from '../classify.ts';

const WHOLE: ProviderFailure = {
  operation: 'generate',
  status: 429,
  headers: { 'retry-after': '7' },
  phase: 'headers',
  delivered: false,
  source: 'test',
};

/** As a caller without types passes it. */
const given = (value: unknown): ProviderFailure => value as ProviderFailure;

const LOOP: Record<string, unknown> = { message: 'reset' };
LOOP['causes'] = [LOOP];

describe('a failure that is not of its type', () => {
  it.each<[string, unknown, string, number | null]>([
    ['nothing', undefined, 'provider.unknown', null],
    ['null', null, 'provider.unknown', null],
    ['a text', 'rate limit', 'provider.unknown', null],
    ['a status alone', { status: 429 }, 'provider.rate_limited', null],
    ['headers of null', { ...WHOLE, headers: null }, 'provider.rate_limited', null],
    [
      'headers of fetch',
      { ...WHOLE, headers: new Headers(WHOLE.headers) },
      'provider.rate_limited',
      7000,
    ],
    [
      'names in any case',
      { ...WHOLE, headers: { 'Retry-After': '7' } },
      'provider.rate_limited',
      7000,
    ],
    [
      'a header that is a number',
      { ...WHOLE, headers: { 'retry-after': 7 } },
      'provider.rate_limited',
      7000,
    ],
    [
      'texts that are none',
      { ...WHOLE, message: {}, code: 7, type: [], provider: 3, model: null },
      'provider.rate_limited',
      7000,
    ],
    ['a transport of null', { ...WHOLE, transport: null }, 'provider.rate_limited', 7000],
    [
      'a code of the system alone',
      { transport: { code: 'ECONNRESET', causes: [null, 1] } },
      'provider.network',
      null,
    ],
    [
      'causes that hold themselves',
      { transport: { ...LOOP, code: 'ECONNRESET' } },
      'provider.network',
      null,
    ],
    [
      'words that do not exist',
      { ...WHOLE, phase: 'x', operation: 1, finding: 'y' },
      'provider.rate_limited',
      7000,
    ],
  ])('is read as far as it can be: %s', (_, value, kind, retryAfterMs) => {
    expect(classify(given(value))).toMatchObject({ kind, retryAfterMs });
    expect(extendClassify()(given(value)).kind).toBe(kind);
    expect(reportFromFailure(given(value)).kind).toBe(kind);
  });
});
