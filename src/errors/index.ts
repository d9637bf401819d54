/** `errand/errors`: failures as data, without the engine. Runs anywhere. */
export { buildReport, crossBoundary, rebuild } from './build.ts';
export { CATALOG, catalogRow, RUNTIME_KINDS, type RuntimeKind } from './catalog.ts';
export type { CatalogRow, RetrySchedule } from './catalog/row.ts';
export { ErrandError, isKind, raise, type DetailsOf } from './errand-error.ts';
export { toInternalRecord, type InternalRecord } from './internal-record.ts';
export type { JsonObject, JsonValue } from './json.ts';
export type { KindDetails } from './kind-details.ts';
export { isKindName, isReservedKind, isRuntimeKind, matchesKind, type Kind } from './kinds.ts';
export {
  exitCode,
  forModel,
  forPerson,
  forPublic,
  httpStatus,
  type ModelReport,
  type PersonReport,
  type PublicReport,
} from './project.ts';
export { readReport, writeReport, type ReadReport } from './read.ts';
export { createRedactor, type Redactor } from './redact.ts';
export { renderJson } from './render/json.ts';
export { renderLine } from './render/line.ts';
export { renderMarkdown } from './render/markdown.ts';
export { renderPanel, type PanelOptions } from './render/panel.ts';
export { renderProblem, type Problem, type ProblemDocument } from './render/problem.ts';
export type {
  AttemptSummary,
  ErrorReport,
  Frame,
  Location,
  ProviderFacts,
  ReportDraft,
  RuleReceipt,
  Stamp,
  UserAction,
} from './report.ts';
export { toReport, type ReportContext } from './to-report.ts';
export type { ActionKind, Category, Domain, ErrorClass, Outcome } from './vocabulary.ts';
