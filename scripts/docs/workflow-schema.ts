/**
 * The JSON Schemas of workflow files and rehearsal plans, as editors load them from the package.
 */
import { rehearsalJsonSchema } from '../../src/workflow/rehearsal-plan/rehearsal-json-schema.ts';
import { workflowJsonSchema } from '../../src/workflow/schema/workflow-json-schema.ts';

export function renderWorkflowSchema(): string {
  return `${JSON.stringify(workflowJsonSchema(), null, 2)}\n`;
}

export function renderRehearsalSchema(): string {
  return `${JSON.stringify(rehearsalJsonSchema(), null, 2)}\n`;
}
