/** The one error class that carries a report, what authors raise with it, and how to tell a kind. */
import { adoptReport, buildReport } from './build.ts';
import {
  carriedReport,
  isCarrier,
  isReportShaped,
  REPORT_OF,
  type ReportRequest,
} from './carried.ts';
import { readProperty, type JsonObject } from './json.ts';
import type { KindDetails } from './kind-details.ts';
import { isKindName, isReservedKind, matchesKind } from './kinds.ts';
import type { AuthorKind, Kind, MatchedBy } from './kinds.ts';
import type { ErrorReport, ReportDraft } from './report.ts';
import { ambientStamp } from './stamp.ts';

/** What `details` holds for a kind; an author's package may add rows by declaration merging. */
export type DetailsOf<K> = K extends keyof KindDetails ? KindDetails[K] : JsonObject;

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

  /** Id and time are given once; a redactor that comes later still takes out what it knows. */
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
type RaisedDetails<K> = K extends keyof KindDetails ? KindDetails[K] : unknown;

/**
 * What an author throws: `throw raise('external.order.missing', 'No such order', { id })`.
 * Throws `internal.envelope_invalid` for a kind that is malformed or belongs to the runtime.
 */
export function raise<const K extends string>(
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

type ReportOf<K extends string> = ErrorReport<MatchedBy<K>, DetailsOf<MatchedBy<K>>>;

/**
 * True when the error or the report is of that kind; `provider.*` matches all under the prefix.
 * Narrows `kind` and `details`, which both have.
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
