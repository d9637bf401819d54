/** The first event of a run. */
import { withoutValues } from '../../errors/report/without-values.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import type { EventBody } from '../../machine/state/events.ts';
import { boundOf } from '../../workflow/check/most-requests.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { BackendStartOptions } from '../backend.ts';

export function startedEvent(
  plan: WorkflowPlan,
  input: JsonObject,
  options: BackendStartOptions,
  {
    redactor,
    traceparent,
  }: { readonly redactor: Redactor; readonly traceparent?: string | undefined },
): EventBody {
  const { bound = boundOf(plan), request, gates, answers = [], keepsAnswers = false } = options;
  return {
    type: 'run:started',
    workflow: plan.name,
    input,
    ...(gates === false ? { gates } : {}),
    bound,
    ...(request === undefined ? {} : { request }),
    ...(keepsAnswers && answers.length > 0
      ? { answers: answers.map((answer) => withoutValues(answer, redactor)) }
      : {}),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}
