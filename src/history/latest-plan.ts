/** The plan that a run has now: a resume may have adopted an edited workflow. */
import type { RunEvent } from '../machine/state/events.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';

export function latestPlan(started: WorkflowPlan, events: readonly RunEvent[]): WorkflowPlan {
  const resumed = events.findLast((event) => event.type === 'run:resumed' && event.plan);
  return (resumed?.type === 'run:resumed' ? resumed.plan : undefined) ?? started;
}
