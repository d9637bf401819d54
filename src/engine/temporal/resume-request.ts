/** The requests of a client that resumes or answers a run. */
import { boundOf } from '../../workflow/check/most-requests.ts';
import type { BackendResumeOptions } from '../backend.ts';
import type { ResumeRequest } from '../run/resume.ts';

export async function withWorkflow({
  workflow,
  ...options
}: BackendResumeOptions): Promise<BackendResumeOptions> {
  return { ...options, ...(await workflow?.()) };
}

/** The part that is sent to the workflow; listeners stay here, and effects are the worker's. */
export function resumeRequestOf(options: BackendResumeOptions): ResumeRequest {
  const { by, answer, now, from, gates, plan, input, acceptDrift } = options;
  const { bound = plan === undefined ? undefined : boundOf(plan) } = options;
  return {
    ...(by === undefined ? {} : { by }),
    ...(answer === undefined ? {} : { answer }),
    ...(now === undefined ? {} : { now }),
    ...(from === undefined ? {} : { from }),
    ...(gates === undefined ? {} : { gates }),
    ...(plan === undefined ? {} : { plan }),
    ...(bound === undefined ? {} : { bound }),
    ...(input === undefined ? {} : { input }),
    ...(acceptDrift === undefined ? {} : { acceptDrift }),
  };
}
