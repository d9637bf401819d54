/** `schema/workflow.json`: the JSON Schema of workflow files, as editors load it from the package. */
import { workflowJsonSchema } from '../../src/workflow/schema/json-schema.ts';

export function renderWorkflowSchema(): string {
  return `${JSON.stringify(workflowJsonSchema(), null, 2)}\n`;
}
