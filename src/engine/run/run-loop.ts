/**
 * Runs one leg of a run: takes events from the queue, lets the machine decide, stores the step in one
 * commit, and only then starts the effects. Decides nothing itself.
 */
import { ErrandError, isKind } from '../../errors/thrown/errand-error.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { answerEvent, type Answer } from '../../machine/gates/gate-answer.ts';
import { alreadyAnswered } from '../../machine/gates/refused-answer.ts';
import type { EventBody, RunEvent } from '../../machine/state/events.ts';
import type { RunState } from '../../machine/state/state.ts';
import { recordEvents, step } from '../../machine/decide/step.ts';
import { nextTimerMs } from '../../machine/state/timer-heap.ts';
import { mustPause, waitingOf } from '../../machine/policy/pause.ts';
import type { SharedTimer } from './shared-timer.ts';
import type { EffectClock } from '../../effects/clock.ts';
import { RunningEffects, type RunningEffectsOptions } from './running-effects.ts';
import type { LeftRunning } from './effect-runner.ts';
import { LegInbox, type AppliedEvents } from './leg-inbox.ts';
import type { LogWriter } from './log-writer.ts';
import { refuseRepeatWhileRunning } from './refuse-repeat.ts';

export interface RunLoopOptions extends RunningEffectsOptions {
  readonly log: Pick<LogWriter, 'write' | 'takeOutages'>;
  readonly clock: Pick<EffectClock, 'now'>;
  readonly timer: Pick<SharedTimer, 'set' | 'clear'>;
  /** Yields to other runs and timers. */
  readonly nextTurn: () => Promise<void>;
  /** Processes that outlived the Errand that started them. Default: none are known. */
  readonly leftRunning?: LeftRunning;
  /** Longer waits pause the run. */
  readonly inlineMs: number;
  /** Number of the last event that is stored already. */
  readonly storedThrough: number;
  /** Called after the event is stored; what it throws becomes a warning. */
  readonly onEvent: (event: RunEvent) => void;
}

/** How a leg ended. */
export type LegEnd =
  | { readonly type: 'ended' | 'paused' | 'stopped' }
  | { readonly type: 'store'; readonly error: ErrorReport }
  | { readonly type: 'defect'; readonly thrown: unknown };

/** When an answer came, and by which message of another process. */
interface AnswerArrival {
  readonly nowMs?: number;
  readonly message?: number;
}

export class RunLoop {
  readonly #options: RunLoopOptions;
  readonly #inbox: LegInbox;
  readonly #effects: RunningEffects;
  /** Resolves when the leg has ended. */
  readonly ended: Promise<LegEnd>;
  readonly #resolveEnd: (end: LegEnd) => void;
  #notifiedThrough: number;
  /** How far the run is ahead of a clock that was set back: the time of a run never goes back. */
  readonly #aheadMs: number;
  #isPumping = false;
  #isStopping = false;
  /** Stopping, and effects that were requested may still end by themselves. */
  #isDraining = false;
  #hasFailed = false;

  constructor(options: RunLoopOptions) {
    this.#options = options;
    this.#inbox = new LegInbox(options);
    this.#effects = new RunningEffects(options, this);
    this.#notifiedThrough = options.storedThrough;
    this.#aheadMs = Math.max(0, options.state.nowMs - options.clock.now());
    const { promise, resolve } = Promise.withResolvers<LegEnd>();
    this.ended = promise;
    this.#resolveEnd = resolve;
  }

  /** Number of the last event that was stored and passed to the listener. */
  get notifiedThrough(): number {
    return this.#notifiedThrough;
  }

  get state(): RunState {
    return this.#options.state;
  }

  /** Whether everything in the queue has been decided and stored. */
  get isSettled(): boolean {
    return !this.#isPumping && !this.#hasMore();
  }

  /**
   * Starts with events that the state has applied already, at that time, and that are not stored
   * yet. Events of `enqueueMore` follow them, before the first decision.
   */
  startWith(events: readonly EventBody[], nowMs: number, enqueueMore?: () => void): void {
    this.#inbox.beginWith({ events, nowMs });
    enqueueMore?.();
    this.wake();
  }

  /** Passes events to the listener that were stored before the loop began. */
  notifyStored(events: readonly RunEvent[]): void {
    for (const event of events) this.#notify(event);
  }

  /** Adds events, and wakes the loop. */
  enqueue(...happened: readonly EventBody[]): void {
    this.#inbox.add(happened);
    this.wake();
  }

  /** Throws when the answer is refused, also because another one came first. */
  enqueueAnswer(answer: Answer, { nowMs, message }: AnswerArrival = {}): void {
    const event = answerEvent(this.#options.state, answer, nowMs);
    if (this.#inbox.hasAnswerTo(event.gate)) throw alreadyAnswered(event.gate);
    refuseRepeatWhileRunning(this.#options.state, event, this.#options.leftRunning ?? (() => []));
    this.enqueue(message === undefined ? event : { ...event, message });
  }

  /** Whether the run was stopped, or its leg failed. */
  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** Whether this leg stores nothing more, although its effects may still be ending. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Number of the last message that was received in this leg. */
  get messagesThrough(): number {
    return this.#inbox.messagesThrough;
  }

  /** Lets the next commit acknowledge all messages up to this one. */
  acknowledgeThrough(number: number): void {
    this.#inbox.acknowledgeThrough(number);
  }

  /** Cancels the run, if it is still running; its effects are stopped first. */
  cancel(by: string, reason?: string): void {
    const { state } = this.#options;
    if (state.status !== 'running') return;
    if (state.cancelledBy === undefined) state.cancelReason = reason;
    state.cancelledBy ??= by;
    this.#effects.abortAll();
    this.wake();
  }

  /** Decides nothing more, and ends the leg when the effects that were requested have ended. */
  drain(): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#isDraining = true;
    this.wake();
  }

  /** Ends the leg; the run stays resumable. */
  stop(): void {
    if (!this.#isStopping || this.#isDraining) this.#inbox.noteStop();
    this.#isStopping = true;
    this.#isDraining = false;
    this.#options.timer.clear(this.#options.state.run);
    this.#effects.abortAll();
    this.wake();
  }

  /** Ends the leg because another process owns the run now; nothing more may be written here. */
  revokeClaim(): void {
    const message = 'Another process has taken over the run';
    this.fail(new ErrandError({ kind: 'store.claim_lost', message }));
  }

  /** Ends the leg with an error. */
  fail(thrown: unknown): void {
    void this.#fail(thrown);
  }

  #nothingApplied(): AppliedEvents {
    return { events: [], nowMs: this.#options.clock.now() + this.#aheadMs };
  }

  wake(): void {
    if (!this.#isPumping && !this.#hasFailed) void this.#pump();
  }

  async #pump(): Promise<void> {
    this.#isPumping = true;
    try {
      // events of the same moment belong to the same step and commit
      await Promise.resolve();
      do {
        await (this.#isLeaving() ? this.#recordOnly() : this.#step());
        // settling may add an event: a pause is one
        const end = this.#inbox.isEmpty ? this.#settle() : undefined;
        if (end !== undefined) await this.#endWhenIdle(end);
      } while (this.#hasMore());
    } catch (thrown) {
      await this.#fail(thrown);
    } finally {
      this.#isPumping = false;
    }
  }

  /** Whether the leg stops without an end of the run; a run that is being cancelled still ends. */
  #isLeaving(): boolean {
    return this.#isStopping && this.#options.state.cancelledBy === undefined;
  }

  #hasMore(): boolean {
    return (
      !this.#inbox.isEmpty || this.#isCancelDue() || (!this.#isStopping && this.#hasUndecided())
    );
  }

  /** Whether a cancellation came while a step was being stored, and no effect delays it. */
  #isCancelDue(): boolean {
    const { status, cancelledBy, effects } = this.#options.state;
    return status === 'running' && cancelledBy !== undefined && effects.size === 0;
  }

  /** Whether the step had more to decide than one commit takes. */
  #hasUndecided(): boolean {
    const { status, cancelledBy, ready } = this.#options.state;
    return status === 'running' && cancelledBy === undefined && ready.size > 0;
  }

  async #step(): Promise<void> {
    const { state } = this.#options;
    const { events: applied, nowMs } = this.#inbox.takeApplied() ?? this.#nothingApplied();
    const beforeSeq = state.seq;
    const events: EventBody[] = [];
    try {
      this.#decide(nowMs, events);
    } catch (defect) {
      // results of effects are stored even when the machine fails; half of a decision is not
      if (state.seq === beforeSeq + events.length)
        await this.#commit([...applied, ...events], nowMs);
      throw defect;
    }
    await this.#commit(applied.length === 0 ? events : [...applied, ...events], nowMs);
    const unwanted = this.#effects.unwantedEnded();
    if (unwanted !== undefined) await unwanted;
    const mayStart = state.status === 'running' && state.cancelledBy === undefined;
    // effects requested while a drain begins are started, not left in doubt
    if (mayStart && (!this.#isStopping || this.#isDraining)) this.#effects.startPending();
    if (state.cancelledBy !== undefined) this.#inbox.add(this.#effects.withdrawPending());
    // a long chain of decisions must not delay other runs and timers
    if (this.#hasUndecided()) await this.#options.nextTurn();
  }

  #decide(nowMs: number, events: EventBody[]): void {
    const { state } = this.#options;
    this.#effects.noteApplied();
    let happened = this.#inbox.take();
    do {
      step(state, happened, nowMs, events);
      this.#effects.noteRequests(events);
      this.#effects.abortUnwanted();
      happened = this.#effects.withdrawStopped();
    } while (happened.length > 0);
  }

  /** Stores known results while the run is being stopped, and decides nothing. */
  async #recordOnly(): Promise<void> {
    const { events: applied, nowMs } = this.#inbox.takeApplied() ?? this.#nothingApplied();
    this.#effects.noteApplied();
    const known = this.#inbox.takeKnown({ isDraining: this.#isDraining });
    const recorded = recordEvents(this.#options.state, known, nowMs);
    this.#effects.noteRequests(recorded);
    await this.#commit([...applied, ...recorded], nowMs);
  }

  async #commit(bodies: readonly EventBody[], nowMs: number): Promise<void> {
    if (bodies.length === 0) return;
    const messagesThrough = this.#inbox.acknowledged();
    const events = await this.#options.log.write(bodies, nowMs, messagesThrough);
    this.#inbox.noteStored(messagesThrough);
    for (const event of events) this.#notify(event);
    this.#recordOutages();
  }

  /** Records outages in the run's own log, or as warnings when the run has ended. */
  #recordOutages(): void {
    const outages = this.#options.log.takeOutages();
    if (this.#options.state.status === 'running') this.#inbox.addFirst(outages);
    else for (const { error } of outages) this.#options.onWarning(error);
  }

  /** When nothing more can be decided: the end of the leg, or a pause or a timer that is set here. */
  #settle(): LegEnd | undefined {
    const { state, timer, inlineMs } = this.#options;
    timer.clear(state.run);
    if (state.status !== 'running') return { type: state.status === 'paused' ? 'paused' : 'ended' };
    if (this.#isLeaving()) {
      // each result is stored as it comes, and wakes the loop
      const isAwaited = this.#isDraining && this.#effects.size > 0;
      return isAwaited ? undefined : { type: 'stopped' };
    }
    const isIdle =
      this.#effects.size === 0 && !this.#hasUndecided() && state.cancelledBy === undefined;
    const waiting = isIdle && mustPause(state, inlineMs) ? waitingOf(state) : undefined;
    const wakeMs = nextTimerMs(state.timers);
    if (waiting !== undefined) this.#inbox.add([{ type: 'run:paused', waiting }]);
    else if (wakeMs !== undefined) timer.set(state.run, wakeMs - this.#aheadMs, () => this.wake());
    return undefined;
  }

  #notify(event: RunEvent): void {
    this.#notifiedThrough = event.seq;
    try {
      this.#options.onEvent(event);
    } catch (thrown) {
      // a failing listener does not fail the run
      this.#options.onWarning(toReport(thrown));
    }
  }

  /** Ends the leg after a failure of the store or a defect: writes nothing, so that the run stays resumable. */
  async #fail(thrown: unknown): Promise<void> {
    this.#isStopping = true;
    this.#isDraining = false;
    this.#hasFailed = true;
    this.#effects.abortAll();
    const error = toReport(thrown);
    const isStore = isKind(error, 'store.*');
    await this.#endWhenIdle(isStore ? { type: 'store', error } : { type: 'defect', thrown });
  }

  /** Ends the leg once no effect that it started is running. */
  async #endWhenIdle(end: LegEnd): Promise<void> {
    this.#options.timer.clear(this.#options.state.run);
    await this.#effects.allEnded();
    const isFailure = end.type === 'store' || end.type === 'defect';
    // a failure during the last effects ends the leg
    if (isFailure || (this.#inbox.isEmpty && !this.#hasFailed)) this.#resolveEnd(end);
  }
}
