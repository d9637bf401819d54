/** A row of the catalog: everything that is true of a kind before it happens. */
import type { FailureExit } from './exit-codes.ts';
import type { ActionKind, Category, Domain, ErrorClass, Outcome } from './vocabulary.ts';

/** The default retries of a kind; a server's hint, where there is one, replaces the waits. */
export interface RetrySchedule {
  /** Attempts in all, the first included. */
  readonly attempts: number;
  /** Wait before attempt 2, 3, …; the last one repeats. */
  readonly waitsMs: readonly number[];
}

export interface CatalogRow {
  readonly class: ErrorClass;
  /** The usual category; a report may have another one, depending on the outcome of the work. */
  readonly category: Category;
  readonly domain: Domain;
  readonly outcome: Outcome;
  /**
   * True for a kind that only wraps: category, retryable, outcome, domain and action come from its
   * cause if it has one, and otherwise from this row.
   */
  readonly inherits: boolean;
  /** Null if only a route or the tool's own policy retries it. */
  readonly schedule: RetrySchedule | null;
  readonly httpStatus: number;
  /** The exit code of a command that ends on it. */
  readonly exitCode: FailureExit;
  readonly action: { readonly kind: ActionKind; readonly detail: string };
  /** The same for every occurrence; no full stop. */
  readonly title: string;
  /** Explains what happened and why, what to do, and how Errand reacts by itself. */
  readonly help: string;
}
