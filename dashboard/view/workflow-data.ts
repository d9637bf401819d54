/** A workflow as the API shows it. */
import type { JsonObject } from '../../src/errors/support/safe-json.ts';
import type { RunGraph } from '../../src/history/workflow-graph.ts';
import type { WorkflowVerdict } from '../../src/workflow/check/validation-json.ts';

export interface WorkflowData {
  readonly name: string;
  readonly file: string;
  readonly description?: string;
  readonly text: string;
  readonly input: JsonObject | null;
  readonly graph: RunGraph | null;
  readonly validation: WorkflowVerdict;
  readonly rehearsal?: JsonObject;
}

export interface WorkflowRowData {
  readonly name: string;
  readonly file: string;
  readonly description?: string;
  readonly isValid: boolean;
  readonly errors: number;
  readonly warnings: number;
  readonly schedule?: readonly { readonly cron: string; readonly next?: string }[];
}
