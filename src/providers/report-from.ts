/**
 * Makes a report from any thrown value of an SDK: extract, classify, describe. Needs no engine and
 * runs anywhere. A value that is no provider's failure is reported like any other thrown value.
 */
import { buildReport, outcomeOf, rebuild } from '../errors/report/build.ts';
import { catalogRow, type RuntimeKind } from '../errors/catalog/catalog.ts';
import { failuresWithin } from '../errors/thrown/held-failures.ts';
import { isReservedKind } from '../errors/catalog/kinds.ts';
import { OUTCOMES, type Outcome } from '../errors/catalog/vocabulary.ts';
import { readProperty } from '../errors/support/safe-json.ts';
import { readProblem } from '../errors/report/read-problem.ts';
import type { Redactor } from '../errors/redaction/redact.ts';
import type { AttemptSummary, ErrorReport, ReportDraft, Stamp } from '../errors/report/report.ts';
import { ambientStamp } from '../errors/thrown/stamp.ts';
import { thrownDraft, toReport, type ReportContext } from '../errors/thrown/to-report.ts';
import { classify as builtIn, type Classification, type Classify } from './classify/classify.ts';
import { readFailure } from './read-failure.ts';
import type { Operation, ProviderFailure } from './provider-failure.ts';
import { extractFailure } from './extract/extract.ts';
import { parseJsonText } from './json-text.ts';
import { providerNamed } from './known-providers.ts';
import { renderFailure } from './describe-failure.ts';

export interface ReportFromOptions {
  /** The provider that was called; wins over the error's own claim. */
  readonly provider?: string;
  readonly model?: string;
  readonly api?: string;
  /** `submit` creates something, so a request that was sent is not repeated blindly. */
  readonly operation?: Operation;
  /** Whether a part of the reply had reached the caller; no error says so. */
  readonly delivered?: boolean;
  /** From `extendClassify`, for your own rules. */
  readonly classify?: Classify;
  /** The kind of a failure that is not a provider's. Default: `call.failed`. */
  readonly fallback?: RuntimeKind;
  readonly stamp?: Stamp;
  readonly redactor?: Redactor;
}

/**
 * Makes a report of any thrown value, from a provider's SDK or from other code. Never throws.
 * @example
 * ```ts
 * import { reportFrom } from 'errand';
 *
 * const thrown = { status: 529, headers: {}, body: { error: { type: 'overloaded_error' } } };
 * const report = reportFrom(thrown, { provider: 'anthropic' });
 * console.log(report.kind, report.retryable); // provider.overloaded true
 * console.log(reportFrom('anything else').kind); // call.failed
 * ```
 */
export function reportFrom(thrown: unknown, options: ReportFromOptions = {}): ErrorReport {
  const report = readWith(toReport, thrown, { options, read: ownProblem });
  const changes = factsOfOthers(thrown, report, options);
  return Object.keys(changes).length === 0 ? report : rebuild(report, changes);
}

/**
 * The same without a report: recognises and classifies the thrown value, once, and the recorder of
 * the failure builds the report. The draft has an id and a time only if the failure came with them:
 * in a report that an error carries, or from another Errand.
 */
export function draftFrom(thrown: unknown, options: ReportFromOptions = {}): ReportDraft {
  const draft = readWith(thrownDraft, thrown, { options, read: ownProblem });
  return { ...draft, ...factsOfOthers(thrown, draft, options) };
}

/**
 * Adds the facts of the other failures that were thrown together with the one that gives the kind.
 */
function factsOfOthers(
  thrown: unknown,
  draft: ReportDraft,
  options: ReportFromOptions,
): Pick<ReportDraft, 'attempts' | 'outcome'> {
  const attempts = attemptsIn(thrown, draft, options);
  const outcome = outcomeOfAll(thrown, draft, options);
  return {
    ...(attempts === undefined ? {} : { attempts }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}

/**
 * The least certain outcome, because any of the failures may have had an effect. Undefined if that
 * is the draft's outcome, or if an author or another Errand has stated the outcome.
 */
function outcomeOfAll(
  thrown: unknown,
  draft: ReportDraft,
  options: ReportFromOptions,
): Outcome | undefined {
  if (!isReservedKind(draft.kind) || draft.location !== undefined) return undefined;
  const own = OUTCOMES.indexOf(outcomeOf(draft));
  const others = failuresWithin(thrown).map((inner) =>
    OUTCOMES.indexOf(outcomeOf(readWith(thrownDraft, inner, { options, read: ownProblem }))),
  );
  return others.some((other) => other > own) ? OUTCOMES[Math.max(...others)] : undefined;
}

/** Enough for any retries that somebody waits for. */
const MAX_ATTEMPTS = 20;

/** The attempts behind the AI SDK's error for exhausted retries; its last error gives the kind. */
function attemptsIn(
  thrown: unknown,
  { attempts }: Pick<ReportDraft, 'attempts'>,
  options: ReportFromOptions,
): readonly AttemptSummary[] | undefined {
  if (attempts !== undefined || readProperty(thrown, 'name') !== 'AI_RetryError') return undefined;
  const errors = readProperty(thrown, 'errors');
  const count = readProperty(errors, 'length');
  if (typeof count !== 'number' || !(count >= 2)) return undefined;
  return Array.from({ length: Math.min(count, MAX_ATTEMPTS) }, (_, index) => {
    const error = readProperty(errors, String(index));
    const { kind, message } = readWith(thrownDraft, error, { options, read: ownProblem });
    return { number: index + 1, kind, message };
  });
}

/**
 * The same for an answer of a model's provider: its problem documents prove no more than any
 * provider's answer.
 */
export function draftFromProvider(thrown: unknown, options: ReportFromOptions = {}): ReportDraft {
  return readWith(thrownDraft, thrown, { options, read: providersProblem });
}

type ReadProblem = (
  failure: ProviderFailure,
  options: ReportFromOptions,
) => ReportDraft | undefined;

interface Reading {
  readonly options: ReportFromOptions;
  readonly read: ReadProblem;
}

function readWith<T>(
  make: (thrown: unknown, context: ReportContext) => T,
  thrown: unknown,
  { options, read }: Reading,
): T {
  const stamp = options.stamp ?? ambientStamp();
  const tool = toolFailure(thrown);
  if (tool !== undefined)
    return readWith(make, tool.error, {
      options: { fallback: 'tool.failed', ...options, stamp },
      read,
    });
  return make(thrown, {
    stamp,
    redactor: options.redactor,
    fallback: options.fallback ?? 'call.failed',
    recognise: (value) => recogniseFailure(value, { options, stamp, read }),
  });
}

/** Unwraps the part in which the AI SDK passes on an error of a tool. */
function toolFailure(thrown: unknown): { readonly error: unknown } | undefined {
  if (readProperty(thrown, 'type') !== 'tool-error') return undefined;
  const error = readProperty(thrown, 'error');
  const isPart = typeof readProperty(thrown, 'toolName') === 'string' && error !== undefined;
  return isPart && error !== thrown ? { error } : undefined;
}

/** The draft of a provider's failure; undefined for anything else. */
function recogniseFailure(
  thrown: unknown,
  { options, stamp, read }: Reading & { readonly stamp: Stamp },
): ReportDraft | undefined {
  const failure = extractFailure(thrown, options);
  if (failure === undefined) return undefined;
  const problem = read(failure, options);
  if (problem !== undefined) return problem;
  const believed = read === providersProblem ? withoutForeignProblem(failure) : failure;
  const draft = renderFailure(believed, classifyAt(believed, options.classify ?? builtIn, stamp));
  return isOpen(failure, draft) ? unread(failure, draft) : draft;
}

/**
 * Drops the body of a provider's problem document that names a failure of ours, so that no rule
 * reads its words either.
 */
function withoutForeignProblem(failure: ProviderFailure): ProviderFailure {
  const named = ownProblem(failure)?.kind;
  const isForeign = named !== undefined && !isProviderKind(named);
  return isForeign ? { ...failure, body: undefined } : failure;
}

function isProviderKind(kind: string): boolean {
  return catalogRow(kind)?.class.startsWith('provider_') === true;
}

/** Only the body can show whether a 429 is a limit or a quota, and what a problem document is. */
function isOpen(
  { isUnread = false, status, headers }: ProviderFailure,
  { category, provider }: ReportDraft,
): boolean {
  if (!isUnread || category !== 'transient') return false;
  const isProblem = /^application\/problem\+json\b/i.test(headers['content-type'] ?? '');
  return isProblem || (status === 429 && provider?.retryAfterMs === undefined);
}

/** Claims nothing about an unread response. */
function unread({ status }: ProviderFailure, draft: ReportDraft): ReportDraft {
  return {
    ...draft,
    kind: 'provider.unknown',
    category: 'unknown',
    retryable: null,
    message: `The response (HTTP ${status ?? 0}) was not read, and only its body says what it means.`,
    action: {
      kind: 'fix_code',
      detail:
        'Read the body first: reportFrom({ status, headers, body: await response.text() }). withResilience reads it by itself.',
    },
  };
}

/** Keeps the classification of another Errand; some clients keep the body one level down. */
function ownProblem({ body, status }: ProviderFailure): ReportDraft | undefined {
  const whole = typeof body === 'string' ? parseJsonText(body) : body;
  const draft = readProblem(whole) ?? readProblem(readProperty(whole, 'error'));
  if (draft === undefined || status === undefined) return draft;
  return { ...draft, provider: { ...draft.provider, status } };
}

/**
 * Anyone can write a problem document, so a provider's may only name a failure of a provider.
 * Title, advice, category and retryability come from the catalog, and the message is ours, because
 * people take what we print for our own words. After content was delivered the usual rules apply.
 */
function providersProblem(
  failure: ProviderFailure,
  { provider: asked, model }: ReportFromOptions,
): ReportDraft | undefined {
  const draft = ownProblem(failure);
  if (draft === undefined || !isProviderKind(draft.kind)) return undefined;
  const row = catalogRow(draft.kind);
  if (failure.delivered) return undefined;
  const { name, display } = providerNamed(asked ?? failure.provider ?? 'unknown');
  const status = failure.status === undefined ? '' : ` (HTTP ${failure.status})`;
  return {
    kind: draft.kind,
    message: `${display} reported ${draft.kind}${status}.`,
    // a request with an answer has been sent
    outcome: row?.category === 'ambiguous' ? 'unknown' : 'failed',
    provider: { ...draft.provider, name, ...(model === undefined ? {} : { model }) },
    ...(draft.rule === undefined ? {} : { rule: draft.rule }),
  };
}

/**
 * Makes a report of a failure that an SDK took for a success: a refusal, a cut reply, an error in the body.
 * @example
 * ```ts
 * import { reportFromFailure } from 'errand/classify';
 *
 * const report = reportFromFailure({
 *   provider: 'openai',
 *   operation: 'generate',
 *   status: 200,
 *   headers: {},
 *   body: { error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } },
 *   phase: 'headers',
 *   delivered: false,
 *   source: 'my client',
 * });
 * console.log(report.kind); // provider.quota_exhausted
 * ```
 */
export function reportFromFailure(
  failure: ProviderFailure,
  options: ReportFromOptions = {},
): ErrorReport {
  const stamp = options.stamp ?? ambientStamp();
  const draft = draftFromFailure(readFailure(failure), { ...options, stamp });
  return buildReport(draft, { stamp, redactor: options.redactor });
}

/** The same without a report, for a recorder that builds it. */
export function draftFromFailure(
  failure: ProviderFailure,
  {
    classify = builtIn,
    stamp = ambientStamp(),
  }: Pick<ReportFromOptions, 'classify' | 'stamp'> = {},
): ReportDraft {
  return renderFailure(failure, classifyAt(failure, classify, stamp));
}

function classifyAt(failure: ProviderFailure, classify: Classify, stamp: Stamp): Classification {
  return classify(failure, { nowMs: timeOf(stamp) });
}

let lastAt = '';
let lastAtMs = NaN;

/** Failures come in bursts, with the same time. */
function timeOf({ at }: Stamp): number {
  if (at !== lastAt) lastAtMs = Date.parse(at);
  lastAt = at;
  return lastAtMs;
}
