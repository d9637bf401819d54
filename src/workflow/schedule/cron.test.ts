import { describe, expect, it } from 'vitest';
import { cronProblem, latestTick, nextTick } from './cron.ts';

function at(text: string): number {
  return Date.parse(text);
}

function iso(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}

/** All times from one moment up to another. */
function ticks(cron: string, timezone: string, from: string, to: string): (string | null)[] {
  const found: (string | null)[] = [];
  let next = nextTick({ cron, timezone }, at(from) - 1000);
  while (next !== null && next <= at(to)) {
    found.push(iso(next));
    next = nextTick({ cron, timezone }, next);
  }
  return found;
}

describe('the latest time', () => {
  const daily = { cron: '0 6 * * *', timezone: 'UTC' };

  it.each([
    ['2026-11-17T05:59:59.999Z', '2026-11-16T06:00:00.000Z'],
    ['2026-11-17T06:00:00.000Z', '2026-11-17T06:00:00.000Z'],
    ['2026-11-17T06:00:00.001Z', '2026-11-17T06:00:00.000Z'],
    ['2026-11-17T23:00:00.000Z', '2026-11-17T06:00:00.000Z'],
  ])('up to %s is %s', (until, expected) => {
    expect(iso(latestTick(daily, at(until)))).toBe(expected);
  });

  it('agrees with the next one, whatever the expression', () => {
    for (const cron of ['*/7 * * * *', '0 */5 * * *', '30 2 * * *', '0 0 1 * *', '15 10 * * 1-5'])
      for (const timezone of ['UTC', 'Europe/Berlin', 'America/St_Johns', 'Asia/Kolkata']) {
        let next = nextTick({ cron, timezone }, at('2026-03-27T00:00:00Z'));
        for (let n = 0; n < 60 && next !== null; n++) {
          expect(iso(latestTick({ cron, timezone }, next)), `${cron} ${timezone}`).toBe(iso(next));
          const after = nextTick({ cron, timezone }, next);
          if (after !== null)
            expect(iso(latestTick({ cron, timezone }, after - 1))).toBe(iso(next));
          next = after;
        }
      }
  });
});

describe('when the clock changes', () => {
  it('a time that is skipped comes when the clock has jumped, once', () => {
    expect(
      ticks('30 2 * * *', 'Europe/Berlin', '2026-03-28T00:00:00Z', '2026-03-31T00:00:00Z'),
    ).toEqual(['2026-03-28T01:30:00.000Z', '2026-03-29T01:00:00.000Z', '2026-03-30T00:30:00.000Z']);
  });

  it('a time that comes twice counts once', () => {
    expect(
      ticks('30 2 * * *', 'Europe/Berlin', '2026-10-24T00:00:00Z', '2026-10-26T12:00:00Z'),
    ).toEqual(['2026-10-24T00:30:00.000Z', '2026-10-25T00:30:00.000Z', '2026-10-26T01:30:00.000Z']);
  });

  it('intervals go on in real time', () => {
    const found = ticks(
      '*/30 * * * *',
      'Europe/Berlin',
      '2026-10-25T00:00:00Z',
      '2026-10-25T03:00:00Z',
    );
    expect(found).toHaveLength(7);
    expect(new Set(found).size).toBe(7);
  });
});

describe('what cannot be used', () => {
  it.each([
    ['0 6 * * *', 'UTC', undefined],
    ['@daily', 'Europe/Berlin', undefined],
    ['0 0 29 2 *', 'UTC', undefined],
    ['0 0 L * *', 'UTC', undefined],
    ['0 6 * * MON#2', 'UTC', undefined],
    ['0 0 30 2 *', 'UTC', 'never'],
    ['* * * *', 'UTC', 'cron'],
    ['0 0 6 * * *', 'UTC', 'cron'],
    ['0 25 * * *', 'UTC', 'cron'],
    ['every day', 'UTC', 'cron'],
    ['? 6 * * *', 'UTC', 'cron'],
    ['2026-11-17T06:00:00', 'UTC', 'cron'],
    ['', 'UTC', 'cron'],
    ['0 6 * * *', 'Mars/Olympus', 'timezone'],
    ['0 6 * * *', '', 'timezone'],
  ])('%j in %j: %s', (cron, timezone, problem) => {
    expect(cronProblem({ cron, timezone })).toBe(problem);
  });
});
