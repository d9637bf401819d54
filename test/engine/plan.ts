/** Makes a plan from texts; every function that the files call counts as present. */
import { memoryFiles } from '../../src/workflow/yaml/files.cases.ts';
import type { WorkflowPlan } from '../../src/workflow/plan/plan.ts';
import { validateWorkflow } from '../../src/workflow/check/validate-workflow.ts';

export function planOfTexts(files: Readonly<Record<string, string>>): WorkflowPlan {
  const { plan, files: verdicts } = validateWorkflow('main.yaml', memoryFiles(files), {});
  if (plan === undefined) throw new Error(JSON.stringify(verdicts.flatMap((v) => v.diagnostics)));
  return plan;
}
