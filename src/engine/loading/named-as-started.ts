/** Gives the files of a workflow the names by which a run knows them. */
import type { ReadableStore } from '../../machine/ports/store-port.ts';
import { namedAs } from '../../workflow/plan/file-names.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { planFrom } from '../run/plan-text.ts';

/** The run may have been started in another folder, and knows its files by their names from there. */
export async function namedAsStarted(
  store: Pick<ReadableStore, 'get'>,
  run: string,
  plan: WorkflowPlan,
): Promise<WorkflowPlan> {
  if (Object.keys(plan.children).length === 0) return plan;
  const { plan: first } = await store.get(run);
  return namedAs(planFrom(first), plan);
}
