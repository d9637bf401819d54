/** For agents and scripts: the person's projection, whole, in the field order of the contract. */
import { forPerson } from '../project.ts';
import type { ErrorReport } from '../report.ts';

export function renderJson(
  report: ErrorReport,
  options: { readonly indent?: number } = {},
): string {
  return JSON.stringify(forPerson(report), null, options.indent);
}
