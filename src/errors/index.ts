/** `errand/errors`: failures as data, without the engine. Runs anywhere. */
export {
  buildReport,
  crossBoundary,
  rebuild,
  type BuildOptions as BuildReportOptions,
  type ReportDefaults,
} from './report/build.ts';
export { CATALOG, catalogRow, RUNTIME_KINDS, type RuntimeKind } from './catalog/catalog.ts';
export type { CatalogRow, RetrySchedule } from './catalog/row.ts';
export type { FailureExit } from './catalog/exit-codes.ts';
export {
  ErrandError,
  failure,
  isKind,
  raise,
  type DetailsOf,
  type RaisedDetails,
  type ReportOf,
} from './thrown/errand-error.ts';
export type { ReportRequest } from './thrown/cause-reports.ts';
export { toInternalRecord, type InternalRecord } from './thrown/internal-record.ts';
export type { JsonObject, JsonValue } from './support/safe-json.ts';
export type {
  GroupDetails,
  KindDetails,
  LimitDetails,
  ProviderDetails,
  ScriptDetails,
} from './catalog/kind-details.ts';
export {
  isKindName,
  isReservedKind,
  isRuntimeKind,
  matchesKind,
  type AuthorKind,
  type Kind,
  type MatchedBy,
} from './catalog/kinds.ts';
export {
  exitCode,
  forModel,
  forPerson,
  forPublic,
  httpStatus,
  type ModelReport,
  type PersonReport,
  type PublicOptions as PublicReportOptions,
  type PublicReport,
} from './report/audiences.ts';
export {
  readReport,
  writeReport,
  type ReadOptions as ReadReportOptions,
  type ReadReport,
} from './report/read.ts';
export { createRedactor, type Redactor } from './redaction/redact.ts';
export { renderJson } from './render/json.ts';
export { renderLine } from './render/line.ts';
export { renderMarkdown } from './render/markdown.ts';
export { renderPanel, type PanelOptions } from './render/panel.ts';
export { renderProblem, type Problem, type ProblemDocument } from './render/problem-document.ts';
export type {
  AttemptSummary,
  CutCounts,
  ErrorReport,
  Frame as ErrorFrame,
  Location as ErrorLocation,
  ProviderFacts,
  ReportDraft,
  RuleReceipt,
  Stamp as ReportStamp,
  UserAction,
} from './report/report.ts';
export { toReport, type ReportContext } from './thrown/to-report.ts';
export type {
  ActionKind,
  Category as ErrorCategory,
  Domain as ErrorDomain,
  ErrorClass,
  Outcome as ErrorOutcome,
} from './catalog/vocabulary.ts';
