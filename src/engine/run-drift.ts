/** Drift of a run: what a resume with the present file would find changed. */
import type { ChangedNode } from '../machine/policy/drift.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';

export interface RunDrift {
  readonly changed: readonly ChangedNode[];
  /** Whether a resume is refused unless it accepts the changes. */
  readonly needsAccept: boolean;
}

/** A file as it is now, with which a run is compared. */
export interface PlanOfFile {
  readonly plan: WorkflowPlan;
  /** Values that the file takes from variables, and others that it keeps secret. */
  readonly secrets: readonly string[];
}
