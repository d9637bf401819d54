/** The public API. */
export * from './public-api.ts';
export { createResilience, reportFrom, withResilience } from './lazy-judging.ts';
export { workflow } from './lazy-workflow.ts';
export type { WorkflowDefinition, WorkflowInput } from './workflow/authoring/define.ts';
export { openErrand } from './open-errand.ts';
export type {
  Callables,
  CostRow,
  Costs,
  Errand,
  FetchOptions,
  GateAnswer,
  NodeTimeline,
  ResumeOptions,
  StartOptions,
} from './engine/errand-interface.ts';
export type {
  CredentialRequest,
  CredentialSource,
  ErrandOptions,
  RegisteredProvider,
  RunnableWorkflow,
  SdkModel,
} from './engine/errand-options.ts';
export type { PreparedAnswer, RunHandle, RunOptions, RunResult } from './engine/backend.ts';
export type { ResumeRequest } from './engine/run/resume.ts';
export type { Answer as StoredAnswer } from './machine/gates/gate-answer.ts';
export type { Change as WorkflowChange } from './machine/policy/drift.ts';
export type { LoadedWorkflow } from './engine/loading/load-file.ts';
export type { Progress as RunProgress } from './engine/run/running-effects.ts';
export type { RunView } from './engine/shown-run.ts';
export type { TemporalOptions } from './engine/temporal/config.ts';
export type { NamedUnknownOutcome as UnknownOutcome } from './machine/policy/unknown-outcome.ts';
export type { NodeReport } from './workflow/check/check.ts';
export type { ValidatedFile } from './workflow/check/validate-workflow.ts';
export type {
  FileVerdict,
  VerdictDiagnostic,
  WorkflowVerdict,
} from './workflow/check/validation-json.ts';
export type { WorstCase } from './workflow/check/worst-case.ts';
export type { DiagnosticCode } from './workflow/diagnostics/diagnostic-codes.ts';
export type { Diagnostic as WorkflowDiagnostic } from './workflow/diagnostics/diagnostics.ts';
export type {
  Severity as DiagnosticSeverity,
  ValidationKind,
} from './workflow/diagnostics/problem.ts';
export type { FetchMethod, WorkflowPlan } from './workflow/plan/plan.ts';
export type { MoveType } from './workflow/plan/route-plan.ts';
export type { Prompt as ModelPrompt } from './machine/conversation/conversation.ts';
export type { ModelImage } from './machine/conversation/model-message.ts';
export type { Amount as SpentAmount, Estimate as CallEstimate } from './machine/policy/pricing.ts';
export type { InDoubt as EffectInDoubt } from './machine/policy/unknown-outcome-details.ts';
export type {
  AskedQuestion,
  Bound as RunBound,
  BudgetGate,
  Drift as RunDrift,
  EffectRef,
  EventBody,
  InNode as EventInNode,
  KeptBackBy,
  Members as GroupMembers,
  ModuleDigests,
  PromptFor,
  Resumed as RunResumed,
  RouteBucket,
  RunEvent,
  Usage as TokenUsage,
  Wait as RunWait,
  Waiting as RunWaiting,
} from './machine/state/events.ts';
export type { WaitFailure } from './machine/state/waiting.ts';
export type { ListQuery, RunStatusName, RunStore, RunSummary } from './machine/ports/store-port.ts';
