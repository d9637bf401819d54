/** One line for logs and lists. */
import { singleLine } from '../printable.ts';
import { forPerson } from '../project.ts';
import type { ErrorReport } from '../report.ts';
import { locationWords, retryableWords } from './words.ts';

export function renderLine(report: ErrorReport): string {
  const shown = forPerson(report);
  const where = locationWords(shown.location);
  return [
    shown.kind,
    `[${shown.category}, retryable: ${retryableWords(shown)}]`,
    ...(where === undefined ? [] : [`at ${where}`]),
    singleLine(shown.message),
    `→ ${shown.action.kind}: ${singleLine(shown.action.detail)}`,
    `(${shown.id})`,
  ].join(' ');
}
