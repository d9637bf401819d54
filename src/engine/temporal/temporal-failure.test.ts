import { describe, expect, it } from 'vitest';
import { createRedactor } from '../../errors/redaction/redact.ts';
import { buildReport } from '../../errors/report/build.ts';
import {
  arrivedReport,
  isLost,
  isTakenBack,
  storableDraft,
  fromTemporalFailure,
  toTemporalFailure,
} from './temporal-failure.ts';

const STAMP = { id: 'err_1', at: '2026-01-01T00:00:00.000Z' };

const limited = buildReport(
  {
    kind: 'provider.rate_limited',
    message: 'Too many requests',
    details: { window: 'minute' },
    provider: { name: 'openai', status: 429, retryAfterMs: 1500 },
    cause: buildReport({ kind: 'external.root', message: 'The root' }, { stamp: STAMP }),
  },
  { stamp: STAMP },
);

/** As Temporal passes it on: through JSON, below wrappers of its own. */
function crossed(parts: object, wrappers = ['ActivityFailure', 'WorkflowFailedError']): Error {
  const failure = Object.assign(new Error('x'), JSON.parse(JSON.stringify(parts)), {
    name: 'ApplicationFailure',
  });
  return wrappers.reduce<Error>(
    (cause, name) => Object.assign(new Error('wrapped', { cause }), { name }),
    failure,
  );
}

describe('a report on its way through Temporal', () => {
  it('arrives whole', () => {
    expect(fromTemporalFailure(crossed(toTemporalFailure(limited)))).toEqual(limited);
  });

  it('shows its kind on Temporal’s own pages', () => {
    expect(toTemporalFailure(limited)).toMatchObject({
      type: 'provider.rate_limited',
      message: 'Too many requests',
      nonRetryable: false,
      nextRetryDelay: 1500,
    });
  });

  it.each([
    ['provider.auth', true],
    ['call.failed', true],
    ['provider.overloaded', false],
  ] as const)('%s is nonRetryable: %s', (kind, nonRetryable) => {
    const report = buildReport({ kind, message: 'x' }, { stamp: STAMP });
    expect(toTemporalFailure(report).nonRetryable).toBe(nonRetryable);
  });

  it('is not retried unless it is known to be retryable', () => {
    const report = buildReport(
      { kind: 'call.failed', message: 'x', retryable: null },
      { stamp: STAMP },
    );
    expect(toTemporalFailure(report)).toMatchObject({ nonRetryable: true });
    expect(toTemporalFailure(report)).not.toHaveProperty('nextRetryDelay');
  });

  it('gives back the draft that it was made from, and what went with it', () => {
    const parts = toTemporalFailure(limited, {
      given: ['kind', 'message', 'provider'],
      rest: { usage: { inputTokens: 3 } },
    });
    const arrived = arrivedReport(crossed(parts));
    expect(arrived?.draft).toEqual({
      id: 'err_1',
      kind: 'provider.rate_limited',
      message: 'Too many requests',
      provider: limited.provider,
    });
    expect(arrived?.rest).toEqual({ usage: { inputTokens: 3 } });
  });

  it('of a newer version keeps every field that is known, and those that are not', () => {
    const parts = toTemporalFailure(limited);
    const [parcel] = parts.details as [{ report: object }];
    const newer = {
      ...parcel,
      v: 9,
      report: { ...parcel.report, v: 9, severity: 'high' },
      more: 1,
    };
    const report = fromTemporalFailure(crossed({ ...parts, details: [newer] }));
    const { details, ...rest } = report;
    const { details: _details, ...expected } = limited;
    expect(rest).toEqual(expected);
    expect(details).toEqual({ window: 'minute', newer: { severity: 'high' } });
  });

  it('of an older version keeps every field that it has', () => {
    const old = { kind: 'provider.rate_limited', message: 'Too many', provider: { status: 429 } };
    const parts = { details: [{ tag: 'errand.report', v: 0, report: old }] };
    expect(fromTemporalFailure(crossed(parts))).toMatchObject({
      ...old,
      category: 'transient',
      retryable: true,
    });
  });

  it('with a malformed field loses that field only', () => {
    const parts = toTemporalFailure(limited);
    const [parcel] = parts.details as [{ report: object }];
    const bent = { ...parcel, report: { ...parcel.report, category: 7, provider: 'openai' } };
    expect(fromTemporalFailure(crossed({ ...parts, details: [bent] }))).toMatchObject({
      kind: 'provider.rate_limited',
      category: 'transient',
      message: 'Too many requests',
      details: { window: 'minute' },
    });
  });

  it('is known by its tag, not by its shape', () => {
    const lookalike = { kind: 'provider.auth', message: 'Hello', category: 'transient', v: 1 };
    expect(arrivedReport(crossed({ details: [lookalike] }))).toBeUndefined();
  });

  it('stays within its size', () => {
    const huge = buildReport(
      { kind: 'call.failed', message: 'x'.repeat(1e6), details: { text: 'y'.repeat(1e6) } },
      { stamp: STAMP },
    );
    expect(JSON.stringify(toTemporalFailure(huge)).length).toBeLessThan(100_000);
  });
});

describe('a failure without a report', () => {
  const timeout = (timeoutType: string): Error =>
    Object.assign(new Error('activity Heartbeat timeout'), { name: 'TimeoutFailure', timeoutType });
  const inActivity = (cause: Error): Error =>
    Object.assign(new Error('Activity task timed out', { cause }), {
      name: 'ActivityFailure',
      retryState: 'TIMEOUT',
    });

  it.each([
    ['HEARTBEAT', true],
    ['START_TO_CLOSE', true],
    ['SCHEDULE_TO_START', false],
  ])('%s leaves it in doubt what happened: %s', (type, lost) => {
    expect(isLost(inActivity(timeout(type)))).toBe(lost);
  });

  it('that was cancelled before it began is known', () => {
    const cancelled = Object.assign(new Error('x'), { name: 'CancelledFailure' });
    expect(isTakenBack(inActivity(cancelled))).toBe(true);
    expect(isLost(inActivity(cancelled))).toBe(false);
  });

  it.each([
    [
      'an exception of somebody else',
      Object.assign(new Error('boom'), { name: 'ApplicationFailure', type: 'Error' }),
    ],
    ['a failure of the server', Object.assign(new Error('too large'), { name: 'ServerFailure' })],
    ['a string', 'boom'],
    ['nothing', undefined],
    ['null', null],
  ])('becomes one: %s', (_, thrown) => {
    const report = fromTemporalFailure(thrown);
    expect(report.kind).toBe('internal.unexpected');
    expect(report.retryable).toBe(false);
  });

  it('keeps Temporal’s own details', () => {
    const report = fromTemporalFailure(inActivity(timeout('HEARTBEAT')));
    expect(report.details).toMatchObject({
      temporal: [
        { failure: 'ActivityFailure', retryState: 'TIMEOUT', message: 'Activity task timed out' },
        { failure: 'TimeoutFailure', timeoutType: 'HEARTBEAT' },
      ],
    });
  });
});

describe('a draft that is stored beside a result', () => {
  it('is JSON without secrets, and leaves open what it left open', () => {
    const cyclic: Record<string, unknown> = { token: 'tok-4711-value' };
    cyclic['self'] = cyclic;
    const draft = { kind: 'order.missing', message: 'It said tok-4711-value', details: cyclic };
    const stored = storableDraft(draft, createRedactor(['tok-4711-value']));
    expect(JSON.stringify(stored)).not.toContain('4711');
    expect(Object.keys(stored).filter((key) => key !== 'cut')).toEqual([
      'kind',
      'message',
      'details',
    ]);
  });
});
