/**
 * One run in one process: takes what happened, lets the machine decide, stores the step in one
 * commit, and only then does what was decided. Decides nothing itself.
 */
import type { EffectContext, EffectResult } from '../effects/effect.ts';
import { ErrandError, isKind } from '../errors/errand-error.ts';
import type { Redactor } from '../errors/redact.ts';
import type { ErrorReport } from '../errors/report.ts';
import { toReport } from '../errors/to-report.ts';
import { effectRequest, type EffectRequest } from '../machine/effect-request.ts';
import type { EventBody, RunEvent } from '../machine/events.ts';
import { failureAt } from '../machine/failure.ts';
import { scopeOf } from '../machine/plan-lookup.ts';
import type { RunState } from '../machine/state.ts';
import { step } from '../machine/step.ts';
import type { Claim, RunStanding, RunStore } from '../machine/store-port.ts';
import { nextTimerMs } from '../machine/timers.ts';
import { mustPause, waitingOf } from '../machine/waits.ts';
import type { DriverClock } from './clock.ts';
import type { EffectRunner } from './effect-runner.ts';

export interface RunLoopOptions {
  readonly state: RunState;
  readonly claim: Claim;
  readonly store: RunStore;
  readonly effects: EffectRunner;
  readonly clock: DriverClock;
  readonly redactor: Redactor;
  /** Longer waits pause the run. */
  readonly inlineMs: number;
  /** Called after the event is stored; what it throws hurts nobody. */
  readonly onEvent: (event: RunEvent) => void;
}

/** How a leg of a run came to rest. */
export type Rest =
  | { readonly type: 'ended' | 'paused' | 'stopped' }
  | { readonly type: 'store'; readonly error: ErrorReport };

/** Waits between the tries of a commit that the store could not take. */
const STORE_WAITS_MS = [2000, 4000];

export class RunLoop {
  readonly #options: RunLoopOptions;
  readonly #inbox: EventBody[] = [];
  readonly #running = new Map<string, AbortController>();
  readonly #rested = Promise.withResolvers<Rest>();
  #isPumping = false;
  #isStopping = false;
  #takeBackTimer: (() => void) | undefined;

  constructor(options: RunLoopOptions) {
    this.#options = options;
  }

  get rested(): Promise<Rest> {
    return this.#rested.promise;
  }

  /** Something happened, or it is time to look again. */
  take(...happened: readonly EventBody[]): void {
    this.#inbox.push(...happened);
    void this.#pump();
  }

  /** Ends the run for good; what is under way is stopped first. */
  cancel(by: string): void {
    this.#options.state.cancelledBy = by;
    for (const controller of this.#running.values()) controller.abort();
    void this.#pump();
  }

  /** Leaves the run resumable where it is. */
  stop(): void {
    this.#isStopping = true;
    this.#takeBackTimer?.();
    for (const controller of this.#running.values()) controller.abort();
    this.#rest({ type: 'stopped' });
  }

  async #pump(): Promise<void> {
    if (this.#isPumping || this.#isStopping) return;
    this.#isPumping = true;
    try {
      do {
        await this.#step();
        // settling may itself have something to say: a pause is an event
        if (this.#inbox.length === 0) this.#settle();
      } while (this.#inbox.length > 0 && !this.#isStopping);
    } catch (thrown) {
      const error = toReport(thrown);
      if (!isKind(error, 'store.*')) throw thrown;
      this.#rest({ type: 'store', error });
    } finally {
      this.#isPumping = false;
    }
  }

  async #step(): Promise<void> {
    const { state, clock } = this.#options;
    const { cancelledBy } = state;
    // a cancellation is the last word, so it waits for what is being stopped to report
    if (cancelledBy !== undefined && this.#running.size > 0) state.cancelledBy = undefined;
    const events = step(state, this.#inbox.splice(0), clock.now());
    state.cancelledBy = cancelledBy;
    if (events.length > 0) await this.#commit(events);
    this.#stopUnwanted();
    if (cancelledBy === undefined) this.#dispatch();
  }

  /** When nothing more can be decided: the end, a pause, or a timer. */
  #settle(): void {
    const { state, clock, inlineMs } = this.#options;
    this.#takeBackTimer?.();
    if (state.status !== 'running')
      return this.#rest({ type: state.status === 'paused' ? 'paused' : 'ended' });
    if (this.#running.size === 0 && mustPause(state, inlineMs)) {
      const waiting = waitingOf(state);
      if (waiting !== undefined) return this.take({ type: 'run:paused', waiting });
    }
    const wakeMs = nextTimerMs(state.timers);
    if (wakeMs !== undefined)
      this.#takeBackTimer = clock.after(wakeMs - clock.now(), () => this.take());
  }

  async #commit(bodies: readonly EventBody[]): Promise<void> {
    const { state, claim, store, clock } = this.#options;
    const at = new Date(clock.now()).toISOString();
    const first = state.seq - bodies.length + 1;
    const events = bodies.map((body, index): RunEvent => ({
      seq: first + index,
      run: state.run,
      at,
      ...body,
    }));
    await this.#withPatience(() =>
      store.append({ claim, seq: first, events, standing: standingOf(state, at) }),
    );
    for (const event of events) this.#tell(event);
  }

  async #withPatience(write: () => Promise<unknown>): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        await write();
        return;
      } catch (thrown) {
        const waitMs = STORE_WAITS_MS[attempt];
        if (waitMs === undefined || !isKind(thrown, 'store.unavailable')) throw thrown;
        await new Promise<void>((resolve) => void this.#options.clock.after(waitMs, resolve));
      }
    }
  }

  #tell(event: RunEvent): void {
    try {
      this.#options.onEvent(event);
    } catch (thrown) {
      // a listener is a guest: its failure is its own
      process.emitWarning(toReport(thrown).message, { code: 'ERRAND_LISTENER' });
    }
  }

  #dispatch(): void {
    const { state } = this.#options;
    for (const [key, { scope }] of state.effects) {
      if (this.#running.has(key)) continue;
      const request = effectRequest(state, scopeOf(state, scope));
      if (request !== undefined && request.ref.key === key) void this.#run(request);
    }
  }

  /** Effects that the machine no longer waits for. */
  #stopUnwanted(): void {
    const { state } = this.#options;
    for (const [key, controller] of this.#running) if (!state.effects.has(key)) controller.abort();
  }

  async #run(request: EffectRequest): Promise<void> {
    const { state, effects } = this.#options;
    const { key } = request.ref;
    const controller = new AbortController();
    this.#running.set(key, controller);
    const result = await effects.run(request, this.#contextFor(request, controller.signal));
    this.#running.delete(key);
    if (this.#isStopping) return;
    if (state.effects.has(key)) this.take(eventOf(state, request, result));
    else this.take();
  }

  #contextFor(request: EffectRequest, signal: AbortSignal): EffectContext {
    const { state, redactor } = this.#options;
    return {
      signal,
      attempt: request.attempt,
      idempotencyKey: request.ref.key,
      run: state.run,
      node: request.node.name,
      path: request.path,
      redactor,
    };
  }

  #rest(rest: Rest): void {
    this.#takeBackTimer?.();
    this.#rested.resolve(rest);
  }
}

function eventOf(state: RunState, request: EffectRequest, result: EffectResult): EventBody {
  const where = { node: request.node.name, path: request.path, effect: request.ref };
  if (result.ok) return { type: 'effect:succeeded', ...where, output: result.output };
  const scope = state.effects.get(request.ref.key)?.scope ?? '';
  const error = failureAt(
    state,
    scopeOf(state, scope),
    request.node.name,
    inDoubt(request, result),
  );
  return {
    type: 'effect:failed',
    ...where,
    error,
    ...(result.output === undefined ? {} : { output: result.output }),
  };
}

/** What may have happened and must not happen twice is a kind of its own. */
function inDoubt(
  request: EffectRequest,
  { failure }: Extract<EffectResult, { ok: false }>,
): typeof failure {
  if (failure.outcome !== 'unknown' || request.isIdempotent) return failure;
  return {
    kind: 'effect.outcome_unknown',
    message: `Nobody knows whether ${request.node.name} did its work: ${failure.message}`,
    cause: new ErrandError(failure).report,
  };
}

function standingOf(state: RunState, at: string): RunStanding {
  const isOver = state.status !== 'running' && state.status !== 'paused';
  return {
    status: state.status,
    costUsdMicros: 0,
    ...(isOver ? { endedAt: at } : {}),
    ...(state.error === undefined || state.status !== 'failed'
      ? {}
      : { error: { kind: state.error.kind, message: state.error.message } }),
    ...(state.waiting === undefined ? {} : { waiting: state.waiting }),
  };
}
