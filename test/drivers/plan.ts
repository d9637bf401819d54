/** A plan from texts: whatever the files call, somebody is taken to have it. */
import { memoryFiles } from '../../src/workflow/load/files.cases.ts';
import type { WorkflowPlan } from '../../src/workflow/model.ts';
import { validateWorkflow } from '../../src/workflow/validate.ts';

export function planOfTexts(files: Readonly<Record<string, string>>): WorkflowPlan {
  const { plan, files: verdicts } = validateWorkflow('main.yaml', memoryFiles(files), {});
  if (plan === undefined) throw new Error(JSON.stringify(verdicts.flatMap((v) => v.diagnostics)));
  return plan;
}
