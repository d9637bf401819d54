/**
 * What any SDK threw, as a report: extract, classify, render. Needs no engine and runs anywhere.
 * What is no provider's failure goes the way of every other thrown value.
 */
import { buildReport } from '../errors/build.ts';
import type { RuntimeKind } from '../errors/catalog.ts';
import { readProperty } from '../errors/json.ts';
import type { Redactor } from '../errors/redact.ts';
import type { ErrorReport, ReportDraft, Stamp } from '../errors/report.ts';
import { ambientStamp } from '../errors/stamp.ts';
import { toReport } from '../errors/to-report.ts';
import { classify as builtIn, type Classification, type Classify } from './classify/classify.ts';
import type { Operation, ProviderFailure } from './envelope.ts';
import { extractFailure } from './extract/extract.ts';
import { renderFailure } from './render.ts';

export interface ReportFromOptions {
  /** Who was called; wins over what the error says of itself. */
  readonly provider?: string;
  readonly model?: string;
  readonly api?: string;
  /** `submit` creates something: after it was sent, nothing is repeated blindly. */
  readonly operation?: Operation;
  /** Whether a part of the answer had reached the caller, which no error tells. */
  readonly delivered?: boolean;
  /** From `extendClassify`, for rules of your own. */
  readonly classify?: Classify;
  /** What to call a failure that is no provider's. Default: `call.failed`. */
  readonly fallback?: RuntimeKind;
  readonly stamp?: Stamp;
  readonly redactor?: Redactor;
}

/** Never throws, whatever was thrown. */
export function reportFrom(thrown: unknown, options: ReportFromOptions = {}): ErrorReport {
  const stamp = options.stamp ?? ambientStamp();
  const tool = toolFailure(thrown);
  if (tool !== undefined)
    return reportFrom(tool.error, { fallback: 'tool.failed', ...options, stamp });
  return toReport(thrown, {
    stamp,
    redactor: options.redactor,
    fallback: options.fallback ?? 'call.failed',
    recognise: (value) => recogniseFailure(value, options, stamp),
  });
}

/** What a tool threw, in the part that the AI SDK makes of it; the wrapper says nothing more. */
function toolFailure(thrown: unknown): { readonly error: unknown } | undefined {
  if (readProperty(thrown, 'type') !== 'tool-error') return undefined;
  const error = readProperty(thrown, 'error');
  const isPart = typeof readProperty(thrown, 'toolName') === 'string' && error !== undefined;
  return isPart && error !== thrown ? { error } : undefined;
}

/** The draft of a provider's failure; undefined for anything else. */
function recogniseFailure(
  thrown: unknown,
  options: ReportFromOptions,
  stamp: Stamp,
): ReportDraft | undefined {
  const failure = extractFailure(thrown, options);
  if (failure === undefined) return undefined;
  return renderFailure(failure, classifyAt(failure, options.classify ?? builtIn, stamp));
}

/** An answer that an SDK took for a success, looked at again: refusals, cuts, in-band errors. */
export function reportFromFailure(
  failure: ProviderFailure,
  options: ReportFromOptions = {},
): ErrorReport {
  const stamp = options.stamp ?? ambientStamp();
  const found = classifyAt(failure, options.classify ?? builtIn, stamp);
  return buildReport(renderFailure(failure, found), { stamp, redactor: options.redactor });
}

function classifyAt(failure: ProviderFailure, classify: Classify, stamp: Stamp): Classification {
  return classify(failure, { nowMs: Date.parse(stamp.at) });
}
