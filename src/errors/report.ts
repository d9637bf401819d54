/**
 * The report: the immutable record of one failure. Types only; `build.ts` is the one place that
 * makes one, so every report in the system has passed the same bounds and the same redaction.
 */
import type { JsonObject } from './json.ts';
import type { Kind } from './kinds.ts';
import type { ActionKind, Category, Domain, ErrorClass, Outcome } from './vocabulary.ts';

export const REPORT_VERSION = 1;

export interface UserAction {
  readonly kind: ActionKind;
  /** One or two sentences a person can follow. */
  readonly detail: string;
}

/** Where in which workflow; `path` runs through groups and sub-workflows. */
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

/** Which classification rule concluded this, and on what evidence. */
export interface RuleReceipt {
  readonly id: string;
  readonly evidence: readonly string[];
  /** `low` when only prose spoke for it. */
  readonly confidence: 'high' | 'low';
}

/** One line of the ledger of tries behind a failure. */
export interface AttemptSummary {
  /** Counts from 1. */
  readonly number: number;
  readonly kind: Kind;
  readonly message?: string;
  readonly target?: string;
  readonly at?: string;
  readonly waitedMs?: number;
  readonly costUsdMicros?: number;
}

/** What had to be left out to stay within bounds. */
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
  /** Null: nobody knows whether trying again can help. */
  readonly retryable: boolean | null;
  readonly outcome: Outcome;
  /** Safe for a person: no secret, no raw body. */
  readonly message: string;
  readonly title: string;
  readonly details?: D;
  readonly action: UserAction;
  readonly location?: Location;
  /** Where it was raised, then each boundary it crossed, bottom up. */
  readonly frames?: readonly Frame[];
  readonly attempt?: { readonly number: number; readonly max?: number };
  readonly attempts?: readonly AttemptSummary[];
  readonly provider?: ProviderFacts;
  readonly rule?: RuleReceipt;
  /** True when the node declares what it raises, and not this. */
  readonly undeclared?: boolean;
  readonly cause?: ErrorReport;
  readonly at: string;
  readonly cut?: CutCounts;
}

/** What someone who reports a failure has to say; everything left out follows from the catalog. */
export type ReportDraft = Partial<Omit<ErrorReport, 'v' | 'kind' | 'message' | 'details'>> & {
  readonly kind: Kind;
  readonly message: string;
  /** Anything; it is bounded and redacted on the way in. */
  readonly details?: unknown;
};

/** The two facts that no failure knows of itself. */
export interface Stamp {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
}
