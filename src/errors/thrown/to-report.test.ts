import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyThrown, location, STAMP } from '../report/arbitraries.cases.ts';
import { ErrandError, failure } from './errand-error.ts';
import type { ErrorReport } from '../report/report.ts';
import { toReport, type ReportContext } from './to-report.ts';
import { expectValid } from '../report/valid-report.cases.ts';
import { runs } from '../../../test/runs.ts';

const stamped = (thrown: unknown, context: ReportContext = {}): ErrorReport =>
  toReport(thrown, { stamp: STAMP, ...context });

describe('any thrown value', () => {
  it('gives a valid report', () => {
    fc.assert(
      fc.property(anyThrown, (make) => expectValid(toReport(make()))),
      { numRuns: runs(200) },
    );
  });

  it('gives a valid report wherever it happened and whatever it is called', () => {
    const context = fc.record(
      {
        fallback: fc.constantFrom('call.failed' as const, 'tool.failed' as const),
        cancelled: fc.constantFrom('cancelled.run' as const, undefined),
        location,
        frame: location,
        attempt: fc.record({ number: fc.nat() }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(anyThrown, context, (make, where) => expectValid(toReport(make(), where))),
    );
  });

  it('gives the same report twice for the same stamp', () => {
    fc.assert(
      fc.property(anyThrown, (make) => {
        const thrown = make();
        expect(stamped(thrown, { fallback: 'call.failed' })).toEqual(
          stamped(thrown, { fallback: 'call.failed' }),
        );
      }),
    );
  });
});

describe('an unrecognised value', () => {
  it.each<[string, unknown, string]>([
    ['an error', new TypeError('boom'), 'boom'],
    ['a string', 'boom', 'boom'],
    ['an empty string', '', 'An empty string was thrown'],
    ['null', null, 'null was thrown, without a message'],
    ['undefined', undefined, 'undefined was thrown, without a message'],
    ['a number', 42, 'The number 42 was thrown, without a message'],
    ['a symbol', Symbol('x'), 'A symbol was thrown, without a message'],
    ['an object without a prototype', Object.create(null), 'A value was thrown, without a message'],
    ['an error without a message', new RangeError(), 'RangeError was thrown, without a message'],
    ['a DOMException', new DOMException('gone', 'AbortError'), 'gone'],
    ['an error of another realm', runInNewContext('new Error("elsewhere")'), 'elsewhere'],
  ])('gets the fallback kind and a description: %s', (_, thrown, message) => {
    expect(stamped(thrown, { fallback: 'call.failed' })).toMatchObject({
      kind: 'call.failed',
      retryable: null,
      message,
    });
  });

  it('is a defect without a fallback, described in our own words', () => {
    const report = stamped(new TypeError('boom', { cause: new Error('inner') }));
    expect(report).toMatchObject({
      kind: 'internal.unexpected',
      category: 'defect',
      retryable: false,
      message: 'TypeError was thrown where nothing should throw',
      details: { thrown: 'TypeError', causes: ['inner'] },
    });
  });

  it('tells the members of an AggregateError, and takes the first of ours as cause', () => {
    const members = [new Error('one'), failure('order.missing', 'two'), ...Array(30).fill('three')];
    const report = stamped(new AggregateError(members, 'all failed'), { fallback: 'call.failed' });
    expect(report.message).toBe('all failed');
    expect(report.cause?.kind).toBe('order.missing');
    expect(report.details).toMatchObject({ errorCount: 32 });
    expect(report.details?.['errors']).toHaveLength(20);
    expect(report.details?.['errors']).toContainEqual({ kind: 'order.missing', message: 'two' });
  });

  const missing = (): Error => failure('order.missing', 'No order', { id: 7 });
  it.each<readonly [string, () => unknown]>([
    ['several of one kind', () => new AggregateError([missing(), missing()], 'all failed')],
    ['one in a wrapper', () => new Error('outer', { cause: new AggregateError([missing()]) })],
    ['a settled promise', () => ({ status: 'rejected', reason: missing() })],
    ['a disposal that failed too', () => new SuppressedError(new Error('closing'), missing())],
    ['a disposal that failed with it', () => new SuppressedError(missing(), 'thrown before')],
    ['the last of its tries', () => Object.assign(new Error('3 tries'), { lastError: missing() })],
    ['an error part', () => ({ type: 'error', error: missing() })],
    ['all at once', () => new AggregateError([new SuppressedError('x', missing()), missing()])],
  ])('keeps the kind that is held by %s', (_name, thrown) => {
    expect(stamped(thrown(), { fallback: 'call.failed' })).toMatchObject({
      kind: 'order.missing',
      category: 'domain',
      retryable: false,
      details: { id: 7 },
    });
  });

  it('takes no side among failures of several kinds', () => {
    const other = failure('order.late', 'Late');
    const report = stamped(new AggregateError([missing(), other]), { fallback: 'call.failed' });
    expect(report).toMatchObject({ kind: 'call.failed', cause: { kind: 'order.missing' } });
  });

  it('is bounded in what holds itself', () => {
    const held: { lastError?: unknown } = {};
    held.lastError = held;
    expect(stamped(held, { fallback: 'call.failed' }).kind).toBe('call.failed');
  });

  it('stays what it is when the recogniser itself fails', () => {
    const recognise = (): never => {
      throw new Error('bad recogniser');
    };
    expect(stamped(new Error('boom'), { fallback: 'tool.failed', recognise })).toMatchObject({
      kind: 'tool.failed',
      message: 'boom',
      details: { recogniser: 'bad recogniser' },
    });
  });

  it('ends at a cause that leads back to itself', () => {
    const first = new Error('first');
    first.cause = new Error('second', { cause: first });
    expect(stamped(first).details).toMatchObject({ causes: ['second', 'first'] });
  });
});

describe("an author's own error class", () => {
  it('is a raise when it has a kind that authors may use', () => {
    const thrown = Object.assign(new Error('No order'), {
      kind: 'order.missing',
      details: { id: 7 },
    });
    expect(stamped(new Error('wrapped', { cause: thrown }))).toMatchObject({
      kind: 'order.missing',
      class: 'domain',
      message: 'No order',
      details: { id: 7 },
    });
  });

  it('cannot raise a kind of the runtime', () => {
    const thrown = Object.assign(new Error('sly'), { kind: 'provider.rate_limited' });
    expect(stamped(thrown, { fallback: 'call.failed' }).kind).toBe('call.failed');
  });

  it('keeps its kind above a failure of ours and inherits the rest', () => {
    const below = new ErrandError({ kind: 'provider.rate_limited', message: 'slow down' });
    const thrown = Object.assign(new Error('m', { cause: below }), { kind: 'order.failed' });
    expect(stamped(thrown)).toMatchObject({
      kind: 'order.failed',
      category: 'transient',
      retryable: true,
      cause: { kind: 'provider.rate_limited' },
    });
  });
});

describe('where it happened', () => {
  it('is set once: a located failure keeps its location', () => {
    const inner = stamped(new Error('x'), { location: { node: 'inner' }, attempt: { number: 2 } });
    const outer = stamped(inner, { location: { node: 'outer' }, attempt: { number: 9 } });
    expect(outer.location).toEqual({ node: 'inner' });
    expect(outer.attempt).toEqual({ number: 2 });
  });

  it('grows by a frame at each boundary, and the first frame stays the first', () => {
    const first = stamped(failure('a.b', 'x'), { frame: { node: 'raised' } });
    const second = stamped(first, { frame: { node: 'child' } });
    const third = stamped(new Error('foreign', { cause: second }), { frame: { node: 'top' } });
    expect(third.frames).toEqual([{ node: 'raised' }, { node: 'child' }, { node: 'top' }]);
  });

  it('is not set by an empty location', () => {
    expect(stamped(new Error('x'), { location: {}, frame: {} })).not.toHaveProperty('location');
  });
});

it('is a cancellation when our own signal was aborted, whatever was thrown', () => {
  const thrown = new ErrandError({ kind: 'provider.timeout', message: 'slow' });
  expect(stamped(thrown, { cancelled: 'cancelled.node' })).toMatchObject({
    kind: 'cancelled.node',
    category: 'cancelled',
    retryable: false,
  });
});
