/** Request bound: the most model requests of one leg of a workflow, for the engine to enforce. */
import type { WorkflowPlan } from '../plan/plan.ts';
import { worstCaseOf } from './check.ts';

interface Bound {
  /** Null: nothing bounds it. */
  readonly modelRequests: number | null;
}

const KNOWN = new WeakMap<WorkflowPlan, Bound>();

/** Computed once for each plan, which may have thousands of runs. */
export function boundOf(plan: WorkflowPlan): Bound {
  const known = KNOWN.get(plan);
  if (known !== undefined) return known;
  const { modelRequests } = worstCaseOf(plan);
  const bound: Bound = { modelRequests };
  KNOWN.set(plan, bound);
  return bound;
}
