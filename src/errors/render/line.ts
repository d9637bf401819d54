/** One line for logs and lists. */
import { oneLine, singleLine } from '../printable.ts';
import { forPerson } from '../project.ts';
import type { ErrorReport } from '../report.ts';
import { locationWords, retryableWords } from './words.ts';

export function renderLine(report: ErrorReport): string {
  const shown = forPerson(report);
  const place = locationWords(shown.location);
  const where = place === undefined ? '' : ` at ${place}`;
  const line = [
    `${shown.kind} [${shown.category}, retryable: ${retryableWords(shown)}]${where}:`,
    singleLine(shown.message),
    `→ ${shown.action.kind}: ${singleLine(shown.action.detail)}`,
    `(${shown.id})`,
  ].join(' ');
  return oneLine(line);
}
