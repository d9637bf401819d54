import { expect, test } from 'vitest';
import type { ClaimOwner, SeenClaim } from '../../machine/ports/store-port.ts';
import { LEASE_MS } from './lease-keeper.ts';
import { isDueAfterLosses, lossesOf, DueRunBackoff } from './due-run-backoff.ts';

function lost(times: number, sinceRenewalMs: number): { readonly claim: SeenClaim } {
  const owner: ClaimOwner = {
    id: 'dead',
    host: 'here',
    pid: 1,
    processStartedAt: '',
    lostBefore: times - 1,
  };
  return { claim: { owner, epoch: 1, untilMs: 0, leftMs: LEASE_MS - sinceRenewalMs } };
}

/** Seconds that a run waits which so many processes in a row died with. */
const WAITS = { 1: 0, 2: 5, 3: 20, 4: 80, 5: 320, 6: 600, 20: 600 };

test.each(Object.entries(WAITS))('after %s lost processes a run waits %d s', (times, seconds) => {
  expect(lossesOf(lost(Number(times), 0))).toBe(Number(times));
  expect(isDueAfterLosses(lost(Number(times), seconds * 1000))).toBe(true);
  if (seconds > 0) expect(isDueAfterLosses(lost(Number(times), seconds * 1000 - 1))).toBe(false);
});

test('a run that was released has lost nobody', () => {
  expect(lossesOf({ claim: null })).toBe(0);
  expect(isDueAfterLosses({ claim: null })).toBe(true);
});

test('a run that is refused rests for a minute, then for two, and for an hour at most', () => {
  const backoff = new DueRunBackoff();
  const run = { run: 'r', dueMs: 5 };
  let nowMs = 0;
  expect(backoff.noteRefused(run, nowMs)).toBe(true);
  for (const minutes of [1, 2, 4, 8, 16, 32, 60, 60]) {
    expect(backoff.isHeldBack(run, nowMs + minutes * 60_000 - 1)).toBe(true);
    nowMs += minutes * 60_000;
    expect(backoff.isHeldBack(run, nowMs)).toBe(false);
    expect(backoff.noteRefused(run, nowMs)).toBe(false);
  }
});

test('a run that has got on does not rest, however often it is taken', () => {
  const backoff = new DueRunBackoff();
  for (let minute = 0; minute < 100; minute++) {
    backoff.noteTaken({ run: 'r', dueMs: minute * 60_000 }, minute * 60_000);
    expect(backoff.isHeldBack({ run: 'r' }, minute * 60_000)).toBe(false);
  }
});

test('a run that has not come back for a minute is forgotten', () => {
  const backoff = new DueRunBackoff();
  backoff.noteTaken({ run: 'r', dueMs: 0 }, 0);
  backoff.noteRefused({ run: 's', dueMs: 0 }, 0);
  backoff.keepOnly([], 59_999);
  expect(backoff.size).toBe(2);
  backoff.keepOnly([{ run: 's' }], 60_000);
  expect(backoff.size).toBe(1);
  backoff.keepOnly([], 119_999);
  expect(backoff.size).toBe(1);
  backoff.keepOnly([], 120_000);
  expect(backoff.size).toBe(0);
});
