/** `errand schema`: the JSON Schema of workflow files, for editors and other validators. */
import { jsonText } from '../../errors/support/printable.ts';
import { workflowJsonSchema } from '../../workflow/schema/json-schema.ts';
import type { Terminal } from '../terminal.ts';

export function schema(terminal: Terminal): number {
  terminal.out(jsonText(workflowJsonSchema(), 2));
  return 0;
}
