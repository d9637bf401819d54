import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildReport } from '../../errors/report/build.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { jittered } from './jitter.ts';
import { INLINE_CEILING_MS } from '../../workflow/plan/plan-limits.ts';
import { defaultSchedule } from '../../workflow/plan/attempt-bound.ts';
import { catalogRow } from '../../errors/catalog/catalog.ts';
import { RULES } from '../../providers/classify/table.ts';
import { decideRetry } from './retry.ts';

const STAMP = { id: 'err_x', at: '2026-03-01T12:00:00.000Z' };

function failure(kind: string, retryAfterMs?: number): ErrorReport {
  const provider = retryAfterMs === undefined ? {} : { retryAfterMs };
  return buildReport({ kind, message: 'x', provider }, { stamp: STAMP });
}

function decide(report: ErrorReport, number: number): ReturnType<typeof decideRetry> {
  return decideRetry(report, defaultSchedule(report), { words: ['run', 'node'], number });
}

describe('the default schedules', () => {
  it('give a rate limit six attempts, spread by a fifth around 5, 10, 20, 40 and 80 seconds', () => {
    const waits = [1, 2, 3, 4, 5].map((number) => decide(failure('provider.rate_limited'), number));
    for (const [index, decision] of waits.entries()) {
      const base = 5000 * 2 ** index;
      expect(decision).toMatchObject({ action: 'wait', from: 'schedule' });
      const { delayMs } = decision as { delayMs: number };
      expect(delayMs).toBeGreaterThanOrEqual(base * 0.8);
      expect(delayMs).toBeLessThanOrEqual(base * 1.2);
    }
    expect(decide(failure('provider.rate_limited'), 6)).toEqual({
      action: 'stop',
      because: 'attempts_spent',
    });
  });

  it.each([
    'provider.overloaded',
    'provider.server_error',
    'provider.timeout',
    'provider.network',
    'provider.conflict',
  ])('give %s three attempts', (kind) => {
    const actions = [1, 2, 3].map((number) => decide(failure(kind), number).action);
    expect(actions).toEqual(['wait', 'wait', 'stop']);
  });

  it('exist for whatever a rule of the classifier says may pass', () => {
    const without = RULES.filter(({ means: { kind, category } }) => {
      const own = category ?? catalogRow(kind)?.category;
      return own === 'transient' && defaultSchedule({ kind, category: own }) === null;
    });
    // tools declare their own retries
    expect(without.filter(({ means }) => !/^(?:tool|mcp)\./.test(means.kind))).toEqual([]);
  });

  it('give a reply that its provider could not read three attempts, and what no rule knows one', () => {
    const passing = buildReport(
      { kind: 'provider.unknown', message: 'x', category: 'transient', retryable: true },
      { stamp: STAMP },
    );
    const actions = [1, 2, 3].map((number) => decide(passing, number).action);
    expect(actions).toEqual(['wait', 'wait', 'stop']);
    expect(decide(failure('provider.unknown'), 1).action).toBe('stop');
  });

  it('never retry what waiting cannot fix, whatever the hint', () => {
    const decision = decide(failure('provider.quota_exhausted', 1000), 1);
    expect(decision).toEqual({ action: 'stop', because: 'not_retryable' });
  });
});

describe('a server’s hint', () => {
  it('is used to the millisecond, however long it is', () => {
    fc.assert(
      fc.property(fc.nat(10 * INLINE_CEILING_MS), (hintMs) => {
        const decision = decide(failure('provider.rate_limited', hintMs), 1);
        expect(decision).toEqual({ action: 'wait', delayMs: hintMs, from: 'hint' });
      }),
    );
  });
});

describe('jitter', () => {
  it('is the same for the same words and stays within its bounds', () => {
    fc.assert(
      fc.property(
        fc.nat(1e6),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.string(),
        (wait, jitter, word) => {
          const delay = jittered(wait, jitter, word);
          expect(delay).toBe(jittered(wait, jitter, word));
          expect(Math.abs(delay - wait)).toBeLessThanOrEqual(wait * jitter + 1);
        },
      ),
    );
  });

  it('does not retry a thousand runs in step', () => {
    const delays = Array.from({ length: 1000 }, (_, run) => jittered(10_000, 0.2, `run-${run}`, 1));
    expect(new Set(delays).size).toBeGreaterThan(800);
    const mean = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
    expect(Math.abs(mean - 10_000)).toBeLessThan(150);
  });
});
