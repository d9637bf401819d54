/** A report as one line, for logs and lists. */
import { oneLine, singleLine } from '../support/printable.ts';
import { forPerson } from '../report/audiences.ts';
import type { ErrorReport } from '../report/report.ts';
import { locationWords, retryableWords } from './report-words.ts';

/**
 * A report as one line, for logs and lists.
 * @example
 * ```ts
 * import { failure, renderLine } from 'errand';
 *
 * const line = renderLine(failure('order.missing', 'No such order').report);
 * console.log(line.split(' → ')[0]); // order.missing [domain, retryable: no]: No such order
 * ```
 */
export function renderLine(report: ErrorReport): string {
  const shown = forPerson(report);
  const location = locationWords(shown.location);
  const where = location === undefined ? '' : ` at ${location}`;
  const line = [
    `${shown.kind} [${shown.category}, retryable: ${retryableWords(shown)}]${where}:`,
    singleLine(shown.message),
    `→ ${shown.action.kind}: ${singleLine(shown.action.detail)}`,
    `(${shown.id})`,
  ].join(' ');
  return oneLine(line);
}
