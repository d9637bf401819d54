/** What keeps a workflow in code from running, as one report that says where each problem is. */
import type { ReportDraft } from '../errors/report.ts';
import { codePath } from './code-path.ts';
import { refusalDraft, type Diagnostic } from './diagnostics.ts';
import { IN_CODE } from './model.ts';

/** A person reads the first ones; a program has them in the details. */
const MAX_TOLD = 8;
const MAX_REPORTED = 20;

export function codeRefusal(diagnostics: readonly Diagnostic[]): ReportDraft {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const draft = refusalDraft(errors);
  const [first] = errors;
  if (draft === undefined || first === undefined)
    return { kind: 'validation.workflow', message: 'The workflow is not valid' };
  const told = errors.slice(0, MAX_TOLD).map((each) => `${placeOf(each, first)}: ${each.message}`);
  const rest = errors.length - told.length;
  const { code, expected, suggestion } = first;
  return {
    ...draft,
    message: [...told, ...(rest === 0 ? [] : [`and ${rest} more`])].join('; '),
    details: {
      code,
      path: codePath(first.pointer),
      ...(expected === undefined ? {} : { expected }),
      ...(suggestion === undefined ? {} : { suggestion }),
      count: errors.length,
      diagnostics: errors.slice(0, MAX_REPORTED).map(inCode),
    },
  };
}

/** A diagnostic as a program sees it: there is no text that it could show. */
function inCode({ excerpt: _excerpt, severity: _severity, ...rest }: Diagnostic) {
  return { ...rest, path: codePath(rest.pointer) };
}

/** The workflow is named where it is not the one that the first problem is in. */
function placeOf({ file, pointer }: Diagnostic, first: Diagnostic): string {
  const path = codePath(pointer) || 'the workflow';
  return file === first.file ? path : `${file.replace(IN_CODE, '')} ${path}`;
}
