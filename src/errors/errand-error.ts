/**
 * The one error class that carries a report. Recognised by a registered symbol, never by
 * `instanceof`: two copies of the package, or two realms, still know each other's errors.
 */
import { buildReport } from './build.ts';
import { causeChain } from './cause-chain.ts';
import { isPlainObject, readProperty, type JsonObject } from './json.ts';
import { isKindName, isReservedKind, matchesKind, type AuthorKind, type Kind } from './kinds.ts';
import type { KindDetails } from './kind-details.ts';
import type { Redactor } from './redact.ts';
import type { ErrorReport, ReportDraft, Stamp } from './report.ts';
import { ambientStamp } from './stamp.ts';

/** Holds the function that gives the report; it is stamped by whoever asks first. */
export const REPORT_OF: unique symbol = Symbol.for('errand.report') as never;

const MAX_CHAIN_END = 32;

/** What `details` holds for a kind; an author's package may add rows by declaration merging. */
export type DetailsOf<K> = K extends keyof KindDetails ? KindDetails[K] : JsonObject;

export interface ReportRequest {
  readonly stamp?: Stamp | undefined;
  readonly redactor?: Redactor | undefined;
}

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

  [REPORT_OF](request: ReportRequest, cause: ErrorReport | undefined): ErrorReport {
    const inherited = this.#draft.cause ?? cause;
    this.#report ??= buildReport(
      inherited === undefined ? this.#draft : { ...this.#draft, cause: inherited },
      { stamp: request.stamp ?? ambientStamp(), redactor: request.redactor },
    );
    return this.#report;
  }

  toJSON(): ErrorReport {
    return this.report;
  }
}

/**
 * The report of the outermost error of ours along the cause chain, from any copy of the package.
 * Foreign wrappers are transparent: they neither rename a failure nor hide it.
 */
export function carriedReport(
  value: unknown,
  request: ReportRequest = {},
): ErrorReport | undefined {
  const carriers = [...causeChain(value)].filter(isCarrier);
  // every carrier inherits from the one below, so the chain is built from its root outward
  return endsOf(carriers).reduceRight<ErrorReport | undefined>(
    (cause, carrier) => reportOf(carrier, request, cause) ?? cause,
    undefined,
  );
}

/**
 * What an author throws: `throw raise('external.order.missing', 'No such order', { id })`.
 * Throws `internal.envelope_invalid` for a kind that is malformed or belongs to the runtime.
 */
export function raise<const K extends string>(
  kind: AuthorKind<K> & K,
  message: string,
  details?: unknown,
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

/** True when the error or report is of that kind; `provider.*` matches all under the prefix. */
export function isKind<K extends Kind>(value: ErrorReport, kind: K): value is ErrorReport<K, DetailsOf<K>>;
export function isKind<K extends Kind>(value: unknown, kind: K): value is ErrandError<K>;
export function isKind(value: unknown, kind: string): boolean {
  if (!isReportShaped(value) && !isCarrier(value)) return false;
  const own = readProperty(value, 'kind');
  return typeof own === 'string' && matchesKind(own, kind);
}

/** A report as data; what crosses a process or an HTTP boundary has no class left. */
export function isReportShaped(value: unknown): value is ErrorReport {
  return (
    isPlainObject(value) &&
    typeof readProperty(value, 'v') === 'number' &&
    isKindName(readProperty(value, 'kind')) &&
    typeof readProperty(value, 'message') === 'string' &&
    typeof readProperty(value, 'category') === 'string'
  );
}

type Carrier = object & Record<typeof REPORT_OF, (...args: unknown[]) => unknown>;

function isCarrier(value: unknown): value is Carrier {
  return typeof readProperty(value, REPORT_OF) === 'function';
}

function reportOf(
  carrier: Carrier,
  request: ReportRequest,
  cause: ErrorReport | undefined,
): ErrorReport | undefined {
  try {
    const report = carrier[REPORT_OF](request, cause);
    return isReportShaped(report) ? report : undefined;
  } catch {
    // something that wears the symbol and is not ours; it counts as a foreign link
    return undefined;
  }
}

/** A chain of thousands keeps its two ends: what happened last, and the root fault. */
function endsOf<T>(chain: readonly T[]): readonly T[] {
  return chain.length <= 2 * MAX_CHAIN_END
    ? chain
    : [...chain.slice(0, MAX_CHAIN_END), ...chain.slice(-MAX_CHAIN_END)];
}
