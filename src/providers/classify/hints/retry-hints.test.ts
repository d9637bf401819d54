import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProviderFailure } from '../../provider-failure.ts';
import { classify } from '../classify.ts';
import { parseDuration } from './durations.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');

function limited(headers: Record<string, string>, body: unknown): ProviderFailure {
  return {
    operation: 'generate',
    status: 429,
    headers,
    body,
    phase: 'headers',
    delivered: false,
    source: 'test',
  };
}

function hintOf(headers: Record<string, string>, body: unknown = {}): number | null {
  return classify(limited(headers, body), { nowMs: NOW }).retryAfterMs;
}

describe('a hint', () => {
  it('is read from a moment in a sentence only while that is to come', () => {
    const resetAt = (moment: string): object => ({
      error: { message: `Weekly limit exhausted. It will reset at ${moment}` },
    });
    expect(hintOf({}, resetAt('2026-03-01T12:01:00Z'))).toBe(60_000);
    expect(hintOf({}, resetAt('2026-02-14T00:00:00Z'))).toBeNull();
  });

  it('is read between the tags of a page that a client printed', () => {
    const page =
      '<!DOCTYPE html><title>Error 502</title><p>It broke.<p>Please try again in 30 seconds.';
    const printed = `Unexpected HTTP response with status: 502; body: ${page}`;
    const { retryAfterMs } = classify({
      operation: 'generate',
      headers: {},
      transport: { name: 'Error', message: printed },
      phase: 'headers',
      delivered: false,
      source: 'test',
    });
    expect(retryAfterMs).toBe(30_000);
    expect(hintOf({}, printed)).toBe(30_000);
  });

  it('is none where the window that a header names had ended before', () => {
    expect(hintOf({ 'x-ratelimit-reset': String(NOW / 1000 - 42) })).toBeNull();
    expect(hintOf({ 'anthropic-ratelimit-requests-reset': '2026-03-01T11:59:00Z' })).toBeNull();
    expect(hintOf({}, { error: { message: 'slow down', resets_at: NOW / 1000 - 42 } })).toBeNull();
  });

  it('is read from a header that a client printed into its message', () => {
    expect(hintOf({}, 'Error: too many requests, retry-after: 7')).toBe(7_000);
    expect(hintOf({}, 'slow down, retry-after-ms=250')).toBe(250);
    expect(hintOf({}, 'too many requests, retry-after: soon')).toBeNull();
  });

  it.each([
    [{ 'retry-after': '16' }, 16_000],
    [{ 'retry-after': '1.5' }, 1_500],
    [{ 'retry-after': '0' }, 0],
    [{ 'retry-after': '120s' }, 120_000],
    [{ 'retry-after': 'PT1M30S' }, 90_000],
    [{ 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'Sun, 01 Mar 2026 11:59:30 GMT' }, 0],
    [
      { 'retry-after': 'Sun, 01 Mar 2026 12:00:30 GMT', date: 'Sun, 01 Mar 2026 12:00:20 GMT' },
      10_000,
    ],
    [{ 'retry-after-ms': '250', 'retry-after': '1' }, 250],
    [{ 'x-ms-retry-after-ms': '700' }, 700],
    [{ 'x-ai-ratelimit-retry-after-300-llama2': '8' }, 8_000],
    [{ ratelimit: 'limit=100, remaining=0, reset=50' }, 50_000],
    [{ ratelimit: '"default";r=0;t=30' }, 30_000],
    [{ 'x-ratelimit-reset-requests': '1s', 'x-ratelimit-reset-tokens': '6m0s' }, 360_000],
    [{ 'x-ratelimit-reset-tokens': '20ms' }, 20],
    [{ 'x-rate-limit-reset-tokens': '55' }, 55_000],
    [{ 'x-ratelimit-reset': String(NOW / 1000 + 42) }, 42_000],
    [{ 'x-ratelimit-reset': String(NOW + 42_000) }, 42_000],
    [{ 'anthropic-ratelimit-requests-reset': '2026-03-01T12:00:07Z' }, 7_000],
    [{ 'anthropic-ratelimit-unified-5h-reset': String(NOW / 1000 + 60) }, 60_000],
    [{ ratelimit: '"default";r=0;t=30' }, 30_000],
  ])('reads %j as %d ms', (headers, ms) => {
    expect(hintOf(headers)).toBe(ms);
  });

  it('is read from the window that is spent, not from the longest', () => {
    const headers = {
      'x-ratelimit-remaining-requests': '0',
      'x-ratelimit-reset-requests': '2s',
      'x-ratelimit-remaining-tokens': '9000',
      'x-ratelimit-reset-tokens': '1m',
    };
    expect(hintOf(headers)).toBe(2_000);
  });

  it.each([
    [{ error: { details: [{ '@type': 'RetryInfo', retryDelay: '34.4s' }] } }, 34_400],
    [{ error: 'The model is loading', estimated_time: 20.5 }, 20_500],
    [{ error: { details: [{ retryDelay: { seconds: 7, nanos: 250_000_000 } }] } }, 7_250],
    [{ error: { details: [{ metadata: { quotaResetDelay: '3h11m5.4s' } }] } }, 11_465_400],
    [{ error: { message: 'No. [retry_delay {\n  seconds: 33\n}\n]' } }, 33_000],
    [{ error: { message: 'Quota will be replenished in 12:53:41.' } }, 46_421_000],
    [{ error: { message: 'Tente novamente em 20 segundos.' } }, 20_000],
    [{ error: { message: '请求过于频繁，请在 20 秒后重试' } }, 20_000],
    [{ error: { message: '요청이 너무 많습니다. 5분 후 다시 시도하세요.' } }, 300_000],
    [{ error: { message: 'You can try again in 9m38.016s.' } }, 578_016],
    [{ error: { message: 'Please retry after 33 seconds.' } }, 33_000],
    [{ error: { message: 'Please wait 1 minute and 5 seconds before retrying' } }, 65_000],
    ['… retry_delay {\n  seconds: 44\n}', 44_000],
    [{ error: { message: 'Please try again in about half an hour.' } }, 1_800_000],
    [{ error: { message: 'Try again in two minutes.' } }, 120_000],
    [{ error: { message: '5 seconds remaining until the next request' } }, 5_000],
    [{ error: { message: 'No', retry_in_seconds: 9 } }, 9_000],
    [{ error: { message: 'No', wait_ms: 1200 } }, 1_200],
    [{ error: { message: 'No' }, cooldown: 30 }, 30_000],
  ])('reads the body %j as %d ms', (body, ms) => {
    expect(hintOf({}, body)).toBe(ms);
  });

  it.each([
    ['Please wait 1,234 seconds.', 1_234_000],
    ['Slow down; next request allowed in 250 ms.', 250],
    ['Back off for 10 seconds.', 10_000],
    ['Estimated wait: 30 seconds', 30_000],
    ['resets_in: 30s', 30_000],
    ['retry_after=30', 30_000],
    ['Too Many Requests: retry after 291]', 291_000],
    ['A wait of 2838 seconds is required', 2_838_000],
    ['Bitte versuchen Sie es in 30 Sekunden erneut.', 30_000],
    ['Riprova tra 2 minuti.', 120_000],
    ['Spróbuj ponownie po 30 sekundach.', 30_000],
    ['Повторите попытку через 30 секунд.', 30_000],
    ['30 saniye sonra tekrar deneyin.', 30_000],
    ['Vui lòng thử lại sau 30 giây.', 30_000],
    ['Skúste to znova o 2 minúty.', 120_000],
    ['Zkuste to znovu za 30 sekund.', 30_000],
    ['Försök igen om 5 minuter.', 300_000],
    ['Réessayez dans une heure.', 3_600_000],
    ['Bitte in einer Stunde erneut versuchen.', 3_600_000],
    ['Inténtelo de nuevo en un minuto.', 60_000],
    ['Retrying _completion_with_retry in 4.0 seconds as it raised: try again in 20s', 20_000],
    ['Retry after Sun, 01 Mar 2026 12:01:00 GMT.', 60_000],
    ['It resets at Sun Mar 01 2026 12:01:00 GMT+0000 (Coordinated Universal Time)', 60_000],
    [`Your limit resets at ${NOW / 1000 + 60}.`, 60_000],
  ])('is read from the words %j as %d ms', (message, ms) => {
    expect(hintOf({}, { error: { message } })).toBe(ms);
  });

  it.each([
    'Maximum 5 requests allowed in 60 seconds. Please try again later.',
    'Too many requests in 60 seconds',
    'We retried for 30 seconds and gave up',
    'The limit resets every 5 hours',
    'Credits are available for 30 days',
    'Timeout: wait time 30 seconds exceeded',
    'The maximum wait time of 30s is over',
    'You used all of it in the last 5 hours before you asked',
    'Retrying call_with_retry in 4.0 seconds as it raised RateLimitError',
    'Les limites sont dans une minute par compte',
  ])('is none where the time in %j is that of something else', (message) => {
    expect(hintOf({}, { error: { message } })).toBeNull();
  });

  it('is read from the time of a day only by the clock of the server', () => {
    const body = { error: { message: 'Usage limit reached. Access resets at 10:57 PM GMT-3.' } };
    expect(hintOf({ date: 'Sun, 01 Mar 2026 23:57:00 GMT' }, body)).toBe(7_200_000);
    expect(hintOf({}, body)).toBeNull();
  });

  it.each([
    [{ retry_after_millis: 1500 }, 1_500],
    [{ retryDelayMs: 2500 }, 2_500],
    [{ cooldown_ms: 1500 }, 1_500],
    [{ secondsUntilReset: 15 }, 15_000],
    [{ msBeforeNext: 15_000 }, 15_000],
    [{ backoff_seconds: 2 }, 2_000],
    [{ time_to_reset: '15s' }, 15_000],
    [{ retryDelay: 'PT1M30S' }, 90_000],
    [{ nextAllowedAt: '2026-03-01T12:01:00Z' }, 60_000],
    [{ next_retry_at: NOW / 1000 + 60 }, 60_000],
    [{ rate_limit_reset: NOW / 1000 + 60 }, 60_000],
    [{ resetTimestamp: NOW + 60_000 }, 60_000],
    [{ 'X-RateLimit-Reset': String(NOW + 60_000) }, 60_000],
  ])('is read from a field by the words of its name: %j', (field, ms) => {
    expect(hintOf({}, { error: { message: 'No', ...field } })).toBe(ms);
  });

  it.each([
    { retry_count: 3 },
    { max_retries: 5 },
    { wait_for_model: 1 },
    { next: 4 },
    { window: 60 },
  ])('is none in a field that only sounds like a wait: %j', (field) => {
    expect(hintOf({}, { error: { message: 'No', ...field } })).toBeNull();
  });

  it.each(['-5', 'NaN', 'Infinity', 'soon', '', '1e9'])(
    'takes the nonsense %j for no hint',
    (value) => {
      expect(hintOf({ 'retry-after': value })).toBeNull();
    },
  );

  it.each(['99999999999999', '9'.repeat(30), 'Fri, 31 Dec 9999 23:59:59 GMT'])(
    'is never sooner than %j asks, up to the longest wait',
    (value) => {
      expect(hintOf({ 'retry-after': value })).toBe(366 * 86_400_000);
    },
  );

  it.each([
    { 'x-ratelimitbytokens-reset': '12', 'x-ratelimitbytokens-remaining': '0' },
    { 'ratelimitbyminute-reset-requests': '12', 'ratelimitbyminute-remaining-requests': '0' },
  ])('is the reset of the measure that is spent, whatever others say: %j', (headers) => {
    const beside = { 'x-ratelimit-reset': '40', 'x-ratelimit-remaining': '7' };
    expect(hintOf({ ...beside, ...headers })).toBe(12_000);
    expect(hintOf({}, { error: { message: 'No', ...headers } })).toBe(12_000);
  });

  it('is read from a header before the prose', () => {
    expect(hintOf({ 'retry-after': '2' }, { error: { message: 'try again in 9s' } })).toBe(2_000);
  });

  it('is kept on a spent quota, which is still not retried', () => {
    const found = classify({
      operation: 'generate',
      status: 429,
      headers: { 'retry-after': '47' },
      body: { error: { code: 'insufficient_quota', message: '' } },
      phase: 'headers',
      delivered: false,
      source: 'test',
    });
    expect(found).toMatchObject({
      kind: 'provider.quota_exhausted',
      retryable: false,
      retryAfterMs: 47_000,
    });
  });

  it.each([
    ['waits a figure of speech', 'Please wait a minute before you ask again'],
    ['names no length', 'Please wait a moment'],
  ])('is not made up where the message %s', (_, message) => {
    expect(hintOf({}, { error: { message } })).toBeNull();
  });

  it.each([
    [{ 'retry-after': '43200' }, {}, 'quota.long-wait'],
    [{ 'retry-after': '43199' }, {}, 'status.429'],
    [{ 'retry-after': '90000' }, { error: { message: 'requests per minute' } }, 'status.429'],
  ])('of half a day or longer means a spent quota: %j', (headers, body, rule) => {
    const found = classify(limited(headers, body));
    const isSpent = rule === 'quota.long-wait';
    expect(found).toMatchObject({
      rule,
      kind: isSpent ? 'provider.quota_exhausted' : 'provider.rate_limited',
      retryable: !isSpent,
      retryAfterMs: Number(headers['retry-after']) * 1000,
    });
  });

  it('is that of the sentence where a header counts the last second of a window as none', () => {
    const body = { error: { message: 'Rate limit exceeded, retry in 1 second' } };
    expect(hintOf({ 'x-ratelimit-reset': '0' }, body)).toBe(1_000);
    expect(hintOf({ 'x-ratelimit-reset': '0' })).toBe(0);
  });

  it('is the length behind a word of waiting, before one that only a verb follows', () => {
    const message = '23s left, and 60s requested. Try again in 3:41:12';
    expect(hintOf({}, { error: { message } })).toBe(13_272_000);
  });

  it.each([
    ['Your quota will reset after 26s.', 'provider.rate_limited'],
    ['Your quota will reset after 26s. Your credits are used up.', 'provider.quota_exhausted'],
    ['Your quota will reset after 5h.', 'provider.quota_exhausted'],
  ])('of two minutes at most makes the quota under the code of a rate one: %s', (words, kind) => {
    const message = `Your capacity on this model is used up. ${words}`;
    const body = { error: { code: 'rate_limit_exceeded', message } };
    expect(classify(limited({}, body)).kind).toBe(kind);
  });

  it('is not read from the windows in every response when no limit was hit', () => {
    const found = classify({
      operation: 'generate',
      status: 500,
      headers: { 'x-ratelimit-reset-requests': '8.64s', 'x-ratelimit-remaining-requests': '9999' },
      body: {},
      phase: 'headers',
      delivered: false,
      source: 'test',
    });
    expect(found).toMatchObject({ kind: 'provider.server_error', retryAfterMs: null });
  });
});

describe('a duration', () => {
  const unit = fc.constantFrom(['ms', 1], ['s', 1000], ['m', 60_000], ['h', 3_600_000]);

  it('is the sum of its parts, whatever the units', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.nat(500), unit), { minLength: 1, maxLength: 4 }),
        (parts) => {
          const written = parts.map(([count, [name]]) => `${count}${name}`).join('');
          const sum = parts.reduce((total, [count, [, ms]]) => total + count * Number(ms), 0);
          return parseDuration(written) === sum;
        },
      ),
    );
  });

  it('is never negative and never longer than a year, whatever the text', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const ms = parseDuration(text);
        return ms === undefined || (ms >= 0 && ms <= 366 * 86_400_000 && Number.isInteger(ms));
      }),
    );
  });
});
