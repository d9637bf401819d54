/** Drift of a run: what a resume with the present file would find changed. */
import { changesSince, type ChangedNode } from '../machine/policy/drift.ts';
import type { RunRecord } from '../machine/ports/store-port.ts';
import type { RunEvent } from '../machine/state/events.ts';
import type { RunState } from '../machine/state/state.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import { foldRun } from './run/recover.ts';

export interface RunDrift {
  readonly changed: readonly ChangedNode[];
  /** Whether a resume is refused unless it accepts the changes. */
  readonly needsAccept: boolean;
}

export function runDrift(
  record: Pick<RunRecord, 'run' | 'plan'>,
  events: readonly RunEvent[],
  plan: WorkflowPlan,
  state: RunState = foldRun(record, events),
): RunDrift {
  const changed = changesSince(state, plan);
  return { changed, needsAccept: changed.some(({ isFinished }) => isFinished) };
}
