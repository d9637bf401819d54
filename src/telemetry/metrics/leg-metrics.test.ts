import { expect, it } from 'vitest';
import { buildReport } from '../../errors/report/build.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { Attributes } from '../spans/span-sink.ts';
import { LegMetrics } from './leg-metrics.ts';
import { ProcessGauges } from './process-gauges.ts';

const START_MS = Date.parse('2026-11-17T08:00:00Z');

function report(kind: string): ErrorReport {
  const at = new Date(START_MS).toISOString();
  return buildReport({ kind, message: 'It failed' }, { stamp: { id: `err_${kind}`, at } });
}

/** Each event comes a second after the one before. */
function recorded(bodies: readonly object[]): readonly (readonly [string, number, Attributes])[] {
  const rows: (readonly [string, number, Attributes])[] = [];
  const metrics = new LegMetrics(
    (name, value, attributes) => rows.push([name, value, attributes]),
    new ProcessGauges(),
    'flow',
  );
  for (const [index, body] of bodies.entries()) {
    const at = new Date(START_MS + index * 1000).toISOString();
    // events of a test have the fields that metrics read
    metrics.note({ seq: index + 1, run: 'r1', at, ...body } as RunEvent);
  }
  return rows;
}

const CALL = {
  node: 'ask',
  path: 'each[7]/ask',
  effect: { key: 'k', type: 'model', target: 'openai/gpt-6' },
};

it('counts a failed call, what it cost, and the wait before it is made again', () => {
  const error = report('provider.overloaded');
  const rows = recorded([
    { type: 'effect:requested', ...CALL, attempt: 0 },
    { type: 'effect:failed', ...CALL, error, costUsdMicros: 120 },
    { type: 'effect:requested', ...CALL, attempt: 1 },
  ]);
  expect(rows).toEqual([
    [
      'failure',
      1,
      {
        'gen_ai.workflow.name': 'flow',
        'errand.node.name': 'ask',
        'error.type': 'provider.overloaded',
        'errand.error.category': 'transient',
      },
    ],
    [
      'failureCost',
      120,
      {
        'gen_ai.workflow.name': 'flow',
        'gen_ai.provider.name': 'openai',
        'gen_ai.request.model': 'gpt-6',
        'error.type': 'provider.overloaded',
      },
    ],
    ['retryWait', 1, { 'error.type': 'provider.overloaded' }],
  ]);
});

it('counts neither a call that a breaker kept back nor the wait for another model', () => {
  const error = report('breaker.open');
  const other = { ...CALL, effect: { ...CALL.effect, target: 'anthropic/claude' } };
  expect(
    recorded([
      { type: 'effect:failed', ...CALL, error, keptBack: 'breaker' },
      { type: 'effect:requested', ...other, attempt: 1 },
    ]),
  ).toEqual([]);
});

it('takes the time of each commit, with the kind of one that failed', () => {
  const rows: unknown[] = [];
  const record = (...row: readonly unknown[]): void => void rows.push(row);
  const metrics = new LegMetrics(record, new ProcessGauges(), 'flow');
  metrics.committed(0.25, 'sqlite', undefined);
  metrics.committed(30, 'sqlite', 'store.unavailable');
  expect(rows).toEqual([
    ['commitDuration', 0.25, { 'errand.store': 'sqlite' }],
    ['commitDuration', 30, { 'errand.store': 'sqlite', 'error.type': 'store.unavailable' }],
  ]);
});

it('counts a run that another process began as active, once', () => {
  const rows: unknown[] = [];
  const record = (...row: readonly unknown[]): void => void rows.push(row);
  const metrics = new LegMetrics(record, new ProcessGauges(), 'flow');
  metrics.reopen('r1', []);
  metrics.note({ seq: 1, run: 'r1', at: '', type: 'run:resumed', by: 'cli' });
  metrics.end();
  expect(rows).toEqual([
    ['runActive', 1, { 'gen_ai.workflow.name': 'flow' }],
    ['runActive', -1, { 'gen_ai.workflow.name': 'flow' }],
  ]);
});

it('counts a failed attempt with the move that followed', () => {
  const rows = recorded([
    { type: 'node:failed', node: 'ask', path: 'ask', error: report('order.missing') },
    {
      type: 'route:taken',
      node: 'ask',
      path: 'ask',
      move: 'retry',
      bucket: 'error',
      kind: 'order.missing',
    },
    {
      type: 'node:retrying',
      node: 'ask',
      path: 'ask',
      attempt: 1,
      delayMs: 2500,
      error: report('order.missing'),
    },
  ]);
  expect(rows.map(([name, value, { 'errand.route.move': move }]) => [name, value, move])).toEqual([
    ['failure', 1, 'retry'],
    ['retryWait', 2.5, undefined],
  ]);
});

it('follows breakers, suppressed failures and questions', () => {
  const gate = { node: 'ask', path: 'ask', gate: 'ask' };
  expect(
    recorded([
      { type: 'breaker:changed', target: 'openai', from: 'closed', to: 'open' },
      { type: 'breaker:changed', target: 'openai', from: 'open', to: 'half_open' },
      {
        type: 'error:suppressed',
        error: report('store.unavailable'),
        reason: 'the store came back',
      },
      {
        type: 'error:suppressed',
        error: report('provider.unsupported'),
        reason: 'x',
        isWarning: true,
      },
      { type: 'gate:opened', ...gate, prompt: '', options: [] },
      { type: 'gate:expired', ...gate },
    ]),
  ).toEqual([
    ['breakerOpen', 1, { 'errand.breaker.target': 'openai' }],
    ['breakerOpen', 0, { 'errand.breaker.target': 'openai' }],
    [
      'suppressed',
      1,
      { 'error.type': 'store.unavailable', 'errand.suppressed.reason': 'the store came back' },
    ],
    ['gateWait', 1, { 'gen_ai.workflow.name': 'flow', 'errand.gate.resolution': 'expired' }],
  ]);
});
