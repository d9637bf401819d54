/**
 * The reports that a thrown value carries along its cause chain, joined into one. Recognised by a
 * registered symbol, never by `instanceof`: two copies of the package, or two realms, still know
 * each other's errors. Foreign wrappers are transparent: they neither rename a failure nor hide it.
 */
import { adoptReport, buildReport } from '../report/build.ts';
import { catalogRow } from '../catalog/catalog.ts';
import { DOMAIN_ROW } from '../catalog/domain-row.ts';
import { causeChain } from './cause-chain.ts';
import { aggregated, heldFailures } from './held-failures.ts';
import { isPlainObject, readProperty } from '../support/safe-json.ts';
import { isKindName, isReservedKind } from '../catalog/kinds.ts';
import type { Redactor } from '../redaction/redact.ts';
import type { ErrorReport, Stamp } from '../report/report.ts';
import { ambientStamp } from './stamp.ts';
import { CATEGORIES } from '../catalog/vocabulary.ts';

/** Holds the function that gives the report; the first caller stamps it. */
export const REPORT_OF: unique symbol = Symbol.for('errand.report') as never;

export interface ReportRequest {
  readonly stamp?: Stamp | undefined;
  readonly redactor?: Redactor | undefined;
}

/** In a longer chain not every report is built. */
const MAX_CARRIERS = 24;

/** The report of the outermost failure, with those below it as its cause. */
export function carriedReport(
  value: unknown,
  request: ReportRequest = {},
): ErrorReport | undefined {
  const links = [...causeChain(value)];
  return ownReport(links, request) ?? heldReport(links, request, { left: MAX_HELD });
}

function ownReport(links: readonly unknown[], request: ReportRequest): ErrorReport | undefined {
  if (!links.some(isOurs)) return undefined;
  return joined(
    links.filter((it) => isOurs(it) || isRaise(it)),
    request,
  );
}

/** How many failures are inspected in wrappers without a cause, however they are nested. */
const MAX_HELD = 64;
/** Links of each. */
const MAX_HELD_LINKS = 32;

/** The kind that all failures of a wrapper share; undefined where they differ. */
function heldReport(
  links: readonly unknown[],
  request: ReportRequest,
  looks: { left: number },
): ErrorReport | undefined {
  const look = (inner: unknown): ErrorReport | undefined => {
    if (looks.left-- <= 0) return undefined;
    const below = [...causeChain(inner, MAX_HELD_LINKS)];
    return ownReport(below, request) ?? heldReport(below, request, looks);
  };
  for (const link of links.slice(0, MAX_HELD_LINKS)) {
    for (const inner of heldFailures(link)) {
      const report = look(inner);
      if (report !== undefined) return report;
    }
    const [first, ...others] = aggregated(link).map(look);
    if (first !== undefined && others.every((other) => other?.kind === first.kind)) return first;
  }
  return undefined;
}

/** The same for authors' own error classes: an error with a `kind` that authors may use. */
export function raisedReport(value: unknown, request: ReportRequest = {}): ErrorReport | undefined {
  return joined([...causeChain(value)].filter(isRaise), request);
}

/** An error that carries its report; it may come from another copy of the package. */
export function isCarrier(value: unknown): boolean {
  return typeof readProperty(value, REPORT_OF) === 'function';
}

/** A report as data: an error that crossed a process or an HTTP boundary has lost its class. */
export function isReportShaped(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    typeof readProperty(value, 'v') === 'number' &&
    isKindName(readProperty(value, 'kind')) &&
    typeof readProperty(value, 'message') === 'string' &&
    CATEGORIES.some((category) => category === readProperty(value, 'category'))
  );
}

function isOurs(link: unknown): boolean {
  return isCarrier(link) || isReportShaped(link);
}

function isRaise(link: unknown): boolean {
  const kind = readProperty(link, 'kind');
  return isKindName(kind) && !isReservedKind(kind);
}

/** From the root outward, because every failure inherits from the one below. */
function joined(links: readonly unknown[], request: ReportRequest): ErrorReport | undefined {
  const options = { stamp: request.stamp ?? ambientStamp(), redactor: request.redactor };
  return thatMatter(links).reduceRight<ErrorReport | undefined>(
    (cause, link) => reportOf(link, cause, options) ?? cause,
    undefined,
  );
}

/**
 * The outermost, the root fault, and in between the one that those above inherit from: the first
 * that is not a mere wrapper.
 */
function thatMatter(links: readonly unknown[]): readonly unknown[] {
  if (links.length <= MAX_CARRIERS) return links;
  const outer = links.slice(0, MAX_CARRIERS - 2);
  const deciding = links.slice(outer.length, -1).find((link) => !isWrapper(link));
  return [...outer, ...(deciding === undefined ? [] : [deciding]), links.at(-1)];
}

function isWrapper(link: unknown): boolean {
  const kind = readProperty(link, 'kind');
  return (typeof kind === 'string' ? catalogRow(kind) : undefined)?.inherits ?? DOMAIN_ROW.inherits;
}

function reportOf(
  link: unknown,
  cause: ErrorReport | undefined,
  options: { readonly stamp: Stamp; readonly redactor: Redactor | undefined },
): ErrorReport | undefined {
  const give = readProperty(link, REPORT_OF);
  if (typeof give === 'function') {
    try {
      const carried: unknown = Reflect.apply(give, link, [options, cause]);
      return isReportShaped(carried) ? adoptReport(carried, options) : undefined;
    } catch {
      // a foreign object under our symbol; it counts as a foreign link
      return undefined;
    }
  }
  if (isReportShaped(link)) return adoptReport(link, options);
  const kind = readProperty(link, 'kind');
  const message = readProperty(link, 'message');
  return buildReport(
    {
      kind: isKindName(kind) ? kind : 'internal.envelope_invalid',
      message: typeof message === 'string' && message !== '' ? message : String(kind),
      details: readProperty(link, 'details'),
      ...(cause === undefined ? {} : { cause }),
    },
    options,
  );
}
