/** The form of one row of the catalog: everything that is true of a kind before it happens. */
import type { FailureExit } from '../exit-codes.ts';
import type { ActionKind, Category, Domain, ErrorClass, Outcome } from '../vocabulary.ts';

/** The default retries of a kind; a server's hint, where there is one, replaces the waits. */
export interface RetrySchedule {
  /** Attempts in all, the first included. */
  readonly attempts: number;
  /** Wait before attempt 2, 3, …; the last one repeats. */
  readonly waitsMs: readonly number[];
}

/** The systems whose users may look for a failure under the name they know. */
export const SEED_SYSTEMS = ['relavium', 'stud-cli', 'cycgraph', 'conductor', 'pipelex'] as const;
export type SeedSystem = (typeof SEED_SYSTEMS)[number];

export interface CatalogRow {
  readonly class: ErrorClass;
  /** The usual category; what happened to the work can change it on one report. */
  readonly category: Category;
  readonly domain: Domain;
  readonly outcome: Outcome;
  /**
   * True for a kind that only wraps: category, retryable, outcome, domain and action come from its
   * cause when there is one, and from this row when there is none.
   */
  readonly inherits: boolean;
  /** Null where nothing but a route, or the tool's own policy, retries it. */
  readonly schedule: RetrySchedule | null;
  readonly httpStatus: number;
  /** Of a command that ends on it. */
  readonly exitCode: FailureExit;
  readonly action: { readonly kind: ActionKind; readonly detail: string };
  /** The same for every occurrence; no full stop. */
  readonly title: string;
  /** What happened, why, what to do, and what Errand does by itself. */
  readonly help: string;
  /** The names the same failure has elsewhere. */
  readonly aliases: Readonly<Partial<Record<SeedSystem, readonly string[]>>>;
}
