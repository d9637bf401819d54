/** A small file to validate, and what validation finds in it, for tests. */
import { memoryFiles } from '../../yaml/files.cases.ts';
import type { Diagnostic } from '../../diagnostics/diagnostics.ts';
import { validateWorkflow, type Validation } from '../validate-workflow.ts';
import type { CheckOptions } from '../check.ts';

export function validate(
  nodes: string,
  more: { header?: string; files?: Record<string, string>; options?: CheckOptions } = {},
): Validation {
  const header = more.header ?? '';
  const main = `workflow:\n  name: t\n  entry_point: a\n${header}agents:\n${nodes}`;
  return validateWorkflow(
    'main.yaml',
    memoryFiles({ ...more.files, 'main.yaml': main }),
    {},
    more.options ?? {},
  );
}

export function found(validation: Validation): string[] {
  return validation.files.flatMap(({ diagnostics }) => diagnostics.map(briefly));
}

function briefly({ severity, code, message }: Diagnostic): string {
  return `${severity} ${code}: ${message}`;
}
