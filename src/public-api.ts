/** The public API that both entries share: it runs in Node, in a browser and at the edge. */
export {
  ErrandError,
  failure,
  isKind,
  raise,
  type DetailsOf,
} from './errors/thrown/errand-error.ts';
export type { InternalRecord } from './errors/thrown/internal-record.ts';
export { catalogRow, type RuntimeKind } from './errors/catalog/catalog.ts';
export type { CatalogRow, RetrySchedule } from './errors/catalog/row.ts';
export type { KindDetails } from './errors/catalog/kind-details.ts';
export type { Kind } from './errors/catalog/kinds.ts';
export type {
  ActionKind,
  Category as ErrorCategory,
  Domain as ErrorDomain,
  ErrorClass,
  Outcome as ErrorOutcome,
} from './errors/catalog/vocabulary.ts';
export type {
  AttemptSummary,
  ErrorReport,
  Frame as ErrorFrame,
  Location as ErrorLocation,
  ProviderFacts,
  ReportDraft,
  RuleReceipt,
  Stamp as ReportStamp,
  UserAction,
} from './errors/report/report.ts';
export type {
  ModelReport,
  PersonReport,
  PublicOptions as PublicReportOptions,
  PublicReport,
} from './errors/report/audiences.ts';
export type { Redactor } from './errors/redaction/redact.ts';
export type { JsonObject, JsonValue } from './errors/support/safe-json.ts';
export { renderJson } from './errors/render/json.ts';
export { renderLine } from './errors/render/line.ts';
export { renderMarkdown } from './errors/render/markdown.ts';
export { renderPanel, type PanelOptions } from './errors/render/panel.ts';
export {
  renderProblem,
  type Problem,
  type ProblemDocument,
} from './errors/render/problem-document.ts';
export type { ReportFromOptions } from './providers/report-from.ts';
export type { Operation as ProviderOperation } from './providers/provider-failure.ts';
export type {
  BreakerMap,
  ResilienceOptions,
  ResiliencePolicy,
  ResilientCall,
  WithResilience,
} from './resilience.ts';
export type { AbortSignalLike, ResilienceClock } from './machine-clock.ts';
export type { Backoff as RetryBackoff } from './workflow/plan/route-plan.ts';
export type { RetryOption } from './resilience-options.ts';
export type { BreakerState } from './machine/policy/breaker.ts';
export {
  extension,
  type Extension,
  type ExtensionCallable,
  type ExtensionOptions,
  type ExtensionParts,
} from './machine/ports/extension-port.ts';
export {
  guard,
  type DeclaredGuard,
  type Guard,
  type GuardedCall,
  type GuardVerdict,
} from './workflow/authoring/guard.ts';
export { partial, type PartialResult } from './workflow/authoring/partial.ts';
export {
  tool,
  type AnyTool,
  type Given as ToolReturn,
  type InputOf as ToolInput,
  type OutputOf as ToolOutput,
  type StandardSchema,
  type Tool,
  type ToolContext,
  type ToolOptions,
  type ToolRetry,
  type ToolSchema,
} from './workflow/authoring/define-tool.ts';
