import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyText, authorKind, runtimeKind, STAMP } from '../report/arbitraries.cases.ts';
import { buildReport } from '../report/build.ts';
import { ErrandError, failure, isKind, raise } from './errand-error.ts';
import { createRedactor } from '../redaction/redact.ts';
import type { ErrorReport } from '../report/report.ts';
import { toReport } from './to-report.ts';

describe('an error that carries a report', () => {
  it('is stamped once, by the first that asks', () => {
    const error = failure('order.missing', 'No order');
    const first = toReport(error, { stamp: STAMP });
    expect(first).toMatchObject(STAMP);
    expect(error.report).toBe(first);
    expect(toReport(error, { stamp: { ...STAMP, id: 'err_later' } })).toBe(first);
  });

  it('keeps its kind through a structured clone as a report; the platform drops it from an error', () => {
    const error = failure('order.missing', 'No order', { id: 7 });
    const copy = structuredClone(error.report);
    expect(isKind(copy, 'order.missing')).toBe(true);
    expect(toReport(copy)).toEqual(error.report);
    expect(structuredClone(error)).not.toHaveProperty('kind');
  });

  it('is stamped by the world when nobody else does', () => {
    const { id, at } = failure('order.missing', 'No order').report;
    expect(id).toMatch(/^err_[a-z0-9]{16}$/);
    expect(at).toBe(new Date(at).toISOString());
  });

  it('forgets a configured secret even when it was asked before the redactor was known', () => {
    const error = failure('order.missing', 'with hunter2hunter2', { key: 'hunter2hunter2' });
    const before = error.report;
    const after = toReport(error, { redactor: createRedactor(['hunter2hunter2']) });
    expect(JSON.stringify(after)).not.toContain('hunter2');
    expect(after).toMatchObject({ id: before.id, at: before.at });
    expect(error.report).toBe(after);
  });

  it('has the details of its report and is its report in JSON', () => {
    const error = failure('order.missing', 'No order', { id: 7 });
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
    const outer = failure('order.failed', 'No order', undefined, {
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

  it('is checked when another package made it, because its report may be malformed', () => {
    const carrier = (report: unknown): unknown => ({ [Symbol.for('errand.report')]: () => report });
    const malformed = {
      v: 1,
      kind: 'a.b',
      message: 'x'.repeat(100_000),
      category: 'domain',
      domain: 7,
    };
    expect(toReport(carrier(malformed))).toMatchObject({ kind: 'a.b', domain: 'runtime' });
    expect(toReport(carrier(malformed)).message).toHaveLength(2000);
    expect(toReport(carrier(null)).kind).toBe('internal.unexpected');
  });

  it('is recognised as data, after it has lost its class', () => {
    const error = new ErrandError({ kind: 'provider.rate_limited', message: 'slow down' });
    const data: unknown = JSON.parse(JSON.stringify(error));
    expect(toReport(data)).toEqual(error.report);
    expect(toReport(new Error('wrapped', { cause: data }))).toEqual(error.report);
  });
});

describe('failure', () => {
  it('makes an error of any kind that authors may use', () => {
    fc.assert(
      fc.property(authorKind, anyText, (kind, message) => {
        expect(failure(kind, message)).toMatchObject({ kind, report: { kind, class: 'domain' } });
      }),
    );
  });

  it('refuses every kind of the runtime, and every name under its prefixes', () => {
    fc.assert(
      fc.property(runtimeKind, fc.constantFrom('', '.more', 's'), (kind, more) => {
        const refusal = caught(() => failure<string>(`${kind}${more}`, 'm', { id: 7 }));
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
    expect(caught(() => failure<string>(kind, 'm'))).toMatchObject({
      kind: 'internal.envelope_invalid',
    });
  });

  it('says the kind when there is no message', () => {
    expect(failure('order.missing', '').message).toBe('order.missing');
  });
});

describe('raise', () => {
  it('throws what failure makes, with or without a throw before it', () => {
    const cause = new Error('root');
    const made = failure('order.missing', 'No order', { id: 7 }, { cause });
    for (const thrower of [
      () => raise('order.missing', 'No order', { id: 7 }, { cause }),
      () => {
        throw raise('order.missing', 'No order', { id: 7 }, { cause });
      },
    ]) {
      const thrown = caught(thrower);
      expect(thrown).toBeInstanceOf(ErrandError);
      expect(thrown).toMatchObject({ kind: made.kind, message: made.message, cause });
      expect((thrown as ErrandError).details).toEqual({ id: 7 });
    }
  });

  it('refuses the kinds that failure refuses', () => {
    expect(caught(() => raise<string>('provider.timeout', 'm'))).toMatchObject({
      kind: 'internal.envelope_invalid',
    });
  });
});

describe('isKind', () => {
  const error = new ErrandError({ kind: 'provider.rate_limited', message: 'slow down' });

  it.each<[string, unknown]>([
    ['an error', error],
    ['a report', error.report],
    ['a report as data', JSON.parse(JSON.stringify(error))],
  ])('recognises %s by its kind and by its prefix', (_, value) => {
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
