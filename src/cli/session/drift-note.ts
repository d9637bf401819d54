/** Lists the changes in the file of a run, before the run is resumed or refused. */
import type { LoadedWorkflow } from '../../engine/errand.ts';
import { keyValuesIn } from '../../effects/model/key-values.ts';
import { createRedactor } from '../../errors/redaction/redact.ts';
import { IN_PLAN, withoutValues } from '../../errors/report/without-values.ts';
import { namedAs } from '../../workflow/plan/file-names.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { planChanges } from '../screen/plan-changes.ts';

/** Returns no lines where nothing has changed. */
export function driftNote(before: WorkflowPlan, workflow: LoadedWorkflow): readonly string[] {
  const redactor = createRedactor([...workflow.secrets, ...keyValuesIn(process.env)]);
  const now = withoutValues(namedAs(before, workflow.plan), redactor, IN_PLAN);
  const changes = planChanges(before, now);
  if (changes.length === 0) return [];
  return ['Changed since the run last ran:', ...changes.map((line) => `  ${line}`)];
}
