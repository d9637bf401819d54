import { describe, expect, it } from 'vitest';
import { buildReport } from '../errors/report/build.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import { auditTrail } from './audit-trail.ts';
import type { EventBody, RunEvent } from '../machine/state/events.ts';

const AT = '2026-03-01T00:00:00.000Z';

function log(...bodies: readonly EventBody[]): readonly RunEvent[] {
  return bodies.map((body, index) => ({ seq: index + 1, run: 'r', at: AT, ...body }));
}

const A = { node: 'a', path: 'a' };
const error = buildReport(
  { kind: 'order.late', message: 'Too late', location: { node: 'a', path: 'a' } },
  { stamp: { id: 'err_1', at: AT } },
);

describe('the audit trail of a run', () => {
  it('distinguishes an approval from an answer by the options of the gate', () => {
    const events = log(
      { type: 'gate:opened', ...A, gate: 'a/pay#1.1', prompt: '?', options: ['approve', 'deny'] },
      { type: 'gate:answered', ...A, gate: 'a/pay#1.1', value: 'approve', by: 'cli' },
      { type: 'gate:opened', ...A, gate: 'a/pay#1.2', prompt: '?', options: ['approve', 'deny'] },
      { type: 'gate:answered', ...A, gate: 'a/pay#1.2', value: 'deny', by: 'prepared' },
      { type: 'gate:opened', ...A, gate: 'a', prompt: '?', options: ['yes', 'no'] },
      { type: 'gate:answered', ...A, gate: 'a', value: { selected: 'yes' }, by: 'anna' },
      { type: 'gate:expired', ...A, gate: 'a' },
    );
    expect(auditTrail(events)).toEqual([
      { at: AT, who: 'cli', what: 'approve', ...A, detail: 'a/pay#1.1: approve' },
      { at: AT, who: 'prepared', what: 'deny', ...A, detail: 'a/pay#1.2: deny' },
      { at: AT, who: 'anna', what: 'answer', ...A, detail: '{"selected":"yes"}' },
      { at: AT, who: 'errand', what: 'answer', ...A, detail: 'nobody answered in time' },
    ]);
  });

  it('records who resumed a run, with what, and what had changed', () => {
    const events = log(
      { type: 'run:resumed', by: 'cli:anna' },
      { type: 'gate:answered', ...A, gate: 'a', value: 'yes', by: 'cli:anna' },
      { type: 'run:resumed', by: 'cli:anna', now: true, input: { limit: 5 } },
      { type: 'gate:answered', ...A, gate: 'a', value: 'yes', by: 'prepared' },
      { type: 'run:resumed', by: 'cli:anna', from: 'classify' },
      { type: 'run:resumed', by: 'library' },
      { type: 'run:resumed', by: 'batch', drift: { kept: ['a'], changed: ['b'] } },
      { type: 'run:cancelled', by: 'cli:bert' },
    );
    expect(auditTrail(events)).toEqual([
      // the resume that brings an answer has no entry of its own
      { at: AT, who: 'cli:anna', what: 'answer', ...A, detail: 'yes' },
      {
        at: AT,
        who: 'cli:anna',
        what: 'resume',
        detail: 'resumed the run, with another limit, cutting waits short',
      },
      { at: AT, who: 'prepared', what: 'answer', ...A, detail: 'yes' },
      {
        at: AT,
        who: 'cli:anna',
        what: 'retry',
        path: 'classify',
        detail: 'ran it and what follows it again',
      },
      { at: AT, who: 'library', what: 'resume', detail: 'resumed the run' },
      { at: AT, who: 'batch', what: 'resume', detail: 'resumed the run' },
      {
        at: AT,
        who: 'batch',
        what: 'drift',
        detail: 'kept the results of a, which have changed; adopted the changes of b',
      },
      { at: AT, who: 'cli:bert', what: 'cancel', detail: 'ended the run' },
    ]);
  });

  it('records what Errand did by itself', () => {
    const events = log(
      { type: 'node:retrying', ...A, attempt: 1, delayMs: 1500, error },
      { type: 'error:suppressed', error, reason: 'kept what there was' },
      { type: 'node:completed', ...A, output: 1 },
    );
    expect(auditTrail(events)).toEqual([
      { at: AT, who: 'errand', what: 'retry', ...A, detail: 're-run 1, 1.5 s after order.late' },
      {
        at: AT,
        who: 'errand',
        what: 'suppress',
        ...A,
        detail: 'order.late: Too late (kept what there was)',
      },
    ]);
  });

  it('records denied calls, and every further attempt of a call', () => {
    const effect = { key: 'k', type: 'tool' as const, target: 'pay' };
    const refusal = (kind: string, by: string): ErrorReport =>
      buildReport(
        { kind, message: 'No', details: { by }, location: { node: 'a', path: 'a' } },
        { stamp: { id: 'err_2', at: AT } },
      );
    const events = log(
      { type: 'effect:requested', ...A, effect, attempt: 0 },
      { type: 'effect:failed', ...A, effect, error },
      { type: 'effect:requested', ...A, effect, attempt: 1 },
      { type: 'effect:failed', ...A, effect, error },
      { type: 'run:resumed', by: 'ann' },
      { type: 'effect:requested', ...A, effect, attempt: 2 },
      { type: 'effect:failed', ...A, effect, error: refusal('tool.denied', 'policy') },
      { type: 'effect:failed', ...A, effect, error: refusal('tool.denied', 'person') },
      { type: 'effect:failed', ...A, effect, error },
      { type: 'node:failed', ...A, error: refusal('tool.denied', 'policy') },
      { type: 'node:failed', ...A, error: refusal('agent.permission_denied', 'policy') },
    );
    expect(auditTrail(events)).toEqual([
      { at: AT, who: 'errand', what: 'retry', ...A, detail: 'attempt 2 of the same call, to pay' },
      { at: AT, who: 'ann', what: 'resume', detail: 'resumed the run' },
      { at: AT, who: 'errand', what: 'deny', ...A, detail: 'pay: tool.denied: No' },
      { at: AT, who: 'errand', what: 'deny', ...A, detail: 'agent.permission_denied: No' },
    ]);
  });
});
