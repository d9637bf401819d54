/** The public API. */
export * from './public-api.ts';
export { createResilience, reportFrom, withResilience } from './lazy-judging.ts';
export { workflow } from './lazy-workflow.ts';
export type { WorkflowDefinition, WorkflowInput } from './workflow/authoring/define.ts';
export { openErrand } from './open-errand.ts';
export type {
  Callables,
  Costs,
  Errand,
  FetchOptions,
  GateAnswer,
  NodeTimeline,
  ResumeOptions,
  StartOptions,
} from './engine/errand-interface.ts';
export type { ErrandOptions, RunnableWorkflow } from './engine/errand-options.ts';
export type { PreparedAnswer, RunHandle, RunOptions, RunResult } from './engine/backend.ts';
export type { LoadedWorkflow } from './engine/loading/load-file.ts';
export type { Progress as RunProgress } from './engine/run/running-effects.ts';
export type { RunView } from './engine/shown-run.ts';
export type { TemporalOptions } from './engine/temporal/config.ts';
export type { NamedUnknownOutcome as UnknownOutcome } from './machine/policy/unknown-outcome.ts';
export type { FileVerdict, WorkflowVerdict } from './workflow/check/validation-json.ts';
export type { WorkflowPlan } from './workflow/plan/plan.ts';
export type {
  EventBody,
  RunEvent,
  Wait as RunWait,
  Waiting as RunWaiting,
} from './machine/state/events.ts';
export type { ListQuery, RunStatusName, RunStore, RunSummary } from './machine/ports/store-port.ts';
