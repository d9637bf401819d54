/** The plan that a run has now: a resume may have taken over an edited workflow. */
import type { RunEvent } from '../machine/state/events.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';

/** `started` is the stored plan that the run was started with, as JSON. */
export function latestPlan(started: string, events: readonly RunEvent[]): WorkflowPlan {
  const resumed = events.findLast((event) => event.type === 'run:resumed' && event.plan);
  if (resumed?.type === 'run:resumed' && resumed.plan !== undefined) return resumed.plan;
  // written by a backend, and the store verifies the checksum of its row
  return JSON.parse(started) as WorkflowPlan;
}
