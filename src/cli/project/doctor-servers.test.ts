import { expect, test } from 'vitest';
import type { EndpointState, KeptSchedule } from '../../engine/carry-on.ts';
import { serverFindings } from './doctor-servers.ts';

const SCHEDULE: KeptSchedule = {
  workflow: 'report',
  cron: '0 6 * * *',
  timezone: 'UTC',
  overlap: 'skip',
  next: '2026-11-18T06:00:00.000Z',
};

const WEBHOOK: EndpointState = {
  id: '1',
  name: 'https://example.com (abcdef01)',
  since: '2026-11-17T06:00:00.000Z',
  seen: '2026-11-17T06:00:00.000Z',
  waiting: 0,
  failed: 0,
};

const AT = '2026-11-17T06:00:00.000Z';

test.each<[string, Partial<KeptSchedule>, string, string]>([
  ['at first', {}, 'ok', '0 6 * * * (UTC); next 2026-11-18T06:00:00.000Z'],
  [
    'after a run',
    { last: { at: AT, outcome: 'started', run: 'r' } },
    'ok',
    `0 6 * * * (UTC); last ${AT}, run r; next 2026-11-18T06:00:00.000Z`,
  ],
  [
    'with a queue',
    { last: { at: AT, outcome: 'started', run: 'r' }, queued: 2, next: null },
    'ok',
    `0 6 * * * (UTC); last ${AT}, run r; 2 times queued; never again`,
  ],
  [
    'after a skip',
    { last: { at: AT, outcome: 'skipped' } },
    'ok',
    `0 6 * * * (UTC); last ${AT}, skipped because the run before was not over; next 2026-11-18T06:00:00.000Z`,
  ],
  [
    'after a refusal',
    { last: { at: AT, outcome: 'refused', error: { kind: 'validation.input', message: 'No' } } },
    'warning',
    `0 6 * * * (UTC); last ${AT}, refused; next 2026-11-18T06:00:00.000Z`,
  ],
  [
    'whose clock was ahead',
    { last: { at: AT, outcome: 'started', run: 'r' }, isAhead: true },
    'warning',
    `0 6 * * * (UTC); last ${AT}, run r, which is later than the clock of the store; next 2026-11-18T06:00:00.000Z`,
  ],
  [
    'without a server',
    { missed: AT },
    'warning',
    `0 6 * * * (UTC); ${AT} came and no server served it`,
  ],
])('a schedule %s', (_, change, state, detail) => {
  const schedules = [{ ...SCHEDULE, ...change }];
  expect(serverFindings({ schedules, endpoints: [] })).toMatchObject([
    { check: 'schedule report', state, detail },
  ]);
});

test.each<[Partial<EndpointState>, string, string]>([
  [{}, 'ok', 'nothing waits'],
  [{ waiting: 3 }, 'ok', '3 waiting'],
  [
    { waiting: 3, failed: 1, problem: 'the receiver answered 500' },
    'warning',
    '1 message given up: the receiver answered 500',
  ],
])('a webhook with %j', (change, state, detail) => {
  const endpoints = [{ ...WEBHOOK, ...change }];
  expect(serverFindings({ schedules: [], endpoints })).toMatchObject([
    { check: 'webhook https://example.com (abcdef01)', state, detail },
  ]);
});
