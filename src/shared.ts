/** The public API that both entries share: it runs in Node, in a browser and at the edge. */
export { ErrandError, isKind, raise, type DetailsOf } from './errors/errand-error.ts';
export type { KindDetails } from './errors/kind-details.ts';
export type { Kind } from './errors/kinds.ts';
export { catalogRow, RUNTIME_KINDS, type RuntimeKind } from './errors/catalog.ts';
export type { CatalogRow } from './errors/catalog/row.ts';
export type { ErrorReport, Frame, Location, ProviderFacts, UserAction } from './errors/report.ts';
export type { Category, Domain, ErrorClass, Outcome } from './errors/vocabulary.ts';
export { readReport, writeReport } from './errors/read.ts';
export { forModel, forPerson, forPublic } from './errors/project.ts';
export { renderJson } from './errors/render/json.ts';
export { renderLine } from './errors/render/line.ts';
export { renderMarkdown } from './errors/render/markdown.ts';
export { renderPanel } from './errors/render/panel.ts';
export { renderProblem } from './errors/render/problem.ts';
export { toReport } from './errors/to-report.ts';
export { createRedactor } from './errors/redact.ts';
export { reportFrom, reportFromFailure, type ReportFromOptions } from './providers/report-from.ts';
export { classify, type Classification, type Classify } from './providers/classify/classify.ts';
export type { Conclusion, Conditions, Rule } from './providers/classify/rule.ts';
export {
  extendClassify,
  type ClassifierExtension,
  type Vocabulary,
} from './providers/extension.ts';
export type { Operation, ProviderFailure } from './providers/envelope.ts';
export { withResilience, type Call, type ResiliencePolicy } from './resilience.ts';
export {
  extension,
  type Extension,
  type ExtensionOptions,
  type ExtensionParts,
} from './machine/extension-port.ts';
export {
  guard,
  type DeclaredGuard,
  type Guard,
  type GuardedCall,
  type GuardVerdict,
} from './workflow/guard.ts';
export { partial, type PartialResult } from './workflow/partial.ts';
export {
  tool,
  type StandardSchema,
  type Tool,
  type ToolContext,
  type ToolOptions,
  type ToolRetry,
  type ToolSchema,
} from './workflow/tool.ts';
