import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  askBreaker,
  breakerFailed,
  breakerSucceeded,
  CLOSED,
  BREAKER_OPEN_MS,
  type BreakerState,
} from './breaker.ts';

const BROKEN = 'provider.server_error';

function after(failures: number, kind = BROKEN): BreakerState {
  return Array.from({ length: failures }).reduce<BreakerState>(
    (state) => breakerFailed(state, kind, 0),
    CLOSED,
  );
}

describe('a breaker', () => {
  it('opens at the fifth consecutive failure of the target itself', () => {
    expect(after(4).state).toBe('closed');
    expect(after(5)).toEqual({ state: 'open', untilMs: BREAKER_OPEN_MS });
  });

  it.each([
    'provider.rate_limited',
    'provider.quota_exhausted',
    'provider.auth',
    'provider.invalid_request',
  ])('takes no notice of %s', (kind) => {
    expect(after(50, kind)).toEqual(CLOSED);
  });

  it('forgets failures after a success', () => {
    expect(breakerFailed(breakerSucceeded(after(4)), BROKEN, 0)).toEqual({
      state: 'closed',
      failures: 1,
      latestMs: 0,
    });
  });

  it('lets one probe through after its pause, and no other call until the probe ends', () => {
    const open = after(5);
    expect(askBreaker(open, BREAKER_OPEN_MS - 1)).toEqual({
      allowed: false,
      untilMs: BREAKER_OPEN_MS,
    });
    const probe = askBreaker(open, BREAKER_OPEN_MS);
    expect(probe).toMatchObject({ allowed: true, next: { state: 'half_open', isProbing: true } });
    const { next } = probe as { next: BreakerState };
    expect(askBreaker(next, BREAKER_OPEN_MS).allowed).toBe(false);
    expect(breakerFailed(next, BROKEN, 70_000)).toEqual({
      state: 'open',
      untilMs: 70_000 + BREAKER_OPEN_MS,
    });
  });

  it('closes after two successes', () => {
    const { next } = askBreaker(after(5), BREAKER_OPEN_MS) as { next: BreakerState };
    const once = breakerSucceeded(next);
    expect(once).toEqual({ state: 'half_open', successes: 1, isProbing: false });
    expect(breakerSucceeded(once)).toEqual(CLOSED);
  });

  it('never stays open for ever: a call is let through within one pause of any history', () => {
    const step = fc.constantFrom('ok', BROKEN, 'provider.rate_limited');
    fc.assert(
      fc.property(fc.array(fc.tuple(step, fc.nat(100_000)), { maxLength: 60 }), (history) => {
        let state: BreakerState = CLOSED;
        let now = 0;
        for (const [outcome, passed] of history) {
          now += passed;
          const asked = askBreaker(state, now);
          if (!asked.allowed) continue;
          state =
            outcome === 'ok'
              ? breakerSucceeded(asked.next)
              : breakerFailed(asked.next, outcome, now);
        }
        return askBreaker(state, now + BREAKER_OPEN_MS).allowed;
      }),
    );
  });
});
