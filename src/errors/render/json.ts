/** JSON for agents and scripts: the person's view of a report, in the field order of the contract. */
import { jsonText } from '../support/printable.ts';
import { forPerson } from '../report/audiences.ts';
import type { ErrorReport } from '../report/report.ts';

/**
 * A report as JSON for programs, in the form of `--format json`.
 * @example
 * ```ts
 * import { failure, renderJson } from 'errand';
 *
 * console.log(JSON.parse(renderJson(failure('order.missing', 'No order').report)).kind); // order.missing
 * ```
 */
export function renderJson(
  report: ErrorReport,
  options: { readonly indent?: number } = {},
): string {
  return jsonText(forPerson(report), options.indent);
}
