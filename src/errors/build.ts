/**
 * From a draft to a report: fills in what the catalog knows, inherits field by field from the cause
 * what the draft leaves open, redacts, bounds and freezes. Nothing else makes a report.
 */
import { catalogRow, DOMAIN_ROW } from './catalog.ts';
import type { CatalogRow } from './catalog/row.ts';
import { addCuts } from './cut.ts';
import { boundText, isPlainObject, toBoundedJson, type JsonObject, type TextFilter } from './json.ts';
import { printable, singleLine } from './printable.ts';
import { createRedactor, type Redactor } from './redact.ts';
import {
  REPORT_VERSION,
  type ErrorReport,
  type Frame,
  type Location,
  type ProviderFacts,
  type ReportDraft,
  type Stamp,
} from './report.ts';
import { shrinkToFit } from './shrink.ts';
import type { Category } from './vocabulary.ts';

export const MAX_MESSAGE_CHARS = 2000;
const MAX_WORD_CHARS = 300;
const MAX_FRAMES = 32;
const MAX_ATTEMPTS = 50;
const MAX_EVIDENCE = 8;
const DETAIL_BOUNDS = { maxDepth: 16, maxNodes: 4000, maxStringChars: 4000, maxChars: 40_000 };

const SHAPES_ONLY: Redactor = createRedactor();

export interface BuildOptions {
  readonly stamp: Stamp;
  /** Knows the configured key values; without one, only secret shapes are taken out. */
  readonly redactor?: Redactor | undefined;
}

export function buildReport(draft: ReportDraft, options: BuildOptions): ErrorReport {
  const { text: filter } = options.redactor ?? SHAPES_ONLY;
  const row = catalogRow(draft.kind) ?? DOMAIN_ROW;
  const word = (text: string): string =>
    boundText(singleLine(printable(text)), MAX_WORD_CHARS, filter).text;

  const message = boundText(printable(draft.message), MAX_MESSAGE_CHARS, filter);
  const details = boundDetails(draft.details, filter);
  const frames = (draft.frames ?? draft.cause?.frames ?? []).slice(0, MAX_FRAMES);
  const attempts = (draft.attempts ?? []).slice(-MAX_ATTEMPTS);
  const location = draft.location ?? draft.cause?.location;
  const provider = mergeProvider(draft.cause?.provider, draft.provider);
  const cut = addCuts(draft.cut, {
    messageChars: message.cutChars,
    details: details?.cut ?? 0,
    frames: (draft.frames ?? draft.cause?.frames ?? []).length - frames.length,
    attempts: (draft.attempts?.length ?? 0) - attempts.length,
  });

  const report: ErrorReport = {
    v: REPORT_VERSION,
    id: word(draft.id ?? options.stamp.id),
    kind: draft.kind,
    class: draft.class ?? row.class,
    ...classification(draft, row),
    message: message.text,
    title: word(draft.title ?? row.title),
    ...(details === undefined ? {} : { details: details.value }),
    action: action(draft, row, filter),
    ...(location === undefined ? {} : { location: mapWords(location, word) satisfies Location }),
    ...(frames.length === 0 ? {} : { frames: frames.map((f): Frame => mapWords(f, word)) }),
    ...(draft.attempt === undefined ? {} : { attempt: { ...draft.attempt } }),
    ...(attempts.length === 0 ? {} : { attempts: attempts.map((a) => mapWords(a, word)) }),
    ...(provider === undefined ? {} : { provider: mapWords(provider, word) }),
    ...(draft.rule === undefined
      ? {}
      : {
          rule: {
            id: word(draft.rule.id),
            evidence: draft.rule.evidence.slice(0, MAX_EVIDENCE).map(word),
            confidence: draft.rule.confidence,
          },
        }),
    ...(draft.undeclared === undefined ? {} : { undeclared: draft.undeclared }),
    ...(draft.cause === undefined ? {} : { cause: draft.cause }),
    at: word(draft.at ?? options.stamp.at),
    ...(cut === undefined ? {} : { cut }),
  };
  return deepFreeze(shrinkToFit(report));
}

/** The same failure, one boundary further out. */
export function crossBoundary(report: ErrorReport, frame: Frame): ErrorReport {
  return rebuild(report, { frames: [...(report.frames ?? []), frame] });
}

/** A report with some fields replaced; id, time and everything else stay. */
export function rebuild(report: ErrorReport, changes: Partial<ReportDraft>): ErrorReport {
  return buildReport({ ...report, ...changes }, { stamp: report });
}

/** Only waiting is worth a retry nobody asked for; of the unknown nothing is claimed. */
export function retryableByDefault(category: Category): boolean | null {
  if (category === 'unknown') return null;
  return category === 'transient';
}

type Classification = Pick<ErrorReport, 'category' | 'domain' | 'retryable' | 'outcome'>;

function classification(draft: ReportDraft, row: CatalogRow): Classification {
  const inherited = row.inherits ? draft.cause : undefined;
  const category = draft.category ?? inherited?.category ?? row.category;
  const fromCategory =
    draft.category === undefined && inherited !== undefined
      ? inherited.retryable
      : retryableByDefault(category);
  return {
    category,
    domain: draft.domain ?? inherited?.domain ?? row.domain,
    retryable: draft.retryable === undefined ? fromCategory : draft.retryable,
    outcome: draft.outcome ?? inherited?.outcome ?? row.outcome,
  };
}

function action(draft: ReportDraft, row: CatalogRow, filter: TextFilter): ErrorReport['action'] {
  const chosen = draft.action ?? (row.inherits ? draft.cause?.action : undefined) ?? row.action;
  return { kind: chosen.kind, detail: boundText(printable(chosen.detail), MAX_MESSAGE_CHARS / 2, filter).text };
}

function boundDetails(
  details: unknown,
  filter: TextFilter,
): { readonly value: JsonObject; readonly cut: number } | undefined {
  if (details === undefined || details === null) return undefined;
  const asObject = isPlainObject(details) ? details : { value: details };
  const bounded = toBoundedJson(asObject, DETAIL_BOUNDS, filter);
  const value = isPlainObject(bounded.value) ? (bounded.value as JsonObject) : { value: bounded.value };
  return Object.keys(value).length === 0 ? undefined : { value, cut: bounded.cut };
}

function mergeProvider(
  below: ProviderFacts | undefined,
  own: ProviderFacts | undefined,
): ProviderFacts | undefined {
  const known = Object.entries(own ?? {}).filter(([, value]) => value !== undefined);
  const merged: ProviderFacts = { ...below, ...Object.fromEntries(known) };
  return Object.keys(merged).length === 0 ? undefined : merged;
}

function mapWords<T extends object>(record: T, word: (text: string) => string): T {
  const mapped = Object.entries(record)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, typeof value === 'string' ? word(value) : value]);
  // same keys, and a string stays a string
  return Object.fromEntries(mapped) as T;
}

function deepFreeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const item of Object.values(value)) deepFreeze(item);
  return value;
}
