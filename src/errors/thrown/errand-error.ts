/** The error class that carries a report, `raise` for authors, and `isKind`. */
import { adoptReport, buildReport } from '../report/build.ts';
import {
  carriedReport,
  isCarrier,
  isReportShaped,
  REPORT_OF,
  type ReportRequest,
} from './cause-reports.ts';
import { readProperty, type JsonObject } from '../support/safe-json.ts';
import type { KindDetails } from '../catalog/kind-details.ts';
import { isKindName, isReservedKind, matchesKind } from '../catalog/kinds.ts';
import type { AuthorKind, Kind, MatchedBy } from '../catalog/kinds.ts';
import type { ErrorReport, ReportDraft } from '../report/report.ts';
import { ambientStamp } from './stamp.ts';

/** The details of a kind; an author's package may add rows by declaration merging. */
export type DetailsOf<K> = K extends keyof KindDetails ? KindDetails[K] : JsonObject;

/**
 * The error that carries a report. `raise` and `failure` make one of a kind of your own.
 * @example
 * ```ts
 * import { ErrandError } from 'errand';
 *
 * const error = new ErrandError({ kind: 'order.missing', message: 'No such order', details: { id: 7 } });
 * console.log(error.kind, error.details, error.report.retryable); // order.missing { id: 7 } false
 * ```
 */
export class ErrandError<K extends Kind = Kind> extends Error {
  override readonly name = 'ErrandError';
  readonly kind: K;
  readonly #draft: ReportDraft;
  #report: ErrorReport | undefined;

  constructor(
    draft: ReportDraft & { readonly kind: K },
    options: { readonly cause?: unknown } = {},
  ) {
    super(draft.message, options.cause === undefined ? undefined : { cause: options.cause });
    this.kind = draft.kind;
    this.#draft = draft;
  }

  get report(): ErrorReport<K, DetailsOf<K>> {
    // the chain starts at this error, so the report is the one of its own draft
    return carriedReport(this) as ErrorReport<K, DetailsOf<K>>;
  }

  get details(): DetailsOf<K> | undefined {
    return this.report.details;
  }

  /** Id and time are set once; a redactor that comes later still redacts what it knows. */
  [REPORT_OF](request: ReportRequest, cause: ErrorReport | undefined): ErrorReport {
    const options = { stamp: request.stamp ?? ambientStamp(), redactor: request.redactor };
    const inherited = this.#draft.cause ?? cause;
    this.#report ??= buildReport(
      inherited === undefined ? this.#draft : { ...this.#draft, cause: inherited },
      options,
    );
    this.#report = adoptReport(this.#report, options);
    return this.#report;
  }

  toJSON(): ErrorReport {
    return this.report;
  }
}

/** Checked for the kinds whose details are typed, free for all others. */
export type RaisedDetails<K> = K extends keyof KindDetails ? KindDetails[K] : unknown;

/**
 * Makes a failure of an author's own kind as a value: for `partial`, for a rejected promise, for a cause.
 * Throws `internal.envelope_invalid` for a kind that is malformed or belongs to the runtime.
 * @example
 * ```ts
 * import { failure, partial } from 'errand';
 *
 * const gone = failure('page.gone', 'Page 4 is gone', { page: 4 });
 * console.log(gone.kind, gone.details); // page.gone { page: 4 }
 * const pages = () => partial([1, 2, 3], [gone]);
 * console.log(pages().value); // [ 1, 2, 3 ]
 * ```
 */
export function failure<const K extends string>(
  kind: AuthorKind<K> & K,
  message: string,
  details?: RaisedDetails<K>,
  options: { readonly cause?: unknown } = {},
): ErrandError<K> {
  if (isKindName(kind) && !isReservedKind(kind)) {
    return new ErrandError<K>({ kind, message: message || kind, details }, options);
  }
  throw new ErrandError({
    kind: 'internal.envelope_invalid',
    message: isKindName(kind)
      ? `The kind ${kind} belongs to the runtime and cannot be raised`
      : 'The kind of a raised failure must be dotted lowercase words, such as order.missing',
    details: { kind, raised: { message, details } },
  });
}

/**
 * Throws `failure(kind, message, details)`. `throw raise(…)` does the same, and says so to the reader.
 * Throws `internal.envelope_invalid` for a kind that is malformed or belongs to the runtime.
 * @example
 * ```ts
 * import { isKind, raise } from 'errand';
 *
 * const orders = new Map([[7, 'a lamp']]);
 * function find(id: number): string {
 *   return orders.get(id) ?? raise('order.missing', 'No such order', { id });
 * }
 * try {
 *   find(8);
 * } catch (error) {
 *   console.log(isKind(error, 'order.missing') && error.details); // { id: 8 }
 * }
 * ```
 */
export function raise<const K extends string>(
  kind: AuthorKind<K> & K,
  message: string,
  details?: RaisedDetails<K>,
  options: { readonly cause?: unknown } = {},
): never {
  throw failure<K>(kind, message, details, options);
}

export type ReportOf<K extends string> = ErrorReport<MatchedBy<K>, DetailsOf<MatchedBy<K>>>;

/**
 * True when the error or the report is of that kind; `provider.*` matches all under the prefix.
 * Narrows `kind` and `details`, which both have.
 * @example
 * ```ts
 * import { isKind, reportFrom } from 'errand';
 *
 * const report = reportFrom({ status: 429, headers: { 'retry-after': '7' }, body: {} });
 * if (isKind(report, 'provider.rate_limited')) console.log(report.provider?.retryAfterMs); // 7000
 * console.log(isKind(report, 'provider.*'), isKind(report, 'limit.*')); // true false
 * ```
 */
export function isKind<K extends Kind>(value: ErrorReport, kind: K): value is ReportOf<K>;
export function isKind<K extends Kind>(value: Error, kind: K): value is ErrandError<MatchedBy<K>>;
export function isKind<K extends Kind>(
  value: unknown,
  kind: K,
): value is ErrandError<MatchedBy<K>> | ReportOf<K>;
export function isKind(value: unknown, kind: string): boolean {
  if (!isReportShaped(value) && !isCarrier(value)) return false;
  const own = readProperty(value, 'kind');
  return typeof own === 'string' && matchesKind(own, kind);
}
