/**
 * The failures of one call of a chain: of each attempt, and the one that ends the call, which lists every
 * attempt.
 */
import { buildReport } from '../errors/report/build.ts';
import { usdWords } from '../errors/render/money.ts';
import type { ErrorReport, ReportDraft, Stamp } from '../errors/report/report.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { ambientStamp } from '../errors/thrown/stamp.ts';
import { isTransient } from '../machine/policy/model-chain.ts';
import { failureOf, overdue, timedOut } from './attempt-failure.ts';
import type { CallLedger } from './call-ledger.ts';
import type { OpenAttempt } from './chain-call.ts';
import type { Chain, NamedModel } from './chain-options.ts';

/** Kinds that end a call as they are, although they are transient. */
const OWN: ReadonlySet<string> = new Set(['breaker.open', 'limit.node_timeout', 'limit.budget']);

interface Overspending {
  readonly target: string;
  readonly limit: number;
  readonly spent: number;
}

export class CallFailures<Model extends NamedModel> {
  readonly #chain: Chain<Model>;
  readonly #ledger: CallLedger<Model>;
  #last: ErrorReport | undefined;

  constructor(chain: Chain<Model>, ledger: CallLedger<Model>) {
    this.#chain = chain;
    this.#ledger = ledger;
  }

  /** Keeps the latest failure: it is the cause of an end that comes before the next attempt. */
  note(error: ErrorReport): void {
    this.#last = error;
  }

  of(attempt: OpenAttempt<Model>, thrown: unknown): ErrorReport {
    const { stop } = attempt.scope;
    const { ref } = attempt.entry;
    const seen = { ...attempt, stamp: this.#stamp() };
    if (stop?.by === 'silence') return timedOut(ref, stop.limitMs, seen);
    if (stop?.by !== 'deadline') return failureOf(thrown, ref, seen);
    return this.report(
      overdue(this.#chain.deadlineMs ?? 0, { cause: this.#last, isUnderWay: true, ...attempt }),
    );
  }

  report(draft: ReportDraft): ErrorReport {
    return buildReport(draft, { stamp: this.#stamp() });
  }

  overBudget({ target, limit, spent }: Overspending): ErrandError {
    return this.ended(
      this.report({
        kind: 'limit.budget',
        message: `The next attempt, at ${target}, would exceed the budget of the call (${usdWords(limit)}); ${usdWords(spent)} has been spent`,
        outcome: 'not_started',
        details: { limit, spent, unit: 'usdMicros' },
        ...(this.#last === undefined ? {} : { cause: this.#last }),
      }),
    );
  }

  tooLate(): ErrandError {
    const { deadlineMs = 0 } = this.#chain;
    return this.#endedBefore((cause) =>
      this.report(overdue(deadlineMs, { cause, isUnderWay: false, isDelivered: false })),
    );
  }

  exhausted(): ErrandError {
    return this.#endedBefore((cause) => this.#spent(cause));
  }

  /** The failure that ends the call: transient kinds become exhausted, others keep their kind. */
  ended(error: ErrorReport): ErrandError {
    const final =
      isTransient(error) && error.kind !== 'provider.exhausted' && !OWN.has(error.kind)
        ? this.#spent(error)
        : error;
    const attempts = this.#ledger.failures;
    return new ErrandError(attempts.length === 0 ? final : { ...final, attempts });
  }

  /** The end of a call before its next attempt. */
  #endedBefore(failure: (cause: ErrorReport | undefined) => ErrorReport): ErrandError {
    // nothing was asked, because every breaker is open: the cause says more than its consequence
    if (this.#last?.kind === 'breaker.open') return this.ended(this.#last);
    return this.ended(failure(this.#last ?? this.#remembered()));
  }

  #spent(cause: ErrorReport | undefined): ErrorReport {
    const nowMs = this.#chain.clock.now();
    const ready = this.#chain.entries.map(({ memory, name }) => memory.readyAtMs(name, nowMs));
    const retryAfterMs = Math.max(0, Math.min(...ready) - nowMs);
    const count = this.#ledger.rows.length;
    const tried =
      count === 0
        ? 'All models pause'
        : `No model answered in ${count} attempt${count === 1 ? '' : 's'}`;
    return this.report({
      kind: 'provider.exhausted',
      message: cause === undefined ? tried : `${tried}; the last failure: ${cause.message}`,
      ...(cause === undefined ? {} : { cause }),
      ...(Number.isFinite(retryAfterMs) && retryAfterMs > 0
        ? { provider: { ...cause?.provider, retryAfterMs } }
        : {}),
    });
  }

  /** The latest failure of earlier calls: it caused these pauses. */
  #remembered(): ErrorReport | undefined {
    const known = this.#chain.entries.map(({ memory, name }) => memory.latestFailure(name));
    return known.findLast((report) => report !== undefined);
  }

  #stamp(): Stamp {
    return { id: ambientStamp().id, at: new Date(this.#chain.clock.now()).toISOString() };
  }
}
