/** The moves that pages put first, and those that a row of the list has. */
import { renderToString } from 'preact-render-to-string';
import { describe, expect, it } from 'vitest';
import type { OpenQuestion } from '../../src/history/open-questions.ts';
import { GateAnswer } from '../form/gate-answer.tsx';
import { resumption, RowMoves, type RunRowData } from './run-row.tsx';

const ERROR = { kind: 'provider.quota_exhausted', message: 'The quota is used up.' };

function row(waiting: NonNullable<RunRowData['waiting']>['all'][number]): RunRowData {
  return {
    run: 'r',
    workflow: 'w',
    status: 'paused',
    startedAt: '2026-01-01T00:00:00Z',
    costUsdMicros: 0,
    attention: 'waiting_person',
    waiting: { ...waiting, all: [waiting] },
  };
}

function buttons(data: RunRowData, obstacle?: string): readonly string[] {
  const nothing = (): void => undefined;
  const html = renderToString(
    <RowMoves row={data} obstacle={obstacle} isBusy={false} cancel={nothing} resume={nothing} />,
  );
  return [...html.matchAll(/>(\w+)<\/button>/g)].map(([, name = '']) => name);
}

describe('a row of a run that is paused', () => {
  it.each(['gate', 'budget', 'outcome'] as const)('leads to the question: %s', (reason) => {
    expect(buttons(row({ reason, gate: 'g' }))).toEqual(['Answer', 'Cancel']);
  });

  it('resumes what a failure has parked, whether for a time or for a person', () => {
    const forTime = row({ reason: 'time', error: ERROR });
    const forPerson = row({ reason: 'person', error: ERROR });
    for (const each of [forTime, forPerson]) expect(buttons(each)).toEqual(['Resume', 'Cancel']);
    expect(resumption(forTime)).toEqual({ now: true });
    expect(resumption(forPerson)).toEqual({});
  });

  it('offers no resumption that the server would refuse', () => {
    const parked = row({ reason: 'person', error: ERROR });
    expect(buttons(parked, 'not served here')).toEqual(['Cancel']);
  });

  it('cuts no wait short that its file asks for', () => {
    expect(buttons(row({ reason: 'time' }))).toEqual(['Cancel']);
  });
});

describe('the answers to a question', () => {
  function primary(outcome: 'failed' | 'unknown'): readonly string[] {
    // the other fields of the report are not read
    const error = { outcome } as OpenQuestion['error'];
    const question = { gate: 'g', prompt: '', options: ['repeat', 'abort'], error } as OpenQuestion;
    const html = renderToString(
      <GateAnswer
        question={question}
        id="g"
        isBusy={false}
        answer={() => Promise.resolve(undefined)}
        typing={() => undefined}
      />,
    );
    return [...html.matchAll(/class="primary"[^>]*>(\w+)</g)].map(([, name = '']) => name);
  }

  it('put the first option first, but none where it is unknown whether the work was done', () => {
    expect(primary('failed')).toEqual(['repeat']);
    expect(primary('unknown')).toEqual([]);
  });
});
