/** Lists the attempts before a failure, each with its target and the wait before it. */
import { attemptWords, durationWords } from '../../errors/render/report-words.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { FailureHistory } from '../../history/failure-history.ts';

export function attemptsOf(
  error: ErrorReport,
  history: FailureHistory | undefined,
): readonly string[] {
  const known = history === undefined ? [] : attemptsIn(history);
  // a node that failed by itself, once, adds nothing to the panel
  if (known.length === 1 && history?.source.type === 'node') return [];
  return known.length > 0 ? known : (error.attempts ?? []).map(attemptWords);
}

function attemptsIn({ steps }: FailureHistory): readonly string[] {
  const attempts: string[] = [];
  let shownId: string | undefined;
  let waited = '';
  for (const step of steps) {
    if (step.type === 'asked_again' && step.waitedMs > 0)
      waited = `, after waiting ${durationWords(step.waitedMs)}`;
    if (step.type === 'retrying' && step.delayMs > 0)
      waited = `, after waiting ${durationWords(step.delayMs)}`;
    // the same failure one layer further out is not another attempt
    if (step.type !== 'failed' || step.layer === 'run' || step.id === shownId) continue;
    if (
      step.layer === 'node' &&
      shownId !== undefined &&
      step.target === undefined &&
      waited === ''
    )
      continue;
    const target = step.target ?? step.path;
    const name = target === undefined ? '' : `${target}: `;
    attempts.push(`${attempts.length + 1}. ${name}${step.kind}${waited}`);
    shownId = step.id;
    waited = '';
  }
  return attempts;
}
