import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyDraft, anyText, authorKind, STAMP } from '../report/arbitraries.cases.ts';
import { buildReport, crossBoundary, outcomeOf, rebuild } from '../report/build.ts';
import { CATALOG, RUNTIME_KINDS } from '../catalog/catalog.ts';
import { ErrandError, failure } from './errand-error.ts';
import { readReport, writeReport } from '../report/read.ts';
import type { ErrorReport } from '../report/report.ts';
import { toReport } from './to-report.ts';
import { runs } from '../../../test/runs.ts';

const INHERITING = RUNTIME_KINDS.filter((kind) => CATALOG[kind].inherits);

/** One way in which a failure gets wrapped on its way up. */
type Wrapper = (inner: unknown) => unknown;

const wrapper: fc.Arbitrary<Wrapper> = fc.oneof(
  anyText.map(
    (message): Wrapper =>
      (inner) =>
        new Error(message, { cause: inner }),
  ),
  fc.tuple(authorKind, anyText).map(
    ([kind, message]): Wrapper =>
      (inner) =>
        failure(kind, message, undefined, { cause: inner }),
  ),
  fc.tuple(fc.constantFrom(...INHERITING), anyText).map(
    ([kind, message]): Wrapper =>
      (inner) =>
        new ErrandError({ kind, message }, { cause: inner }),
  ),
  authorKind.map(
    (kind): Wrapper =>
      (inner) =>
        Object.assign(new Error('own'), { kind, cause: inner }),
  ),
  anyText.map(
    (node): Wrapper =>
      (inner) =>
        crossBoundary(toReport(inner), { node }),
  ),
  fc.constant<Wrapper>((inner) => readReport(JSON.parse(writeReport(toReport(inner)))).report),
  fc.constant<Wrapper>((inner) =>
    toReport(inner, { frame: { node: 'boundary' }, location: { node: 'late' } }),
  ),
);

describe('wrapping a failure any number of times', () => {
  it('changes neither its root nor what is known of it', () => {
    fc.assert(
      fc.property(anyDraft, fc.array(wrapper, { maxLength: 12 }), (draft, wrappers) => {
        // fit-size.test.ts covers what a report this large leaves out
        const { details: _details, ...small } = draft;
        const root = buildReport(small, { stamp: STAMP });
        const wrapped = toReport(wrappers.reduce<unknown>((inner, wrap) => wrap(inner), root));

        expect(rootOf(wrapped)).toMatchObject({ kind: root.kind, message: root.message });
        expect(known(wrapped)).toEqual(known(root));
      }),
      { numRuns: runs(150) },
    );
  });

  it.each([30, 300, 10_000])('holds for %i wrappers, and for the failure that decides', (times) => {
    const root = new ErrandError({ kind: 'provider.rate_limited', message: 'slow down' });
    const deciding = new ErrandError(
      { kind: 'limit.budget', message: 'too expensive' },
      { cause: root },
    );
    let wrapped: Error = deciding;
    for (let count = 0; count < times; count++)
      wrapped = failure('wrap.per', `${count}`, undefined, { cause: wrapped });

    const report = toReport(wrapped);
    expect(rootOf(report).kind).toBe('provider.rate_limited');
    expect(report).toMatchObject({ kind: 'wrap.per', category: 'limit', retryable: false });
  });
});

describe('a wrapper', () => {
  const inner = buildReport(
    {
      kind: 'provider.overloaded',
      message: 'no capacity',
      location: { node: 'inner' },
      frames: [{ node: 'inner' }],
      provider: { name: 'openai', status: 503, requestId: 'req_1' },
    },
    { stamp: STAMP },
  );

  it('keeps its own kind and message and inherits field by field what it does not set', () => {
    const outer = buildReport(
      {
        kind: 'order.failed',
        message: 'No order',
        retryable: false,
        provider: { model: 'gpt', status: 500 },
        cause: inner,
      },
      { stamp: STAMP },
    );
    expect(outer).toMatchObject({
      kind: 'order.failed',
      message: 'No order',
      class: 'domain',
      category: 'transient',
      retryable: false,
      action: inner.action,
      location: { node: 'inner' },
      frames: [{ node: 'inner' }],
      provider: { name: 'openai', model: 'gpt', status: 500, requestId: 'req_1' },
      cause: inner,
    });
  });

  it('of a kind with its own facts inherits only provider facts and locations', () => {
    const outer = buildReport(
      { kind: 'limit.node_timeout', message: 'late', cause: inner },
      { stamp: STAMP },
    );
    expect(outer).toMatchObject({
      category: 'limit',
      retryable: false,
      provider: { name: 'openai', status: 503 },
      location: { node: 'inner' },
    });
  });

  it('cannot be changed, nor can what it was made of change it', () => {
    const details = { list: [1] };
    const report = buildReport({ kind: 'a.b', message: 'm', details }, { stamp: STAMP });
    details.list.push(2);
    expect(report.details).toEqual({ list: [1] });
    expect(() => Object.assign(report.details ?? {}, { more: 1 })).toThrow(TypeError);
  });
});

describe('crossing a boundary', () => {
  it('adds a frame and changes nothing else, and the first frame stays the first', () => {
    fc.assert(
      fc.property(anyDraft, (draft) => {
        const report = buildReport({ ...draft, frames: [{ node: 'raised' }] }, { stamp: STAMP });
        const twice = crossBoundary(crossBoundary(report, { node: 'child' }), { node: 'top' });
        expect(twice.frames?.[0]).toEqual({ node: 'raised' });
        expect({ ...twice, frames: [] }).toEqual({ ...report, frames: [] });
      }),
    );
  });

  it('a hundred times keeps where it was raised, and counts the frames it has no room for', () => {
    let report = buildReport(
      { kind: 'a.b', message: 'm', frames: [{ node: 'raised' }] },
      { stamp: STAMP },
    );
    for (let count = 0; count < 100; count++) report = crossBoundary(report, { node: `n${count}` });
    expect(report.frames).toHaveLength(32);
    expect(report.frames?.[0]).toEqual({ node: 'raised' });
    expect(report.cut).toEqual({ frames: 69 });
  });
});

describe('the defaults of a recorder', () => {
  const defaults = {
    location: { node: 'late' },
    frames: [{ node: 'late' }],
    attempt: { number: 7 },
  };
  const draft = { kind: 'a.b', message: 'm' } as const;

  it('count where nobody says where it happened', () => {
    expect(buildReport(draft, { stamp: STAMP, defaults })).toMatchObject(defaults);
  });

  it('give way to the draft and to its cause, which is not changed by them', () => {
    const cause = buildReport(
      { ...draft, location: { node: 'first' }, frames: [{ node: 'first' }] },
      { stamp: STAMP },
    );
    const report = buildReport(
      { ...draft, attempt: { number: 2 }, cause },
      { stamp: STAMP, defaults },
    );
    expect(report).toMatchObject({
      location: { node: 'first' },
      frames: [{ node: 'first' }],
      attempt: { number: 2 },
    });
    expect(report.cause).toEqual(cause);
    const open = JSON.parse(JSON.stringify(buildReport(draft, { stamp: STAMP })));
    const wrapper = buildReport({ ...draft, cause: open }, { stamp: STAMP, defaults });
    expect(wrapper.cause).not.toHaveProperty('location');
  });

  it('are checked like everything else', () => {
    fc.assert(
      fc.property(anyDraft, fc.anything(), (any, value) => {
        const hostile = { location: value, frames: value, attempt: value } as never;
        const report = buildReport(any, { stamp: STAMP, defaults: hostile });
        expect(readReport(report).malformed).toEqual([]);
      }),
    );
  });

  it('give the report that a second build would give', () => {
    fc.assert(
      fc.property(anyDraft, (any) => {
        const first = buildReport(any, { stamp: STAMP });
        const { location, frames, attempt } = { ...defaults, ...first };
        expect(buildReport(any, { stamp: STAMP, defaults })).toEqual(
          rebuild(first, { location, frames, attempt }),
        );
      }),
    );
  });
});

describe('the outcome of a draft', () => {
  it('is the one of its report', () => {
    fc.assert(
      fc.property(anyDraft, (any) => {
        expect(outcomeOf(any)).toBe(buildReport(any, { stamp: STAMP }).outcome);
      }),
    );
  });
});

type Known = Pick<
  ErrorReport,
  'category' | 'domain' | 'retryable' | 'outcome' | 'action' | 'provider'
>;

function known({ category, domain, retryable, outcome, action, provider }: ErrorReport): Known {
  return { category, domain, retryable, outcome, action, ...(provider && { provider }) };
}

function rootOf(report: ErrorReport): ErrorReport {
  return report.cause === undefined ? report : rootOf(report.cause);
}
