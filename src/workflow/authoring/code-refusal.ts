/** Refusal of a workflow in code: one report with the location of each problem. */
import type { ReportDraft } from '../../errors/report/report.ts';
import { codePath } from './code-path.ts';
import { refusalDraft, type Diagnostic } from '../diagnostics/diagnostics.ts';
import { IN_CODE } from '../plan/plan.ts';

/** The message lists the first problems; the details contain more. */
const MAX_IN_MESSAGE = 8;
const MAX_REPORTED = 20;

export function codeRefusal(diagnostics: readonly Diagnostic[]): ReportDraft {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const draft = refusalDraft(errors);
  const [first] = errors;
  if (draft === undefined || first === undefined)
    return { kind: 'validation.workflow', message: 'The workflow is not valid' };
  const messages = errors
    .slice(0, MAX_IN_MESSAGE)
    .map((each) => `${locationOf(each, first)}: ${each.message}`);
  const rest = errors.length - messages.length;
  const { code, expected, suggestion } = first;
  return {
    ...draft,
    message: [...messages, ...(rest === 0 ? [] : [`and ${rest} more`])].join('; '),
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

/** Code has no source text, so there is no excerpt. */
function inCode({ excerpt: _excerpt, severity: _severity, ...rest }: Diagnostic) {
  return { ...rest, path: codePath(rest.pointer) };
}

/** Names the workflow where it differs from that of the first problem. */
function locationOf({ file, pointer }: Diagnostic, first: Diagnostic): string {
  const path = codePath(pointer) || 'the workflow';
  return file === first.file ? path : `${file.replace(IN_CODE, '')} ${path}`;
}
