/** Every attempt of a failure, with the time that was waited before it. */
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import { forPerson } from '../../../src/errors/report/audiences.ts';
import { ErrandError } from '../../../src/errors/thrown/errand-error.ts';
import type { FailureHistory, FailureStep } from '../../../src/history/failure-history.ts';
import { AttemptTable } from './failure-story.tsx';

const { report } = new ErrandError({ kind: 'internal.script_error', message: 'It ended with 3' });
const at = '2026-01-01T00:00:00.000Z';

function failed(layer: 'effect' | 'node'): FailureStep {
  const { id, kind, message, outcome } = report;
  return { at, type: 'failed', layer, id, kind, message, outcome, target: 'sh' };
}

function waits(steps: readonly FailureStep[]): readonly string[] {
  const history: FailureHistory = {
    id: report.id,
    kind: report.kind,
    status: 'failed',
    startedAt: at,
    source: { type: 'script', target: 'sh' },
    layers: [],
    error: forPerson(report),
    steps,
  };
  const html = renderToString(
    <AttemptTable report={forPerson(report)} history={history} replies={[]} />,
  );
  return [...html.matchAll(/data-label="waited before">([^<]*)</g)].map(([, words = '']) => words);
}

describe('every attempt', () => {
  it('says how long a route that retries has waited before it', () => {
    const retry: FailureStep = { at, type: 'retrying', attempt: 1, delayMs: 549_000 };
    expect(waits([failed('effect'), failed('node'), retry, failed('effect')])).toEqual([
      '',
      '9 min 9 s',
    ]);
  });

  it('says how long the call has waited by its schedule', () => {
    const again: FailureStep = {
      at,
      type: 'asked_again',
      target: 'sh',
      attempt: 1,
      waitedMs: 2000,
      because: 'schedule',
    };
    expect(waits([failed('effect'), again, failed('effect'), failed('effect')])).toEqual([
      '',
      '2 s',
      '',
    ]);
  });
});
