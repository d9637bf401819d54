/** The first event of a run, and what it records of the modules. */
import { withoutValues } from '../../../errors/report/without-values.ts';
import type { Redactor } from '../../../errors/redaction/redact.ts';
import type { JsonObject } from '../../../errors/support/safe-json.ts';
import type { EventBody, ModuleDigests } from '../../../machine/state/events.ts';
import { boundOf } from '../../../workflow/check/most-requests.ts';
import type { WorkflowPlan } from '../../../workflow/plan/plan.ts';
import type { BackendStartOptions } from '../../backend.ts';
import type { EffectRunner } from '../../run/effect-runner.ts';

/** Asks only for a plan that names a module: most name none, and their start waits for nothing. */
export function modulesOf(
  plan: WorkflowPlan,
  { modules }: EffectRunner,
): Promise<ModuleDigests> | undefined {
  const files = [plan, ...Object.values(plan.children)];
  return files.some(({ module }) => module !== undefined) ? modules?.(plan) : undefined;
}

export function startedEvent(
  plan: WorkflowPlan,
  input: JsonObject,
  options: BackendStartOptions,
  {
    redactor,
    traceparent,
    modules,
  }: {
    readonly redactor: Redactor;
    readonly traceparent?: string | undefined;
    readonly modules?: ModuleDigests | undefined;
  },
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
    ...(modules === undefined ? {} : { modules }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}
