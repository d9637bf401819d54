/**
 * Who may see what of a report. Each projection is an allow-list: a field that is not named here
 * does not leave, and a field added to the report stays inside until someone decides otherwise.
 */
import { catalogRow, DOMAIN_ROW } from './catalog.ts';
import type { JsonObject } from './json.ts';
import { hideHostPaths, hideHostPathsDeep } from './host-paths.ts';
import type { ErrorReport, Location, UserAction } from './report.ts';
import type { Category, Domain, ErrorClass } from './vocabulary.ts';

/** For a person: the whole report, with host paths reduced to file names. */
export type PersonReport = Omit<ErrorReport, 'cause'> & { readonly cause?: PersonReport };

/** For a language model: enough to react, nothing to leak. */
export interface ModelReport {
  readonly kind: string;
  readonly message: string;
  /** Whether trying again can help. */
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

/** Classes whose message may quote what a function, a script, a tool or a bug said. */
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

export function forPerson(report: ErrorReport): PersonReport {
  const kept = PERSON_FIELDS.filter((field) => report[field] !== undefined);
  const shown = Object.fromEntries(kept.map((field) => [field, hideHostPathsDeep(report[field])]));
  return {
    // the same fields, and hiding a path keeps the type of a value
    ...(shown as Omit<PersonReport, 'cause'>),
    ...(report.cause === undefined ? {} : { cause: forPerson(report.cause) }),
  };
}

export function forModel(report: ErrorReport): ModelReport {
  const message = hideHostPaths(report.message);
  return { kind: report.kind, message, retryable: report.retryable };
}

export function forPublic(report: ErrorReport, options: PublicOptions = {}): PublicReport {
  const isVerbose = options.disclosure === 'verbose';
  const isQuoting = QUOTING_CLASSES.has(report.class) && !isVerbose;
  const { file: _file, ...location } = report.location ?? {};
  const retryAfterMs = report.provider?.retryAfterMs;
  return hideHostPathsDeep({
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

/** The status an HTTP answer has when it carries this report. */
export function httpStatus(report: ErrorReport): number {
  return (catalogRow(report.kind) ?? DOMAIN_ROW).httpStatus;
}

/** The exit code of a command that ends on this report. */
export function exitCode(report: ErrorReport): number {
  return (catalogRow(report.kind) ?? DOMAIN_ROW).exitCode;
}
