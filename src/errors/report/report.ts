/**
 * The report: the immutable record of one failure. Types only; only `build.ts` makes one, so every report
 * in the system has passed the same bounds and the same redaction.
 */
import type { JsonObject } from '../support/safe-json.ts';
import type { Kind } from '../catalog/kinds.ts';
import type { ActionKind, Category, Domain, ErrorClass, Outcome } from '../catalog/vocabulary.ts';

export const REPORT_VERSION = 1;

export interface UserAction {
  readonly kind: ActionKind;
  /** One or two sentences that a person can follow. */
  readonly detail: string;
}

/** The place in a workflow; `path` runs through groups and sub-workflows. */
export interface Frame {
  readonly workflow?: string;
  readonly node?: string;
  readonly path?: string;
}

export interface Location extends Frame {
  /** Relative to the project, never absolute. */
  readonly file?: string;
  /** JSON Pointer into the file. */
  readonly pointer?: string;
  readonly line?: number;
  readonly column?: number;
}

export interface ProviderFacts {
  readonly name?: string;
  readonly model?: string;
  readonly status?: number;
  readonly code?: string;
  readonly type?: string;
  readonly requestId?: string;
  readonly retryAfterMs?: number;
  /** The limit that was hit, in the provider's words, such as `tokens per minute`. */
  readonly limit?: string;
}

/** The classification rule that concluded this, and its evidence. */
export interface RuleReceipt {
  readonly id: string;
  readonly evidence: readonly string[];
  /** `low` when only prose supports it. */
  readonly confidence: 'high' | 'low';
}

/** One call behind a failure. */
export interface AttemptSummary {
  /** Counts from 1. */
  readonly number: number;
  readonly kind: Kind;
  readonly message?: string;
  readonly target?: string;
  readonly at?: string;
  readonly waitedMs?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly costUsdMicros?: number;
}

/** Counts of parts that were left out to stay within bounds. */
export interface CutCounts {
  readonly messageChars?: number;
  readonly details?: number;
  readonly attempts?: number;
  readonly frames?: number;
  readonly causes?: number;
}

export interface ErrorReport<K extends Kind = Kind, D extends JsonObject = JsonObject> {
  readonly v: typeof REPORT_VERSION;
  /** The correlation id; the internal record of the same failure has it too. */
  readonly id: string;
  readonly kind: K;
  readonly class: ErrorClass;
  readonly category: Category;
  readonly domain: Domain;
  /** Null: not known whether a retry can help. */
  readonly retryable: boolean | null;
  readonly outcome: Outcome;
  /** Safe for a person: no secret, no raw body. */
  readonly message: string;
  readonly title: string;
  readonly details?: D;
  readonly action: UserAction;
  readonly location?: Location;
  /** The place where it was raised, then each boundary it crossed, from the inside out. */
  readonly frames?: readonly Frame[];
  readonly attempt?: { readonly number: number; readonly max?: number };
  readonly attempts?: readonly AttemptSummary[];
  readonly provider?: ProviderFacts;
  readonly rule?: RuleReceipt;
  /** True when the node has `raises` without this kind. */
  readonly undeclared?: boolean;
  readonly cause?: ErrorReport;
  readonly at: string;
  readonly cut?: CutCounts;
}

/** The input for a report; the catalog supplies omitted fields. */
export type ReportDraft = Partial<Omit<ErrorReport, 'v' | 'kind' | 'message' | 'details'>> & {
  readonly kind: Kind;
  readonly message: string;
  /** Anything; it is bounded and redacted on the way in. */
  readonly details?: unknown;
};

/** Id and time, which come from outside the failure. */
export interface Stamp {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
}
