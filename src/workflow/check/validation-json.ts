/** Validation as JSON: what `errand validate --format json` prints. */
import { codePath } from '../authoring/code-path.ts';
import type { Diagnostic } from '../diagnostics/diagnostics.ts';
import { IN_CODE } from '../plan/plan.ts';
import type { ValidatedFile } from './validate-workflow.ts';

export interface VerdictDiagnostic extends Omit<Diagnostic, 'excerpt' | 'file'> {
  /** For a workflow in code: the path in the argument of `workflow()`. */
  readonly path?: string;
}

export interface FileVerdict extends Omit<ValidatedFile, 'diagnostics'> {
  readonly diagnostics: readonly VerdictDiagnostic[];
}

export interface WorkflowVerdict {
  readonly isValid: boolean;
  /** The workflow itself, then every workflow it can reach. */
  readonly files: readonly FileVerdict[];
}

export function fileVerdict({ file, diagnostics, nodes, worstCase }: ValidatedFile): FileVerdict {
  return { file, diagnostics: diagnostics.map(shown), nodes, worstCase };
}

function shown({ excerpt: _excerpt, file, ...rest }: Diagnostic): VerdictDiagnostic {
  return file.startsWith(IN_CODE) ? { ...rest, path: codePath(rest.pointer) } : rest;
}
