/** Open failures of a run: the one that it ended with, or those that it waits with. Handled ones are in their steps. */
import type { PersonReport } from '../../../src/errors/report/audiences.ts';
import type { RunPageData } from './page-data.ts';

export function openFailures({
  view,
  status,
  questions,
  error = view?.error,
}: RunPageData): readonly PersonReport[] {
  if (error !== undefined && status === 'failed') return [error];
  if (status === 'completed' || status === 'cancelled') return [];
  const asked = questions.flatMap(({ error }) => error ?? []);
  const waiting = view?.steps
    .filter(({ status: each }) => each === 'waiting')
    .flatMap(({ error: own }) => own ?? []);
  return uniqueById([...asked, ...(waiting ?? [])]);
}

function uniqueById(reports: readonly PersonReport[]): readonly PersonReport[] {
  return [...new Map(reports.map((report) => [report.id, report])).values()];
}
