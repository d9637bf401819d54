import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ENTRIES } from '../../test/corpus/entries.ts';
import { failure } from '../errors/thrown/errand-error.ts';
import { forModel, forPerson, forPublic } from '../errors/report/audiences.ts';
import { readReport, writeReport } from '../errors/report/read.ts';
import { reportFrom } from './report-from.ts';
import { runs } from '../../test/runs.ts';

const STAMP = { id: 'err_test', at: '2026-03-01T12:00:00.000Z' };

describe('reportFrom', () => {
  it('names the provider, the meaning and what to do', () => {
    const error = {
      status: 429,
      headers: { 'x-request-id': 'req_7' },
      body: {
        error: { code: 'insufficient_quota', type: 'insufficient_quota', message: 'secret prose' },
      },
    };
    const report = reportFrom(error, { provider: 'openai', model: 'gpt-6-mini', stamp: STAMP });
    expect(report).toMatchObject({
      id: 'err_test',
      kind: 'provider.quota_exhausted',
      category: 'capacity',
      retryable: false,
      message: 'The quota of this account at OpenAI is used up; waiting will not help.',
      action: {
        kind: 'check_billing',
        detail: 'Check billing at OpenAI, or add a fallback model.',
      },
      provider: {
        name: 'openai',
        model: 'gpt-6-mini',
        status: 429,
        code: 'insufficient_quota',
        requestId: 'req_7',
      },
      rule: { id: 'quota.code', confidence: 'high' },
    });
  });

  it('advises on a reply that broke off as the catalog does', () => {
    const reports = ENTRIES.map((entry) => reportFrom({ ...entry }));
    const broken = reports.filter(({ kind }) => kind === 'provider.stream_interrupted');
    expect(new Set(broken.map(({ action }) => action?.detail))).toEqual(
      new Set([
        'Set `on_partial` on the node to decide what an incomplete reply means, or add a route for this kind.',
      ]),
    );
  });

  it('gives failures that were thrown together the outcome of which least is known', () => {
    const code = (name: string, syscall: string): Error =>
      Object.assign(new Error(name), { code: name, syscall });
    const refused = code('ECONNREFUSED', 'connect');
    const broken = code('ECONNRESET', 'read');
    const limited = Object.assign(new Error('limit'), { status: 429, headers: {} });
    for (const known of [refused, limited])
      for (const errors of [
        [known, broken],
        [broken, known],
      ]) {
        const retries = { name: 'AI_RetryError', errors, lastError: errors.at(-1) };
        expect(reportFrom(new AggregateError(errors)).outcome).toBe('unknown');
        expect(reportFrom(Object.assign(new Error('retries'), retries)).outcome).toBe('unknown');
      }
    expect(reportFrom(new AggregateError([refused, refused])).outcome).toBe('not_started');
    expect(reportFrom(new AggregateError([refused, limited])).outcome).toBe('failed');
    // an author's own word counts
    const own = failure('order.missing', 'No such order');
    expect(reportFrom(new AggregateError([own, own])).outcome).toBe('failed');
  });

  it('calls nothing transient after a part of the reply was delivered', () => {
    // a text of events shows by itself which content came before the error
    const whole = ENTRIES.filter(({ body }) => !/^(?:event|data):/m.test(String(body)));
    const reports = whole.map((entry) => reportFrom({ ...entry }, { delivered: true }));
    const begun = reports.filter(({ outcome }) => outcome !== 'not_started');
    expect(begun.filter(({ category }) => category === 'transient')).toEqual([]);
    expect(begun.filter(({ outcome, retryable }) => outcome === 'partial' && retryable)).toEqual(
      [],
    );
  });

  it('never quotes the raw body, not even to a person', () => {
    const planted = 'PLANTED-SENTENCE-OF-THE-BODY';
    for (const entry of ENTRIES) {
      const report = reportFrom({ ...entry, body: withSentence(entry.body, planted) });
      const shown = JSON.stringify([forPerson(report), forModel(report), forPublic(report)]);
      expect(shown).not.toContain(planted);
    }
  });

  it.each([
    ['a 429 whose body may say that a quota is used up', 429, {}],
    ['a problem document', 500, { 'content-type': 'application/problem+json' }],
  ])('claims nothing about an unread response: %s', (_, status, headers) => {
    const response = new Response('{}', { status, headers });
    for (const thrown of [response, Object.assign(new Error('HTTP'), { response })])
      expect(reportFrom(thrown, { provider: 'openai' })).toMatchObject({
        kind: 'provider.unknown',
        category: 'unknown',
        retryable: null,
        action: { kind: 'fix_code' },
        provider: { name: 'openai', status },
      });
  });

  it.each([
    ['a hint says when', new Response('{}', { status: 429, headers: { 'retry-after': '7' } })],
    ['there is no body', new Response(null, { status: 429 })],
  ])('treats an unread 429 as a rate limit where %s', (_, response) => {
    expect(reportFrom(response)).toMatchObject({ kind: 'provider.rate_limited', retryable: true });
  });

  it('leaves a raise and a report of ours as they are', () => {
    const report = reportFrom(failure('order.missing', 'No such order', { id: 7 }));
    expect(report).toMatchObject({ kind: 'order.missing', class: 'domain', details: { id: 7 } });
  });

  it('gives any other failure the kind call.failed, and claims nothing about retrying', () => {
    const report = reportFrom(new TypeError('x is not a function'));
    expect(report).toMatchObject({
      kind: 'call.failed',
      retryable: null,
      message: 'x is not a function',
    });
  });

  it('gives a valid report for any value at all', () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true }),
        (thrown) => {
          const report = reportFrom(thrown, { stamp: STAMP });
          return readReport(JSON.parse(writeReport(report))).malformed.length === 0;
        },
      ),
      { numRuns: runs(2000) },
    );
  });

  it('gives a valid report for any malformed failure', () => {
    const key = fc.constantFrom(
      'status',
      'headers',
      'body',
      'transport',
      'stream',
      'provider',
      'operation',
    );
    const entry = fc.constantFrom(...ENTRIES);
    fc.assert(
      fc.property(
        entry,
        fc.array(fc.tuple(key, fc.anything()), { maxLength: 3 }),
        (original, bends) => {
          const bent = { ...original, ...Object.fromEntries(bends) };
          const report = reportFrom(bent, { stamp: STAMP });
          return readReport(JSON.parse(writeReport(report))).malformed.length === 0;
        },
      ),
      { numRuns: runs(5000) },
    );
  });
});

/** The same body with a sentence appended to every message. */
function withSentence(body: unknown, sentence: string): unknown {
  if (typeof body === 'string') return body.startsWith('{') ? body : `${body} ${sentence}`;
  if (Array.isArray(body)) return body.map((item) => withSentence(item, sentence));
  if (typeof body !== 'object' || body === null) return body;
  const entries = Object.entries(body).map(([key, value]) => [
    key,
    key === 'message' && typeof value === 'string' && !value.includes('{')
      ? `${value} ${sentence}`
      : withSentence(value, key === 'code' || key === 'type' || key === 'status' ? '' : sentence),
  ]);
  return Object.fromEntries(entries);
}
