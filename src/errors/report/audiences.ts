/**
 * Audiences of a report, and which fields each may see. Each view is an allow-list: a field that is not
 * named here does not leave, and a new field of the report stays inside until it is added here.
 */
import { catalogRow } from '../catalog/catalog.ts';
import { DOMAIN_ROW } from '../catalog/domain-row.ts';
import type { JsonObject } from '../support/safe-json.ts';
import { hideInternalsDeep, hideInternalShapes } from '../redaction/hide-internals.ts';
import type { ErrorReport, Location, UserAction } from './report.ts';
import type { Category, Domain, ErrorClass } from '../catalog/vocabulary.ts';

/** For a person: the whole report, with host paths reduced to file names and without frames of stacks. */
export type PersonReport = Omit<ErrorReport, 'cause'> & { readonly cause?: PersonReport };

/** For a language model: enough to react, nothing to leak. */
export interface ModelReport {
  readonly kind: string;
  readonly message: string;
  /** Whether a retry can help. */
  readonly retryable: boolean | null;
}

/** For a client over HTTP. */
export interface PublicReport {
  readonly id: string;
  readonly kind: string;
  readonly category: Category;
  readonly domain: Domain;
  readonly retryable: boolean | null;
  readonly title: string;
  readonly message: string;
  readonly action: UserAction;
  readonly location?: Omit<Location, 'file'>;
  readonly retryAfterMs?: number;
  readonly details?: JsonObject;
}

export interface PublicOptions {
  /** `verbose` also shows messages and details that came from outside Errand. Default: strict. */
  readonly disclosure?: 'strict' | 'verbose';
}

const PERSON_FIELDS = [
  'v',
  'id',
  'kind',
  'class',
  'category',
  'domain',
  'retryable',
  'outcome',
  'message',
  'title',
  'details',
  'action',
  'location',
  'frames',
  'attempt',
  'attempts',
  'provider',
  'rule',
  'undeclared',
  'at',
  'cut',
] as const satisfies readonly (keyof ErrorReport)[];

/** Classes whose message may quote a function, a script, a tool or a bug. */
const QUOTING_CLASSES: ReadonlySet<ErrorClass> = new Set([
  'call',
  'script',
  'sandbox',
  'tool_transient',
  'tool_terminal',
  'agent',
  'extension',
  'internal',
]);

/**
 * A report as a person sees it: whole, without the paths of the host.
 * @example
 * ```ts
 * import { forPerson, toReport } from 'errand/errors';
 *
 * const error = new Error('cannot read /home/ada/orders/key.json');
 * const report = toReport(error, { fallback: 'call.failed' });
 * console.log(forPerson(report).message); // cannot read …/key.json
 * ```
 */
export function forPerson(report: ErrorReport): PersonReport {
  const kept = PERSON_FIELDS.filter((field) => report[field] !== undefined);
  const shown = Object.fromEntries(kept.map((field) => [field, hideInternalsDeep(report[field])]));
  return {
    // the same fields, and hiding a path keeps the type of a value
    ...(shown as Omit<PersonReport, 'cause'>),
    ...(report.cause === undefined ? {} : { cause: forPerson(report.cause) }),
  };
}

/**
 * A report as a model sees it: kind, message and whether to try again.
 * @example
 * ```ts
 * import { failure, forModel } from 'errand/errors';
 *
 * console.log(forModel(failure('order.missing', 'No order').report).kind); // order.missing
 * ```
 */
export function forModel(report: ErrorReport): ModelReport {
  const message = hideInternalShapes(report.message);
  return { kind: report.kind, message, retryable: report.retryable };
}

/**
 * A report as a stranger may see it: without details, causes and what a program quoted.
 * @example
 * ```ts
 * import { failure, forPublic } from 'errand/errors';
 *
 * const { report } = failure('order.missing', 'No order', { cost: 42 });
 * console.log(forPublic(report).kind, 'details' in forPublic(report)); // order.missing false
 * ```
 */
export function forPublic(report: ErrorReport, options: PublicOptions = {}): PublicReport {
  const isVerbose = options.disclosure === 'verbose';
  const isQuoting = QUOTING_CLASSES.has(report.class) && !isVerbose;
  const { file: _file, ...location } = report.location ?? {};
  const retryAfterMs = report.provider?.retryAfterMs;
  return hideInternalsDeep({
    id: report.id,
    kind: report.kind,
    category: report.category,
    domain: report.domain,
    retryable: report.retryable,
    title: report.title,
    message: isQuoting ? report.title : report.message,
    action: report.action,
    ...(Object.keys(location).length === 0 ? {} : { location }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
    ...(isVerbose && report.details !== undefined ? { details: report.details } : {}),
  });
}

/**
 * The status an HTTP answer has when it carries this report.
 * @example
 * ```ts
 * import { failure, httpStatus } from 'errand/errors';
 *
 * console.log(httpStatus(failure('order.missing', 'No order').report)); // 422
 * ```
 */
export function httpStatus(report: ErrorReport): number {
  return (catalogRow(report.kind) ?? DOMAIN_ROW).httpStatus;
}

/**
 * The exit code of a command that ends on this report.
 * @example
 * ```ts
 * import { exitCode, failure } from 'errand/errors';
 *
 * console.log(exitCode(failure('order.missing', 'No order').report)); // 3
 * ```
 */
export function exitCode(report: ErrorReport): number {
  return (catalogRow(report.kind) ?? DOMAIN_ROW).exitCode;
}
