/** Records the failures of a call of `withResilience`, and makes the errors that it ends with. */
import { buildReport, rebuild } from './errors/report/build.ts';
import type { AttemptSummary, ErrorReport, ReportDraft } from './errors/report/report.ts';
import { durationWords } from './errors/render/report-words.ts';
import { ErrandError } from './errors/thrown/errand-error.ts';
import { ambientStamp } from './errors/thrown/stamp.ts';
import type { ReportFromOptions } from './providers/report-from.ts';

export const OVERDUE = 'limit.node_timeout';
export const CANCELLED = 'cancelled.call';

/** The part of a policy that goes into reports. */
interface SeenUnder extends ReportFromOptions {
  readonly deadlineMs?: number;
}

/** The failures so far, and the error that they end in: the last failure is never lost. */
export class Seen {
  readonly #policy: SeenUnder;
  readonly #attempts: AttemptSummary[] = [];
  #last: ErrorReport | undefined;
  /** One of them may have had its effect, whatever came after it. */
  #isOpen = false;

  constructor(policy: SeenUnder) {
    this.#policy = policy;
  }

  /** Counts the attempts of a nested call one by one. */
  add(report: ErrorReport): void {
    const inner = hasOwnRetries(report) ? report.attempts : undefined;
    for (const attempt of inner ?? [summary(report, this.#policy)]) this.#count(attempt);
    this.#last = report;
    this.#isOpen ||= report.outcome === 'unknown';
  }

  #count(attempt: Omit<AttemptSummary, 'number'>): void {
    this.#attempts.push({ ...attempt, number: this.#attempts.length + 1 });
  }

  failed(report: ErrorReport): ErrandError {
    const attempts = this.#attempts;
    const outcome = this.#isOpen ? 'unknown' : report.outcome;
    return new ErrandError(attempts.length === 0 ? report : rebuild(report, { attempts, outcome }));
  }

  /** Makes an error with the last failure as its cause; `cut` if it ended an attempt. */
  ended(draft: ReportDraft, cut = false): ErrandError {
    const { stamp = ambientStamp(), redactor } = this.#policy;
    const cause = this.#last === undefined ? {} : { cause: this.#last };
    const report = buildReport({ ...draft, ...cause }, { stamp, redactor });
    if (cut) this.#count(summary(report, this.#policy));
    return this.failed(report);
  }

  cancelled(cut?: boolean): ErrandError {
    return this.ended({ kind: CANCELLED, message: 'The call was cancelled by its caller' }, cut);
  }

  /** No node has this deadline, so the usual message of the kind does not fit. */
  overdue(cut = false): ErrandError {
    const { deadlineMs = 0 } = this.#policy;
    const { outcome, provider } = this.#last ?? {};
    const within = `its deadline of ${durationWords(deadlineMs)}`;
    return this.ended(
      {
        kind: OVERDUE,
        title: 'Deadline passed',
        message: cut
          ? `The call did not end within ${within}`
          : `The next attempt would come after ${within}`,
        // a call that was abandoned may have done its work
        outcome: cut ? 'unknown' : (outcome ?? 'failed'),
        details: { deadlineMs },
        action: {
          kind: 'raise_limit',
          detail: 'Raise `deadlineMs`, or call again when the cause has passed.',
        },
        ...(provider === undefined ? {} : { provider }),
      },
      cut,
    );
  }
}

/**
 * Whether a nested call has already spent retries of its own: to repeat it would multiply the
 * calls.
 */
export function hasOwnRetries(report: ErrorReport): boolean {
  const { attempts = [], cut, cause } = report;
  if (attempts.length + (cut?.attempts ?? 0) > 1) return true;
  return cause !== undefined && hasOwnRetries(cause);
}

function summary(report: ErrorReport, policy: SeenUnder): Omit<AttemptSummary, 'number'> {
  const target = [policy.provider, policy.model].filter((part) => part !== undefined).join('/');
  return {
    kind: report.kind,
    message: report.message,
    at: report.at,
    ...(target === '' ? {} : { target }),
  };
}
