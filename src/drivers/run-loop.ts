/**
 * One run in one process: takes what happened, lets the machine decide, stores the step in one
 * commit, and only then does what was decided. Decides nothing itself.
 */
import {
  cancelledBefore,
  neverRejecting,
  type Effect,
  type EffectContext,
} from '../effects/effect.ts';
import { ErrandError, isKind } from '../errors/errand-error.ts';
import { toInternalRecord, type InternalRecord } from '../errors/internal-record.ts';
import type { JsonValue } from '../errors/json.ts';
import type { Redactor } from '../errors/redact.ts';
import type { ErrorReport } from '../errors/report.ts';
import { toReport } from '../errors/to-report.ts';
import { answerEvent, answeredBefore, type Answer } from '../machine/answers.ts';
import { pendingRequest, type EffectRequest } from '../machine/effect-request.ts';
import { stopped } from '../machine/endings.ts';
import type { EventBody, RunEvent } from '../machine/events.ts';
import { LazyMap, LazySet } from '../machine/lazy.ts';
import type { PendingEffect, RunState } from '../machine/state.ts';
import { record, step } from '../machine/step.ts';
import { nextTimerMs } from '../machine/timers.ts';
import { mustPause, waitingOf } from '../machine/waits.ts';
import type { Alarm } from './alarm.ts';
import type { Breakers } from './breakers.ts';
import type { EffectClock } from '../effects/clock.ts';
import type { EffectRunner } from './effect-runner.ts';
import type { LogWriter } from './log-writer.ts';
import { notCancelledByUs, resultEvents } from './result-events.ts';

export interface RunLoopOptions {
  readonly state: RunState;
  readonly log: Pick<LogWriter, 'write' | 'takeOutages'>;
  readonly effects: Pick<EffectRunner, 'run'>;
  readonly breakers: Pick<Breakers, 'guard'>;
  readonly clock: Pick<EffectClock, 'now'>;
  readonly alarm: Pick<Alarm, 'set' | 'clear'>;
  /** Lets others have a turn. */
  readonly nextTurn: () => Promise<void>;
  readonly redactor: Redactor;
  /** Longer waits pause the run. */
  readonly inlineMs: number;
  /** Number of the last event that is stored already. */
  readonly toldThrough: number;
  /** Called after the event is stored; what it throws hurts nobody. */
  readonly onEvent: (event: RunEvent) => void;
  /** Hears what effects tell while they work. Ephemeral: nothing of it is stored. */
  readonly onProgress: (progress: Progress) => void;
  /** The internal record: stacks and host paths, which go nowhere else. */
  readonly onInternal: (record: InternalRecord) => void;
  /** Hears what is wrong beside the run and changes nothing in it. */
  readonly onWarning: (error: ErrorReport) => void;
}

/** What an effect tells while it works. */
export interface Progress {
  readonly run: string;
  readonly node: string;
  readonly path: string;
  readonly target: string;
  /** Of a model, a `ModelProgress`; of a function, whatever it says. */
  readonly value: JsonValue;
}

/** How a leg of a run came to rest. */
export type Rest =
  | { readonly type: 'ended' | 'paused' | 'stopped' }
  | { readonly type: 'store'; readonly error: ErrorReport }
  | { readonly type: 'defect'; readonly thrown: unknown };

interface Running {
  /** Which request it is for: the same action may be asked for again in the step that stops it. */
  readonly pending: PendingEffect;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

export class RunLoop {
  readonly #options: RunLoopOptions;
  readonly #effect: Effect<EffectRequest>;
  readonly #inbox: EventBody[] = [];
  readonly #running = new LazyMap<string, Running>();
  /** Effects whose results are in the inbox. */
  readonly #answered = new LazySet<string>();
  readonly #rested = Promise.withResolvers<Rest>();
  #signalsThrough: number | undefined;
  #heardThrough = 0;
  #begun: { readonly events: readonly EventBody[]; readonly nowMs: number } | undefined;
  #toldThrough: number;
  #isPumping = false;
  #isStopping = false;
  #isBroken = false;

  constructor(options: RunLoopOptions) {
    this.#options = options;
    this.#effect = neverRejecting((request, context) => options.effects.run(request, context));
    this.#toldThrough = options.toldThrough;
  }

  get rested(): Promise<Rest> {
    return this.#rested.promise;
  }

  /** Number of the last event that was stored and told. */
  get toldThrough(): number {
    return this.#toldThrough;
  }

  get state(): RunState {
    return this.#options.state;
  }

  /** Whether everything that was said has been decided about and stored. */
  get isSettled(): boolean {
    return !this.#isPumping && !this.#hasMore();
  }

  /**
   * The state has taken these already, at that time; they are not stored yet. What is said in
   * `hear` comes after them, and before anything is decided.
   */
  begin(events: readonly EventBody[], nowMs: number, hear?: () => void): void {
    this.#begun = { events, nowMs };
    hear?.();
    void this.#pump();
  }

  /** Something happened, or it is time to look again. */
  take(...happened: readonly EventBody[]): void {
    this.#inbox.push(...happened);
    void this.#pump();
  }

  /** Throws when it is refused, also because another one was quicker. */
  takeAnswer(answer: Answer, nowMs?: number): void {
    const event = answerEvent(this.#options.state, answer, nowMs);
    if (this.#inbox.some((other) => other.type === 'gate:answered' && other.gate === event.gate))
      throw answeredBefore(event.gate);
    this.take(event);
  }

  /** Number of the last signal that was heard, in this leg. */
  get heardThrough(): number {
    return this.#heardThrough;
  }

  /** The next commit settles all signals up to this one. */
  takeSignalsThrough(number: number): void {
    this.#heardThrough = number;
    this.#signalsThrough = number;
  }

  /** Ends the run for good, if it is still running; what is under way is stopped first. */
  cancel(by: string): void {
    if (this.#options.state.status !== 'running') return;
    this.#options.state.cancelledBy ??= by;
    this.#abortAll();
    void this.#pump();
  }

  /** Leaves the run resumable where it is. */
  stop(): void {
    this.#isStopping = true;
    this.#options.alarm.clear(this.#options.state.run);
    this.#abortAll();
    void this.#pump();
  }

  /** Another process has the run now; whatever is done here may not be written any more. */
  lose(): void {
    const message = 'Another process has taken the run over';
    void this.#breakOff(new ErrandError({ kind: 'store.claim_lost', message }));
  }

  async #pump(): Promise<void> {
    if (this.#isPumping || this.#isBroken) return;
    this.#isPumping = true;
    try {
      // what else comes in this moment belongs to the same step, and to the same commit
      await Promise.resolve();
      do {
        await (this.#isLeaving() ? this.#recordOnly() : this.#step());
        // settling may itself have something to say: a pause is an event
        if (this.#inbox.length === 0) await this.#settle();
      } while (this.#hasMore());
    } catch (thrown) {
      await this.#breakOff(thrown);
    } finally {
      this.#isPumping = false;
    }
  }

  /** It is left as it is; a run that is being cancelled is not, because that is its last word. */
  #isLeaving(): boolean {
    return this.#isStopping && this.#options.state.cancelledBy === undefined;
  }

  #hasMore(): boolean {
    return this.#inbox.length > 0 || this.#isCancelDue() || (!this.#isStopping && this.#isCut());
  }

  /** A cancellation came in while something else was being stored, and nothing holds it up. */
  #isCancelDue(): boolean {
    const { status, cancelledBy, effects } = this.#options.state;
    return status === 'running' && cancelledBy !== undefined && effects.size === 0;
  }

  /** Whether the step had more to decide than one commit takes. */
  #isCut(): boolean {
    const { status, cancelledBy, ready } = this.#options.state;
    return status === 'running' && cancelledBy === undefined && ready.size > 0;
  }

  async #step(): Promise<void> {
    const { state, clock } = this.#options;
    const begun = this.#begun;
    this.#begun = undefined;
    const nowMs = begun?.nowMs ?? clock.now();
    const events = step(state, this.#takeInbox(), nowMs);
    await this.#commit([...(begun?.events ?? []), ...events], nowMs);
    await this.#stopUnwanted();
    const mayGoOn = state.status === 'running' && state.cancelledBy === undefined;
    if (mayGoOn && !this.#isStopping) this.#dispatch();
    if (state.cancelledBy !== undefined) this.#takeBackRequests();
    // a long line of decisions must not keep other runs and timers waiting
    if (this.#isCut()) await this.#options.nextTurn();
  }

  /** While it is being stopped a run goes no further, but what is known by now is kept. */
  async #recordOnly(): Promise<void> {
    const { state, clock } = this.#options;
    const known = this.#takeInbox().filter(({ type }) => type === 'effect:succeeded');
    const nowMs = clock.now();
    await this.#commit(record(state, known, nowMs), nowMs);
  }

  /** A pause is for when nothing happens; if something has since, it is thought over. */
  #takeInbox(): readonly EventBody[] {
    this.#answered.clear();
    const happened = this.#inbox.splice(0);
    return happened.length === 1 ? happened : happened.filter(({ type }) => type !== 'run:paused');
  }

  async #commit(bodies: readonly EventBody[], nowMs: number): Promise<void> {
    if (bodies.length === 0) return;
    const signalsThrough = this.#settledSignals();
    const events = await this.#options.log.write(bodies, nowMs, signalsThrough);
    if (signalsThrough !== undefined) this.#signalsThrough = undefined;
    for (const event of events) this.#tell(event);
    this.#tellOutages();
  }

  /** In the run's own record, unless its last word has been said. */
  #tellOutages(): void {
    const outages = this.#options.log.takeOutages();
    if (this.#options.state.status === 'running') this.#inbox.unshift(...outages);
    else for (const { error } of outages) this.#options.onWarning(error);
  }

  /** A cancellation is settled by nothing but the end of the run. */
  #settledSignals(): number | undefined {
    const { cancelledBy, status } = this.#options.state;
    return cancelledBy === undefined || status === 'cancelled' ? this.#signalsThrough : undefined;
  }

  /** When nothing more can be decided: the end, a pause, or a timer. */
  async #settle(): Promise<void> {
    const { state, alarm, inlineMs } = this.#options;
    alarm.clear(state.run);
    if (this.#isLeaving()) return this.#restWhenIdle({ type: 'stopped' });
    if (state.status !== 'running')
      return this.#restWhenIdle({ type: state.status === 'paused' ? 'paused' : 'ended' });
    const isIdle = this.#running.size === 0 && !this.#isCut() && state.cancelledBy === undefined;
    const waiting = isIdle && mustPause(state, inlineMs) ? waitingOf(state) : undefined;
    if (waiting !== undefined) {
      this.#inbox.push({ type: 'run:paused', waiting });
      return;
    }
    const wakeMs = nextTimerMs(state.timers);
    if (wakeMs !== undefined) alarm.set(state.run, wakeMs, () => this.take());
  }

  #tell(event: RunEvent): void {
    this.#toldThrough = event.seq;
    try {
      this.#options.onEvent(event);
    } catch (thrown) {
      // a listener is a guest: its failure is its own
      this.#options.onWarning(toReport(thrown));
    }
  }

  #dispatch(): void {
    const { state } = this.#options;
    for (const [key, pending] of state.effects) {
      if (this.#running.has(key) || this.#answered.has(key)) continue;
      const request = pendingRequest(state, pending);
      if (request?.ref.key === key) this.#run(request, pending);
    }
  }

  /** What was asked for and not begun when the run was cancelled never will be. */
  #takeBackRequests(): void {
    const { state } = this.#options;
    for (const [key, pending] of state.effects) {
      if (this.#running.has(key) || this.#answered.has(key)) continue;
      this.#answered.add(key);
      const message = 'The run was cancelled before it began';
      this.#inbox.push(stopped(state, pending, { message, outcome: 'not_started' }));
    }
  }

  /** Effects that the machine no longer waits for are over before anything new begins. */
  async #stopUnwanted(): Promise<void> {
    const { state } = this.#options;
    const unwanted = [...this.#running].filter(
      ([key, { pending }]) => state.effects.get(key) !== pending,
    );
    for (const [, { controller }] of unwanted) controller.abort();
    await Promise.all(unwanted.map(([, { ended }]) => ended));
  }

  #abortAll(): void {
    for (const { controller } of this.#running.values()) controller.abort();
  }

  #run(request: EffectRequest, pending: PendingEffect): void {
    const controller = new AbortController();
    const ended = this.#perform(request, pending, controller.signal);
    this.#running.set(request.ref.key, { pending, controller, ended });
  }

  async #perform(
    request: EffectRequest,
    pending: PendingEffect,
    signal: AbortSignal,
  ): Promise<void> {
    const { state } = this.#options;
    const { key } = request.ref;
    const told = { hasText: false };
    const isWanted = (): boolean => state.effects.get(key) === pending;
    const { result: given, changes } = await this.#options.breakers.guard(request, () =>
      // given up while its breaker was asked: it is not begun
      isWanted()
        ? this.#effect(request, this.#contextFor(request, signal, told))
        : Promise.resolve(cancelledBefore('cancelled.call')),
    );
    const result = signal.aborted ? given : notCancelledByUs(state, request, given);
    if (told.hasText && !result.ok && !keepsPartial(request)) this.#retract(request);
    const changed = changes.map((change) => ({ type: 'breaker:changed' as const, ...change }));
    this.#running.delete(key);
    if (isWanted()) {
      this.#answered.add(key);
      const events = resultEvents(state, request, result);
      if (!result.ok && result.thrown !== undefined) this.#keepThrown(events, result.thrown);
      this.take(...changed, ...events);
    } else this.take(...(state.status === 'running' ? changed : []));
  }

  /** The whole of what was thrown, under the id that people see. */
  #keepThrown(events: readonly EventBody[], thrown: unknown): void {
    const { onInternal, onWarning, redactor } = this.#options;
    for (const event of events) {
      if (event.type !== 'effect:failed') continue;
      try {
        onInternal(toInternalRecord(thrown, event.error, redactor));
      } catch (failure) {
        // a record that cannot be kept is no reason to stop the run
        onWarning(toReport(failure));
      }
    }
  }

  /** What was streamed of an attempt that failed counts no more, and that is said. */
  #retract(request: EffectRequest): void {
    this.#tellProgress(request, { type: 'retracted', attempt: request.attempt });
  }

  #tellProgress(request: EffectRequest, value: JsonValue): void {
    const { state, onProgress, onWarning } = this.#options;
    const { path, ref, node } = request;
    try {
      onProgress({ run: state.run, node: node.name, path, target: ref.target, value });
    } catch (thrown) {
      // a listener is a guest: its failure is its own
      onWarning(toReport(thrown));
    }
  }

  #contextFor(
    request: EffectRequest,
    signal: AbortSignal,
    told: { hasText: boolean },
  ): EffectContext {
    const { state, redactor } = this.#options;
    return {
      progress: (value) => {
        told.hasText ||= request.work.type === 'model';
        this.#tellProgress(request, value);
      },
      signal,
      attempt: request.attempt,
      idempotencyKey: request.ref.key,
      run: state.run,
      node: request.node.name,
      path: request.path,
      redactor,
    };
  }

  /** The store has failed, or we have: nothing is written, and the run stays resumable. */
  async #breakOff(thrown: unknown): Promise<void> {
    this.#isStopping = true;
    this.#isBroken = true;
    this.#abortAll();
    const error = toReport(thrown);
    const isStore = isKind(error, 'store.*');
    await this.#restWhenIdle(isStore ? { type: 'store', error } : { type: 'defect', thrown });
  }

  /** A leg is over when nothing that it started is still running. */
  async #restWhenIdle(rest: Rest): Promise<void> {
    this.#options.alarm.clear(this.#options.state.run);
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
    if (this.#inbox.length === 0 || rest.type === 'store' || rest.type === 'defect')
      this.#rested.resolve(rest);
  }
}

function keepsPartial({ node }: EffectRequest): boolean {
  return node.type === 'agent' && node.onPartial === 'keep_partial';
}
