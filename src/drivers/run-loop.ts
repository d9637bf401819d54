/**
 * One run in one process: takes what happened, lets the machine decide, stores the step in one
 * commit, and only then does what was decided. Decides nothing itself.
 */
import { ErrandError, isKind } from '../errors/errand-error.ts';
import type { ErrorReport } from '../errors/report.ts';
import { toReport } from '../errors/to-report.ts';
import { answerEvent, answeredBefore, type Answer } from '../machine/answers.ts';
import type { EventBody, RunEvent } from '../machine/events.ts';
import { withOverspending } from '../machine/overspending.ts';
import type { RunState } from '../machine/state.ts';
import { record, step } from '../machine/step.ts';
import { nextTimerMs } from '../machine/timers.ts';
import { mustPause, waitingOf } from '../machine/waits.ts';
import type { Alarm } from './alarm.ts';
import type { EffectClock } from '../effects/clock.ts';
import { EffectsUnderWay, type UnderWayOptions } from './effects-under-way.ts';
import type { LeftRunning } from './effect-runner.ts';
import type { LogWriter } from './log-writer.ts';
import { refuseBeside } from './not-beside.ts';

export interface RunLoopOptions extends UnderWayOptions {
  readonly log: Pick<LogWriter, 'write' | 'takeOutages'>;
  readonly clock: Pick<EffectClock, 'now'>;
  readonly alarm: Pick<Alarm, 'set' | 'clear'>;
  /** Lets others have a turn. */
  readonly nextTurn: () => Promise<void>;
  /** What outlived the process that began it. Default: nobody knows of any. */
  readonly leftRunning?: LeftRunning;
  /** Longer waits pause the run. */
  readonly inlineMs: number;
  /** Number of the last event that is stored already. */
  readonly toldThrough: number;
  /** Called after the event is stored; what it throws hurts nobody. */
  readonly onEvent: (event: RunEvent) => void;
}

/** How a leg of a run came to rest. */
export type Rest =
  | { readonly type: 'ended' | 'paused' | 'stopped' }
  | { readonly type: 'store'; readonly error: ErrorReport }
  | { readonly type: 'defect'; readonly thrown: unknown };

/** What the state has taken before anything was decided, and when. */
interface Begun {
  readonly events: readonly EventBody[];
  readonly nowMs: number;
}

/**
 * An effect that was told to stop has failed by that, and a run that is left does not pause. A script that
 * ends well when it is told to stop may have left its work half done, so it stays in doubt.
 */
function isBroughtByStopping(event: EventBody): boolean {
  if (event.type === 'effect:succeeded') return event.effect.type === 'script';
  return BROUGHT_BY_STOPPING.has(event.type);
}

const BROUGHT_BY_STOPPING: ReadonlySet<EventBody['type']> = new Set([
  'effect:failed',
  'effect:requested',
  'run:paused',
]);

export class RunLoop {
  readonly #options: RunLoopOptions;
  #inbox: EventBody[] = [];
  readonly #underWay: EffectsUnderWay;
  /** How the leg came to rest, when it has. */
  readonly rested: Promise<Rest>;
  readonly #rest: (rest: Rest) => void;
  #signalsThrough: number | undefined;
  #heardThrough = 0;
  #begun: Begun | undefined;
  #toldThrough: number;
  /** By how much the run is ahead of the clock: it was set back since, and its time does not go back. */
  readonly #aheadMs: number;
  #isPumping = false;
  #isStopping = false;
  /** What had happened when the run was told to stop. */
  #heardBefore: ReadonlySet<EventBody> = new Set();
  #isBroken = false;

  constructor(options: RunLoopOptions) {
    this.#options = options;
    this.#underWay = new EffectsUnderWay(options, this);
    this.#toldThrough = options.toldThrough;
    this.#aheadMs = Math.max(0, options.state.nowMs - options.clock.now());
    const { promise, resolve } = Promise.withResolvers<Rest>();
    this.rested = promise;
    this.#rest = resolve;
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
    this.#wake();
  }

  /** These were stored before the loop began. */
  tellStored(events: readonly RunEvent[]): void {
    for (const event of events) this.#tell(event);
  }

  /** Something happened, or it is time to look again. */
  take(...happened: readonly EventBody[]): void {
    this.#inbox.push(...happened);
    this.#wake();
  }

  /** Throws when it is refused, also because another one was quicker. */
  takeAnswer(answer: Answer, nowMs?: number): void {
    const event = answerEvent(this.#options.state, answer, nowMs);
    if (this.#inbox.some((other) => other.type === 'gate:answered' && other.gate === event.gate))
      throw answeredBefore(event.gate);
    refuseBeside(this.#options.state, event, this.#options.leftRunning ?? (() => []));
    this.take(event);
  }

  /** Whether it has been told to stop, or had to. */
  get isStopping(): boolean {
    return this.#isStopping;
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
    this.#underWay.abortAll();
    this.#wake();
  }

  /** Leaves the run resumable where it is. */
  stop(): void {
    if (!this.#isStopping) this.#heardBefore = new Set(this.#inbox);
    this.#isStopping = true;
    this.#options.alarm.clear(this.#options.state.run);
    this.#underWay.abortAll();
    this.#wake();
  }

  /** Another process has the run now; whatever is done here may not be written any more. */
  lose(): void {
    const message = 'Another process has taken the run over';
    this.breakOff(new ErrandError({ kind: 'store.claim_lost', message }));
  }

  /** The leg ends here, with what was thrown. */
  breakOff(thrown: unknown): void {
    void this.#breakOff(thrown);
  }

  #now(): number {
    return this.#options.clock.now() + this.#aheadMs;
  }

  #wake(): void {
    if (!this.#isPumping && !this.#isBroken) void this.#pump();
  }

  async #pump(): Promise<void> {
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
    const { state } = this.#options;
    const { events: begun, nowMs } = this.#takeBegun();
    const beforeSeq = state.seq;
    const events: EventBody[] = [];
    try {
      this.#decide(nowMs, events);
    } catch (defect) {
      // what happened in the world is known, whatever is wrong with us; half of a decision is not kept
      if (state.seq === beforeSeq + events.length) await this.#commit([...begun, ...events], nowMs);
      throw defect;
    }
    await this.#commit([...begun, ...events], nowMs);
    await this.#underWay.unwantedEnded();
    const mayGoOn = state.status === 'running' && state.cancelledBy === undefined;
    if (mayGoOn && !this.#isStopping) this.#underWay.begin();
    if (state.cancelledBy !== undefined) this.#inbox.push(...this.#underWay.takeBack());
    // a long line of decisions must not keep other runs and timers waiting
    if (this.#isCut()) await this.#options.nextTurn();
  }

  #decide(nowMs: number, events: EventBody[]): void {
    const { state } = this.#options;
    step(state, this.#takeInbox(), nowMs, events);
    this.#underWay.abortUnwanted();
    for (;;) {
      const back = this.#underWay.takeBackStopped();
      if (back.length === 0) return;
      step(state, back, nowMs, events);
      this.#underWay.abortUnwanted();
    }
  }

  /** While it is being stopped a run goes no further, but what is known by now is kept. */
  async #recordOnly(): Promise<void> {
    const { events: begun, nowMs } = this.#takeBegun();
    const known = this.#takeInbox().filter(
      (event) => this.#heardBefore.has(event) || !isBroughtByStopping(event),
    );
    await this.#commit([...begun, ...record(this.#options.state, known, nowMs)], nowMs);
  }

  #takeBegun(): Begun {
    const begun = this.#begun ?? { events: [], nowMs: this.#now() };
    this.#begun = undefined;
    return begun;
  }

  /** A pause is for when nothing happens; if something has since, it is thought over. */
  #takeInbox(): readonly EventBody[] {
    this.#underWay.noteTaken();
    const happened = this.#sayable(this.#inbox);
    this.#inbox = [];
    const known =
      happened.length === 1 ? happened : happened.filter(({ type }) => type !== 'run:paused');
    return withOverspending(this.#options.state, known);
  }

  /** The last word of a run has been said while this waited: nobody reads on after that. */
  #sayable(happened: readonly EventBody[]): readonly EventBody[] {
    if (this.#options.state.status === 'running') return happened;
    return happened.filter((event) => {
      if (event.type !== 'error:suppressed') return true;
      this.#options.onWarning(event.error);
      return false;
    });
  }

  async #commit(bodies: readonly EventBody[], nowMs: number): Promise<void> {
    if (bodies.length === 0) return;
    const signalsThrough = this.#settledSignals();
    const events = await this.#options.log.write(bodies, nowMs, signalsThrough);
    // more may have been heard while it was being stored
    if (this.#signalsThrough === signalsThrough) this.#signalsThrough = undefined;
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
    if (state.status !== 'running')
      return this.#restWhenIdle({ type: state.status === 'paused' ? 'paused' : 'ended' });
    if (this.#isLeaving()) return this.#restWhenIdle({ type: 'stopped' });
    const isIdle = this.#underWay.size === 0 && !this.#isCut() && state.cancelledBy === undefined;
    const waiting = isIdle && mustPause(state, inlineMs) ? waitingOf(state) : undefined;
    if (waiting !== undefined) {
      this.#inbox.push({ type: 'run:paused', waiting });
      return;
    }
    const wakeMs = nextTimerMs(state.timers);
    if (wakeMs !== undefined) alarm.set(state.run, wakeMs - this.#aheadMs, () => this.take());
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

  /** The store has failed, or we have: nothing is written, and the run stays resumable. */
  async #breakOff(thrown: unknown): Promise<void> {
    this.#isStopping = true;
    this.#isBroken = true;
    this.#underWay.abortAll();
    const error = toReport(thrown);
    const isStore = isKind(error, 'store.*');
    await this.#restWhenIdle(isStore ? { type: 'store', error } : { type: 'defect', thrown });
  }

  /** A leg is over when nothing that it started is still running. */
  async #restWhenIdle(rest: Rest): Promise<void> {
    this.#options.alarm.clear(this.#options.state.run);
    await this.#underWay.allEnded();
    if (this.#inbox.length === 0 || rest.type === 'store' || rest.type === 'defect')
      this.#rest(rest);
  }
}
