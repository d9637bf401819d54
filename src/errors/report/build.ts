/**
 * Builds a report from a draft: checks each field, fills in values from the catalog, inherits open
 * fields from the cause one by one, redacts, bounds and freezes. Nothing else makes a report, and
 * the result is valid whatever the input.
 */
import { boundText } from './bounded-text.ts';
import { endsOf, MAX_CAUSE_DEPTH } from './report-limits.ts';
import { MAX_MESSAGE_CHARS } from './report-limits.ts';
import { catalogRow } from '../catalog/catalog.ts';
import { DOMAIN_ROW } from '../catalog/domain-row.ts';
import type { CatalogRow } from '../catalog/row.ts';
import { causeChain } from '../thrown/cause-chain.ts';
import { addCuts } from './omission-counts.ts';
import { boundDetails } from './details.ts';
import { checkFields, lengthOf, type CheckedFields } from './fields.ts';
import { isPlainObject, readProperty } from '../support/safe-json.ts';
import { type Redactor } from '../redaction/redact.ts';
import {
  REPORT_VERSION,
  type ErrorReport,
  type Frame,
  type ReportDraft,
  type Stamp,
} from './report.ts';
import { shrinkToFit } from './fit-size.ts';
import { deepFreeze, freezeSmall } from './freeze-report.ts';
import {
  BY_SHAPES,
  cleaner,
  cleanRule,
  mapWords,
  SHAPES_ONLY,
  stampedId,
} from './report-cleaner.ts';
import type { Category, Outcome } from '../catalog/vocabulary.ts';

/** The redactor of each report made here, so that no report is redacted twice by the same one. */
const REDACTED_BY = new WeakMap<object, Redactor>();

/** Where and at which attempt a failure happened, as its recorder knows it. */
export type ReportDefaults = Pick<ReportDraft, 'location' | 'frames' | 'attempt'>;

export interface BuildOptions {
  readonly stamp: Stamp;
  /** Knows the configured key values; without it, only secret shapes are redacted. */
  readonly redactor?: Redactor | undefined;
  /** Values that count where neither the draft nor its cause has one. */
  readonly defaults?: ReportDefaults | undefined;
}

/**
 * Makes a report: bounded, without secrets, and with what the catalog says of its kind.
 * @example
 * ```ts
 * import { buildReport } from 'errand/errors';
 *
 * const stamp = { id: 'err_1', at: '2026-01-01T00:00:00.000Z' };
 * const report = buildReport({ kind: 'limit.budget', message: 'The money is spent' }, { stamp });
 * console.log(report.category, report.action.kind); // limit raise_limit
 * ```
 */
export function buildReport(draft: ReportDraft, options: BuildOptions): ErrorReport {
  const below = adoptCause(readProperty(draft, 'cause'), options);
  return finish(assemble(draft, below, options, checkDefaults(options)), options);
}

/** The outcome that a report of the draft has, without building it. */
export function outcomeOf({
  kind,
  outcome,
  cause,
}: Pick<ReportDraft, 'kind' | 'outcome' | 'cause'>): Outcome {
  return outcomeIn(catalogRow(kind) ?? DOMAIN_ROW, outcome, cause);
}

/** Takes a report from any source: unchanged if it was made here, otherwise field by field. */
export function adoptReport(value: unknown, options: BuildOptions): ErrorReport {
  if (isAdopted(value, options)) return value;
  const below = adoptCause(readProperty(value, 'cause'), options);
  return finish(assemble(draftFrom(value), below, options), options);
}

/**
 * The same failure, one boundary further out.
 * @example
 * ```ts
 * import { crossBoundary, toReport } from 'errand/errors';
 *
 * const outer = crossBoundary(toReport(new Error('boom')), { workflow: 'refund', node: 'pay' });
 * console.log(outer.frames); // [ { workflow: 'refund', node: 'pay' } ]
 * ```
 */
export function crossBoundary(report: ErrorReport, frame: Frame): ErrorReport {
  return rebuild(report, { frames: [...(report.frames ?? []), frame] });
}

/**
 * A report with some fields replaced; id, time and everything else stay.
 * @example
 * ```ts
 * import { rebuild, toReport } from 'errand/errors';
 *
 * const report = toReport(new Error('boom'));
 * const located = rebuild(report, { location: { node: 'pay' } });
 * console.log(located.id === report.id, located.location); // true { node: 'pay' }
 * ```
 */
export function rebuild(
  report: ErrorReport,
  changes: Partial<ReportDraft>,
  options: { readonly redactor?: Redactor | undefined } = {},
): ErrorReport {
  const redactor = options.redactor ?? REDACTED_BY.get(report);
  return buildReport({ ...report, ...changes }, { stamp: report, redactor });
}

/** True if waiting helps; null if that is unknown. */
export function retryableByDefault(category: Category): boolean | null {
  if (category === 'unknown') return null;
  return category === 'transient';
}

/** True for a report that has passed all checks of this file and cannot have changed since. */
export function isMadeHere(value: unknown): value is ErrorReport {
  return isPlainObject(value) && REDACTED_BY.has(value);
}

function isAdopted(value: unknown, { redactor }: BuildOptions): value is ErrorReport {
  if (!isPlainObject(value)) return false;
  const used = REDACTED_BY.get(value);
  return used !== undefined && (redactor === undefined || redactor === used);
}

function draftFrom(value: unknown): ReportDraft {
  return {
    kind: 'internal.unexpected',
    message: 'A failure arrived whose report could not be read',
    ...checkFields(value).good,
  };
}

interface Below {
  readonly cause?: ErrorReport;
  /** Links of a chain that is too long; its root is not among them. */
  readonly left: number;
}

/** Built from the root outward, because each report inherits from the one below. */
function adoptCause(value: unknown, options: BuildOptions): Below {
  const chain: object[] = [];
  for (const link of causeChain(value)) {
    if (!isPlainObject(link)) break;
    chain.push(link);
    if (isAdopted(link, options)) break;
  }
  const kept = endsOf(chain, MAX_CAUSE_DEPTH);
  const cause = kept.reduceRight<ErrorReport | undefined>(
    (below, link) =>
      isAdopted(link, options)
        ? link
        : assemble(
            draftFrom(link),
            below === undefined ? NOTHING : { cause: below, left: 0 },
            options,
          ),
    undefined,
  );
  return cause === undefined ? NOTHING : { cause, left: chain.length - kept.length };
}

const NOTHING: Below = { left: 0 };

/** The caller's values pass the same checks as those of a draft. */
function checkDefaults({ defaults }: BuildOptions): ReportDefaults {
  if (defaults === undefined) return {};
  const { location, frames, attempt } = checkFields(defaults).good;
  return {
    ...(location === undefined ? {} : { location }),
    ...(frames === undefined ? {} : { frames }),
    ...(attempt === undefined ? {} : { attempt }),
  };
}

/** The report before it is fitted into its size. */
function assemble(
  draft: unknown,
  below: Below,
  options: BuildOptions,
  defaults: ReportDefaults = {},
): ErrorReport {
  const { good } = checkFields(draft);
  const { cause } = below;
  const { redactor } = options;
  const clean = redactor === undefined || redactor === SHAPES_ONLY ? BY_SHAPES : cleaner(redactor);
  const kind = good.kind ?? 'internal.envelope_invalid';
  const row = catalogRow(kind) ?? DOMAIN_ROW;

  const message = boundText(good.message ?? '', MAX_MESSAGE_CHARS, clean.text);
  const details = boundDetails(readProperty(draft, 'details'), clean.json, {
    isGroup: row.class === 'group',
  });
  const location = good.location ?? cause?.location ?? defaults.location;
  const frames = good.frames ?? cause?.frames ?? defaults.frames;
  const attempt = good.attempt ?? defaults.attempt;
  const provider = mergeProvider(cause?.provider, good.provider);
  const action = good.action ?? (row.inherits ? cause?.action : undefined) ?? row.action;
  const cut = addCuts(good.cut, {
    messageChars: message.cutChars,
    details: details?.cut ?? 0,
    frames: dropped(draft, 'frames', good),
    attempts: dropped(draft, 'attempts', good),
    causes: below.left,
  });

  return {
    v: REPORT_VERSION,
    id: clean.word(good.id ?? '') || stampedId(options.stamp.id, clean) || 'unknown',
    kind,
    class: good.class ?? row.class,
    ...classification(good, row, cause),
    message: message.text || row.title,
    title: clean.word(good.title ?? '') || row.title,
    ...(details === undefined ? {} : { details: details.value }),
    action: action === row.action ? { ...row.action } : clean.action(action),
    ...(location === undefined ? {} : { location: mapWords(location, clean.word) }),
    ...(frames === undefined ? {} : { frames: frames.map((it) => mapWords(it, clean.word)) }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(good.attempts === undefined
      ? {}
      : { attempts: good.attempts.map((it) => mapWords(it, clean.word)) }),
    ...(provider === undefined ? {} : { provider: mapWords(provider, clean.word) }),
    ...(good.rule === undefined ? {} : { rule: cleanRule(good.rule, clean) }),
    ...(good.undeclared === undefined ? {} : { undeclared: good.undeclared }),
    ...(cause === undefined ? {} : { cause }),
    at: good.at ?? options.stamp.at,
    ...(cut === undefined ? {} : { cut }),
  };
}

function finish(report: ErrorReport, { redactor = SHAPES_ONLY }: BuildOptions): ErrorReport {
  const finished = freezeSmall(report) ?? deepFreeze(shrinkToFit(report));
  for (let link: ErrorReport | undefined = finished; link !== undefined; link = link.cause) {
    if (!REDACTED_BY.has(link)) REDACTED_BY.set(link, redactor);
  }
  return finished;
}

type Classification = Pick<ErrorReport, 'category' | 'domain' | 'retryable' | 'outcome'>;

function classification(
  good: Partial<CheckedFields>,
  row: CatalogRow,
  cause: ErrorReport | undefined,
): Classification {
  const inherited = row.inherits ? cause : undefined;
  const category = good.category ?? inherited?.category ?? row.category;
  const fromCategory =
    good.category === undefined && inherited !== undefined
      ? inherited.retryable
      : retryableByDefault(category);
  return {
    category,
    domain: good.domain ?? inherited?.domain ?? row.domain,
    retryable: good.retryable === undefined ? fromCategory : good.retryable,
    outcome: outcomeIn(row, good.outcome, cause),
  };
}

function outcomeIn(
  row: CatalogRow,
  own: Outcome | undefined,
  cause: ErrorReport | undefined,
): Outcome {
  return own ?? (row.inherits ? cause?.outcome : undefined) ?? row.outcome;
}

function dropped(
  draft: unknown,
  field: 'frames' | 'attempts',
  good: Partial<CheckedFields>,
): number {
  return lengthOf(readProperty(draft, field)) - (good[field]?.length ?? 0);
}

type Provider = ErrorReport['provider'];

function mergeProvider(below: Provider, own: Provider): Provider {
  return below === undefined && own === undefined ? undefined : { ...below, ...own };
}
