/** For agents and scripts: the person's projection, whole, in the field order of the contract. */
import { jsonText } from '../printable.ts';
import { forPerson } from '../project.ts';
import type { ErrorReport } from '../report.ts';

export function renderJson(
  report: ErrorReport,
  options: { readonly indent?: number } = {},
): string {
  return jsonText(forPerson(report), options.indent);
}
