/** What was tried before a failure stood: each attempt with its target and the wait before it. */
import { attemptWords, durationWords } from '../../errors/render/words.ts';
import type { ErrorReport } from '../../errors/report.ts';
import type { FailureLife } from '../../machine/failure-life.ts';

export function triesOf(error: ErrorReport, life: FailureLife | undefined): readonly string[] {
  const told = life === undefined ? [] : triesIn(life);
  // a node that failed by itself, once, says nothing that is not said already
  if (told.length === 1 && life?.source.type === 'node') return [];
  return told.length > 0 ? told : (error.attempts ?? []).map(attemptWords);
}

function triesIn({ steps }: FailureLife): readonly string[] {
  const tries: string[] = [];
  let told: string | undefined;
  let waited = '';
  for (const step of steps) {
    if (step.type === 'asked_again' && step.waitedMs > 0)
      waited = `, after waiting ${durationWords(step.waitedMs)}`;
    if (step.type === 'retrying' && step.delayMs > 0)
      waited = `, after waiting ${durationWords(step.delayMs)}`;
    // the same failure one layer further out was no other try
    if (step.type !== 'failed' || step.layer === 'run' || step.id === told) continue;
    if (step.layer === 'node' && told !== undefined && step.target === undefined && waited === '')
      continue;
    const target = step.target ?? step.path;
    const name = target === undefined ? '' : `${target}: `;
    tries.push(`${tries.length + 1}. ${name}${step.kind}${waited}`);
    told = step.id;
    waited = '';
  }
  return tries;
}
