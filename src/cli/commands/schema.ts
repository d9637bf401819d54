/** `errand schema`: the JSON Schema of workflow files and rehearsal plans, for editors and other validators. */
import { jsonText } from '../../errors/support/printable.ts';
import { rehearsalJsonSchema } from '../../workflow/rehearsal-plan/rehearsal-json-schema.ts';
import { workflowJsonSchema } from '../../workflow/schema/workflow-json-schema.ts';
import type { Terminal } from '../terminal.ts';

export function schema(
  terminal: Terminal,
  { isOfRehearsal = false }: { readonly isOfRehearsal?: boolean } = {},
): number {
  terminal.out(jsonText(isOfRehearsal ? rehearsalJsonSchema() : workflowJsonSchema(), 2));
  return 0;
}
