import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildReport } from '../../errors/report/build.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { BACKOFFS, type RetryMove } from '../../workflow/plan/route-plan.ts';
import { backoffMs } from './backoff.ts';

const MOVE: RetryMove = {
  type: 'retry',
  max: 100,
  backoff: 'exponential',
  initialMs: 1000,
  maxMs: 60_000,
  jitter: 0,
};

function failure(retryAfterMs?: number): ErrorReport {
  const provider = retryAfterMs === undefined ? {} : { retryAfterMs };
  return buildReport(
    { kind: 'provider.rate_limited', message: 'x', provider },
    { stamp: { id: 'e', at: '2026-03-01T12:00:00.000Z' } },
  );
}

function waits(move: Partial<RetryMove>): number[] {
  return [1, 2, 3, 4].map((rerun) => backoffMs({ ...MOVE, ...move }, rerun, failure(), ['r']));
}

describe('the waits of a retry route', () => {
  it.each([
    [{ backoff: 'none' as const }, [0, 0, 0, 0]],
    [{ backoff: 'fixed' as const }, [1000, 1000, 1000, 1000]],
    [{ backoff: 'linear' as const }, [1000, 2000, 3000, 4000]],
    [{ backoff: 'exponential' as const }, [1000, 2000, 4000, 8000]],
    [{ backoff: 'exponential' as const, maxMs: 3000 }, [1000, 2000, 3000, 3000]],
  ])('are for %j %j', (move, expected) => {
    expect(waits(move)).toEqual(expected);
  });

  it('are never shorter than the server asks and never longer than their cap and jitter, but for a hint', () => {
    const move = fc.record({
      backoff: fc.constantFrom(...BACKOFFS),
      initialMs: fc.nat(100_000),
      maxMs: fc.nat(100_000),
      jitter: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(
        move,
        fc.integer({ min: 1, max: 100 }),
        fc.option(fc.nat(1e7), { nil: undefined }),
        (some, rerun, hint) => {
          const delay = backoffMs({ ...MOVE, ...some }, rerun, failure(hint), ['run', 'node']);
          const cap = some.maxMs * (1 + some.jitter) + 1;
          return delay >= (hint ?? 0) && (delay <= cap || delay === hint);
        },
      ),
    );
  });
});
