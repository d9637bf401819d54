import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText, authorKind, runtimeKind, STAMP } from './arbitraries.cases.ts';
import { buildReport } from './build.ts';
import { ErrandError, isKind, raise } from './errand-error.ts';
import { createRedactor } from './redact.ts';
import type { ErrorReport } from './report.ts';
import { toReport } from './to-report.ts';

describe('an error that carries a report', () => {
  it('is stamped once, by whoever asks first', () => {
    const error = raise('order.missing', 'No order');
    const first = toReport(error, { stamp: STAMP });
    expect(first).toMatchObject(STAMP);
    expect(error.report).toBe(first);
    expect(toReport(error, { stamp: { ...STAMP, id: 'err_later' } })).toBe(first);
  });

  it('is stamped by the world when nobody else does', () => {
    const { id, at } = raise('order.missing', 'No order').report;
    expect(id).toMatch(/^err_[a-z0-9]{16}$/);
    expect(at).toBe(new Date(at).toISOString());
  });

  it('forgets a configured secret even when it was asked before the redactor was known', () => {
    const error = raise('order.missing', 'with hunter2hunter2', { key: 'hunter2hunter2' });
    const before = error.report;
    const after = toReport(error, { redactor: createRedactor(['hunter2hunter2']) });
    expect(JSON.stringify(after)).not.toContain('hunter2');
    expect(after).toMatchObject({ id: before.id, at: before.at });
    expect(error.report).toBe(after);
  });

  it('has the details of its report and is its report in JSON', () => {
    const error = raise('order.missing', 'No order', { id: 7 });
    expect(error.details).toEqual({ id: 7 });
    expect(JSON.parse(JSON.stringify(error))).toEqual(error.report);
    expect(error).toMatchObject({
      name: 'ErrandError',
      message: 'No order',
      kind: 'order.missing',
    });
  });

  it('is found through foreign wrappers, and the report of its cause is in its own', () => {
    const root = new ErrandError({ kind: 'provider.timeout', message: 'slow' });
    const outer = raise('order.failed', 'No order', undefined, {
      cause: new Error('x', { cause: root }),
    });
    const report = toReport(new Error('y', { cause: outer }));
    expect(report).toMatchObject({ kind: 'order.failed', cause: { kind: 'provider.timeout' } });
  });

  it('is known in another realm and from another copy of the package', () => {
    const report = buildReport({ kind: 'order.missing', message: 'No order' }, { stamp: STAMP });
    const copy = runInNewContext(
      `Object.assign(new Error('m'), { kind: 'order.missing', [Symbol.for('errand.report')]: () => JSON.parse(json) })`,
      { json: JSON.stringify(report) },
    ) as unknown;
    expect(toReport(copy)).toEqual(report);
    expect(isKind(copy, 'order.missing')).toBe(true);
  });

  it('is checked when it comes from elsewhere: what it gives need not be good', () => {
    const carrier = (report: unknown): unknown => ({ [Symbol.for('errand.report')]: () => report });
    const given = {
      v: 1,
      kind: 'a.b',
      message: 'x'.repeat(100_000),
      category: 'domain',
      domain: 7,
    };
    expect(toReport(carrier(given))).toMatchObject({ kind: 'a.b', domain: 'runtime' });
    expect(toReport(carrier(given)).message).toHaveLength(2000);
    expect(toReport(carrier(null)).kind).toBe('internal.unexpected');
  });

  it('is known as data, after a journey that took its class', () => {
    const error = new ErrandError({ kind: 'provider.rate_limited', message: 'slow down' });
    const data: unknown = JSON.parse(JSON.stringify(error));
    expect(toReport(data)).toEqual(error.report);
    expect(toReport(new Error('wrapped', { cause: data }))).toEqual(error.report);
  });
});

describe('raise', () => {
  it('makes an error of any kind that authors may use', () => {
    fc.assert(
      fc.property(authorKind, anyText, (kind, message) => {
        expect(raise(kind, message)).toMatchObject({ kind, report: { kind, class: 'domain' } });
      }),
    );
  });

  it('refuses every kind of the runtime, and every name under its prefixes', () => {
    fc.assert(
      fc.property(runtimeKind, fc.constantFrom('', '.more', 's'), (kind, more) => {
        const refusal = caught(() => raise<string>(`${kind}${more}`, 'm', { id: 7 }));
        expect(refusal).toMatchObject({
          kind: 'internal.envelope_invalid',
          details: { kind: `${kind}${more}`, raised: { message: 'm', details: { id: 7 } } },
        });
      }),
    );
  });

  it.each([
    '',
    'order',
    'Order.missing',
    'order..missing',
    'order.',
    '.order',
    'order missing',
    'a.b\n',
  ])('refuses the malformed kind %j', (kind) => {
    expect(caught(() => raise<string>(kind, 'm'))).toMatchObject({
      kind: 'internal.envelope_invalid',
    });
  });

  it('says the kind when there is no message', () => {
    expect(raise('order.missing', '').message).toBe('order.missing');
  });
});

describe('isKind', () => {
  const error = new ErrandError({ kind: 'provider.rate_limited', message: 'slow down' });

  it.each<[string, unknown]>([
    ['an error', error],
    ['a report', error.report],
    ['a report as data', JSON.parse(JSON.stringify(error))],
  ])('knows %s by its kind and by its prefix', (_, value) => {
    expect(isKind(value, 'provider.rate_limited')).toBe(true);
    expect(isKind(value, 'provider.*')).toBe(true);
    expect(isKind(value, 'provider.timeout')).toBe(false);
    expect(isKind(value, 'prov.*')).toBe(false);
  });

  it.each<[string, unknown]>([
    ['null', null],
    [
      'a foreign error with a kind',
      Object.assign(new Error('x'), { kind: 'provider.rate_limited' }),
    ],
    ['a foreign wrapper', new Error('x', { cause: error })],
    ['half a report', { kind: 'provider.rate_limited', message: 'm' }],
  ])('is not misled by %s', (_, value) => {
    expect(isKind(value, 'provider.rate_limited')).toBe(false);
  });
});

it('a malformed kind never makes an invalid report', () => {
  const error = new ErrandError({ kind: 'Not A Kind', message: 'm' });
  const report: ErrorReport = error.report;
  expect(report).toMatchObject({ kind: 'internal.envelope_invalid', message: 'm' });
});

function caught(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
