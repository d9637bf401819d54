/**
 * One call of a chain: asks the next healthy entry, waits while there is none, and ends with an answer
 * or with one failure that lists every attempt. The decisions are the engine's (`machine/policy`); this
 * file waits, keeps the deadline and the budget, and writes the ledger.
 */
import type { ErrorReport, ReportDraft } from '../errors/report/report.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import {
  chooseModel,
  newChain,
  noteFailure,
  noteReply,
  type ChainEntry,
} from '../machine/policy/model-chain.ts';
import type { ReportedUsage } from '../providers/pricing/counted-usage.ts';
import { costUsdMicros, type TokenCounts } from '../providers/pricing/prices.ts';
import { newWireRecord, type WireRecord } from '../providers/wire/wire-events.ts';
import { INLINE_CEILING_MS } from '../workflow/plan/plan-limits.ts';
import type { AttemptRow } from './attempt-row.ts';
import { AttemptScope } from './attempt-scope.ts';
import { usedByAnswer, usedByFailure } from './attempt-usage.ts';
import { CallFailures } from './call-failures.ts';
import { CallLedger } from './call-ledger.ts';
import { beforeContent, contextOf } from './failure-context.ts';
import type { Chain, Entry, NamedModel } from './chain-options.ts';

/** Expected tokens and time limit of each attempt, before it is made. */
export interface Expectation {
  readonly estimate: TokenCounts;
  readonly defaultTimeoutMs: number;
}

/** An attempt that is under way or has its answer; it must be ended once. */
export interface OpenAttempt<Model> {
  readonly entry: Entry<Model>;
  readonly scope: AttemptScope;
  /** Content has reached the caller. */
  isDelivered: boolean;
  /** Something came from the model. */
  isBegun: boolean;
  /** Characters of the answer so far. */
  written: number;
  /** A call of a tool came. */
  hasCalls: boolean;
  /** Facts from the raw events of a stream, which the SDK drops. */
  readonly wire: WireRecord;
  /** The calls that the caller would make. */
  readonly callIds: Set<string>;
  /** Calls whose arguments have begun to come. */
  readonly begunIds: Set<string>;
  /** The provider's count, once it said so. */
  reported?: ReportedUsage;
  /** Its count so far, in the raw events of a stream. */
  counted?: ReportedUsage | undefined;
  /** The caller asked for the raw events of a stream. */
  showsRaw?: boolean;
  readonly estimate: TokenCounts;
  readonly key: string;
  readonly startedMs: number;
}

/** In the metadata of an answer. */
export interface CallRecord {
  readonly servedBy: string;
  readonly costUsdMicros: number;
  readonly attempts: readonly AttemptRow[];
}

let calls = 0;

export class ChainCall<Model extends NamedModel> {
  readonly #chain: Chain<Model>;
  readonly #caller: AbortSignal | undefined;
  readonly #endsAtMs: number;
  readonly #entries: ChainEntry[];
  readonly #ledger: CallLedger<Model>;
  readonly #refused = new Set<ChainEntry>();
  readonly #name = `call ${++calls}`;
  readonly #failures: CallFailures<Model>;

  constructor(chain: Chain<Model>, caller: AbortSignal | undefined) {
    this.#chain = chain;
    this.#caller = caller;
    this.#ledger = new CallLedger(chain);
    this.#failures = new CallFailures(chain, this.#ledger);
    const { clock, deadlineMs, entries } = chain;
    this.#endsAtMs = deadlineMs === undefined ? Infinity : clock.now() + deadlineMs;
    this.#entries = newChain(
      entries.map(({ id, on }) => ({ model: id, ...(on === undefined ? {} : { on }) })),
    );
  }

  /** Asks entries until one answers. Throws an `ErrandError`, or the reason of the caller's signal. */
  async answerOf<T>(
    ask: (attempt: OpenAttempt<Model>) => Promise<T>,
    expected: Expectation,
  ): Promise<{ readonly answer: T; readonly attempt: OpenAttempt<Model> }> {
    for (;;) {
      const attempt = await this.#nextAttempt(expected);
      try {
        return { answer: await ask(attempt), attempt };
      } catch (thrown) {
        const error = this.#failed(attempt, thrown);
        if (!this.#note(attempt, error)) throw this.#failures.ended(error);
      }
    }
  }

  /** Ends an attempt that answered well. */
  succeeded(attempt: OpenAttempt<Model>, reported?: ReportedUsage): CallRecord {
    this.#answered(attempt, reported);
    return {
      servedBy: attempt.entry.target,
      costUsdMicros: this.#ledger.spentUsdMicros,
      attempts: [...this.#ledger.rows],
    };
  }

  /** Ends an attempt whose answer is sent back: the model works, and the answer is billed. */
  sentBack(attempt: OpenAttempt<Model>, error: ReportDraft, reported?: ReportedUsage): ErrandError {
    const report = this.#failures.report(error);
    this.#answered(attempt, reported, report);
    return this.#failures.ended(report);
  }

  #answered(
    attempt: OpenAttempt<Model>,
    reported: ReportedUsage | undefined,
    sentBack?: ErrorReport,
  ): void {
    const { entry, key, scope } = attempt;
    scope.close();
    entry.memory.succeeded(entry.name, key, this.#chain.clock.now());
    noteReply(this.#entries);
    this.#ledger.add(attempt, usedByAnswer(attempt, reported), sentBack);
  }

  /** Ends an attempt that failed. Throws the reason of the caller's signal. */
  #failed(attempt: OpenAttempt<Model>, thrown: unknown): ErrorReport {
    const { stop } = attempt.scope;
    attempt.scope.close();
    if (stop?.by === 'caller') {
      this.abandoned(attempt);
      throw this.#caller?.reason;
    }
    if (stop?.by === 'reader') return this.abandoned(attempt);
    const error = this.#failures.of(attempt, thrown);
    this.#ledger.add(attempt, usedByFailure(attempt, error), error);
    return error;
  }

  /** Ends the call with a failure after content was delivered: no other model is asked. */
  broken(attempt: OpenAttempt<Model>, thrown: unknown): ErrandError {
    const error = this.#failed(attempt, thrown);
    if (attempt.scope.stop?.by !== 'reader') this.#note(attempt, error);
    return new ErrandError({ ...error, attempts: this.#ledger.failures });
  }

  /** Ends an attempt whose answer nobody wants any more. */
  abandoned(attempt: OpenAttempt<Model>): ErrorReport {
    attempt.scope.close();
    attempt.entry.memory.abandoned(attempt.entry.name, attempt.key, this.#chain.clock.now());
    const error = this.#failures.report({
      kind: 'cancelled.call',
      message: `The answer of ${attempt.entry.target} was not read to its end`,
      outcome: 'partial',
    });
    this.#ledger.add(attempt, usedByFailure(attempt, error), error);
    return error;
  }

  async #nextAttempt(expected: Expectation): Promise<OpenAttempt<Model>> {
    for (;;) {
      this.#caller?.throwIfAborted();
      const nowMs = this.#chain.clock.now();
      const choice = chooseModel(this.#entries, nowMs, (id) => this.#readyAtMs(id, nowMs));
      switch (choice.type) {
        case 'spent':
          throw this.#failures.exhausted();
        case 'wait':
          await this.#waitUntil(choice.untilMs);
          break;
        case 'ask': {
          const attempt = this.#begin(this.#entryOf(choice.model), expected);
          if (attempt !== undefined) return attempt;
        }
      }
    }
  }

  /** Undefined where the breaker of the entry refuses the call. Throws `limit.budget`. */
  #begin(entry: Entry<Model>, expected: Expectation): OpenAttempt<Model> | undefined {
    const { clock } = this.#chain;
    const nowMs = clock.now();
    this.#keepBudget(entry, expected.estimate);
    const key = `${this.#name}.${this.#ledger.rows.length}`;
    const refusedUntilMs = entry.memory.begin(entry.name, key, nowMs);
    if (refusedUntilMs !== undefined) {
      this.#turnedAway(entry, refusedUntilMs - nowMs);
      return undefined;
    }
    const limitMs = entry.timeoutMs ?? expected.defaultTimeoutMs;
    const scope = new AttemptScope({
      clock,
      caller: this.#caller,
      endsAtMs: this.#endsAtMs,
      limitMs,
    });
    return {
      entry,
      scope,
      key,
      startedMs: nowMs,
      estimate: { inputTokens: expected.estimate.inputTokens ?? 0 },
      isBegun: false,
      isDelivered: false,
      hasCalls: false,
      wire: newWireRecord(),
      callIds: new Set(),
      begunIds: new Set(),
      written: 0,
    };
  }

  #turnedAway(entry: Entry<Model>, retryAfterMs: number): void {
    const error = this.#failures.report({
      kind: 'breaker.open',
      message: `${entry.target} failed too often; calls to it are refused for the moment`,
      details: { target: entry.target },
      provider: { retryAfterMs },
    });
    const nowMs = this.#chain.clock.now();
    noteFailure(this.#entries, entry.id, error, { ...contextOf(error, nowMs), isTurnedAway: true });
    const refused = this.#entries.find(({ model }) => model === entry.id);
    if (refused !== undefined) this.#refused.add(refused);
    if (this.#ledger.rows.length === 0) this.#failures.note(error);
  }

  /** False when no entry may be asked any more. */
  #note(attempt: OpenAttempt<Model>, error: ErrorReport): boolean {
    const { entry, key, scope } = attempt;
    const nowMs = this.#chain.clock.now();
    if (scope.stop?.by === 'deadline') {
      entry.memory.abandoned(entry.name, key, nowMs);
      return false;
    }
    const pausesAs = attempt.isDelivered ? beforeContent(error) : error;
    const hasNext = noteFailure(this.#entries, entry.id, pausesAs, contextOf(error, nowMs));
    const own = this.#entries.find(({ model }) => model === entry.id);
    const pausedUntilMs = own?.isSpent === true ? 0 : (own?.pausedUntilMs ?? 0);
    entry.memory.failed(entry.name, key, { error, pausesAs, pausedUntilMs, nowMs });
    this.#failures.note(error);
    return hasNext;
  }

  /** Waits until an entry is ready, or until another call changes what is known of one. */
  async #waitUntil(untilMs: number): Promise<void> {
    const { clock, entries } = this.#chain;
    const nowMs = clock.now();
    const isProbed = untilMs === Infinity;
    if (isProbed ? nowMs >= this.#endsAtMs : untilMs > this.#endsAtMs)
      throw this.#failures.tooLate();
    if (!isProbed && untilMs - nowMs > INLINE_CEILING_MS) throw this.#failures.exhausted();
    const endMs = Math.min(untilMs, this.#endsAtMs);
    const ending = new AbortController();
    const wake = Promise.withResolvers<void>();
    const stops = entries.map(({ memory }) => memory.onChange(wake.resolve));
    const abort = (): void => wake.resolve();
    this.#caller?.addEventListener('abort', abort, { once: true });
    try {
      const slept = endMs === Infinity ? [] : [clock.sleep(endMs - nowMs, ending.signal)];
      await Promise.race([wake.promise, ...slept]);
      for (const sleep of slept) sleep.catch(() => undefined); // ended by us, below
    } finally {
      ending.abort('The wait is over');
      this.#caller?.removeEventListener('abort', abort);
      for (const stop of stops) stop();
    }
    // a breaker may have closed meanwhile
    for (const entry of this.#refused) entry.pausedUntilMs = 0;
    this.#refused.clear();
  }

  #readyAtMs(id: string, nowMs: number): number {
    const { memory, name } = this.#entryOf(id);
    return memory.readyAtMs(name, nowMs);
  }

  #entryOf(id: string): Entry<Model> {
    const entry = this.#chain.entries.find((each) => each.id === id);
    if (entry === undefined) throw new Error(`no entry ${id}`);
    return entry;
  }

  #keepBudget({ price, target }: Entry<Model>, estimate: TokenCounts): void {
    const { budgetUsdMicros: limit } = this.#chain;
    if (limit === undefined || price === null) return;
    const spent = this.#ledger.spentUsdMicros;
    if (spent + costUsdMicros(price, estimate) <= limit) return;
    throw this.#failures.overBudget({ target, limit, spent });
  }
}
