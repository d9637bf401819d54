import { expect, it } from 'vitest';
import { createRedactor } from '../../errors/redaction/redact.ts';
import { buildReport } from '../../errors/report/build.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { logLevel, RunLog, type LogLevel } from './run-log.ts';

const AT = '2026-11-17T08:00:00.000Z';
const SECRET = 'correct-horse-battery';

function report(id: string, cause?: ErrorReport): ErrorReport {
  const message = `The key ${SECRET} is wrong`;
  const draft = { kind: 'provider.auth', message, ...(cause === undefined ? {} : { cause }) };
  return buildReport(draft, { stamp: { id, at: AT } });
}

function linesOf(level: LogLevel, bodies: readonly object[]): readonly Record<string, unknown>[] {
  const lines: string[] = [];
  const redactor = createRedactor([SECRET]);
  const log = new RunLog(
    level,
    (text) => redactor.text(text),
    (line) => lines.push(line),
  );
  for (const [index, body] of bodies.entries())
    // events of a test have the fields that the log reads
    log.note({ seq: index + 1, run: 'r1', at: AT, ...body } as RunEvent);
  expect(lines.join('')).not.toContain(SECRET);
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

const first = report('err_1');
const EVENTS = [
  {
    type: 'run:started',
    workflow: 'flow',
    input: { key: SECRET },
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  },
  { type: 'node:started', node: 'a', path: 'a', attempt: 0 },
  {
    type: 'effect:failed',
    node: 'a',
    path: 'a',
    effect: { key: 'k', type: 'model', target: 'm' },
    error: first,
  },
  { type: 'node:failed', node: 'a', path: 'a', error: first },
  { type: 'node:failed', node: 'outer', path: 'outer', error: report('err_2', first) },
  {
    type: 'run:failed',
    error: { ...report('err_2', first), location: { node: 'outer', path: 'outer' } },
  },
];

it('writes one line for each failure, and one for the start and the end', () => {
  expect(
    linesOf('info', EVENTS).map(({ event, level, kind, node }) => [event, level, kind, node]),
  ).toEqual([
    ['run:started', 'info', undefined, undefined],
    ['effect:failed', 'warn', 'provider.auth', 'a'],
    ['run:failed', 'error', 'provider.auth', 'outer'],
  ]);
});

it('writes every event with its trace for a debug log', () => {
  const lines = linesOf('debug', EVENTS);
  expect(lines.map(({ event }) => event)).toEqual(EVENTS.map(({ type }) => type));
  expect(new Set(lines.map(({ trace_id: trace }) => trace))).toEqual(
    new Set(['0af7651916cd43dd8448eb211c80319c']),
  );
});

it.each([
  ['info', 'info'],
  [' DEBUG ', 'debug'],
  ['verbose', undefined],
  [undefined, undefined],
])('takes %j as the level %j', (written, level) => {
  expect(logLevel({ ERRAND_LOG: written })).toBe(level);
});
