/** What one leg of a workflow may ask of models at most, for whoever holds a run to it. */
import type { WorkflowPlan } from '../model.ts';
import { worstCaseOf } from './check.ts';

interface Bound {
  /** Null: nothing bounds it. */
  readonly modelRequests: number | null;
}

const KNOWN = new WeakMap<WorkflowPlan, Bound>();

/** Worked out once for each plan, of which there may be thousands of runs. */
export function boundOf(plan: WorkflowPlan): Bound {
  const known = KNOWN.get(plan);
  if (known !== undefined) return known;
  const { modelRequests } = worstCaseOf(plan);
  const bound: Bound = { modelRequests };
  KNOWN.set(plan, bound);
  return bound;
}
