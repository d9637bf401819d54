/**
 * The effects of one run that are running: starts each once, aborts those that are no longer wanted,
 * and reports each as events when it has really ended. Results of effects that are stopped together
 * are reported together, so that they share a commit with the end that waits for them.
 */
import {
  cancelledBefore,
  resultOf,
  type EffectContext,
  type EffectResult,
} from '../../effects/effect-port.ts';
import { toInternalRecord, type InternalRecord } from '../../errors/thrown/internal-record.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { pendingRequest, type EffectRequest } from '../../machine/decide/effect-request.ts';
import { stoppedBeforeStart, stoppedEffect } from '../../machine/decide/end-run.ts';
import type { TraceCarrier } from '../../machine/ports/trace-carrier.ts';
import type { EventBody } from '../../machine/state/events.ts';
import { LazyMap, LazySet } from '../../machine/state/lazy-collections.ts';
import type { PendingEffect, RunState } from '../../machine/state/state.ts';
import { storableEvent } from '../../machine/state/storable.ts';
import { isStoppingAny, stoppedFor } from '../../machine/decide/stop-effects.ts';
import type { Breakers } from './breakers.ts';
import type { EffectRunner } from './effect-runner.ts';
import { notCancelledByUs, resultEvents } from './effect-events.ts';
import { ProgressRedaction } from './progress-redaction.ts';
import type { LegTelemetry, WatchedCall } from './telemetry-port.ts';

export interface RunningEffectsOptions {
  readonly state: RunState;
  readonly effects: Pick<EffectRunner, 'run'>;
  readonly breakers: Pick<Breakers, 'guard'>;
  readonly redactor: Redactor;
  /**
   * Called before an effect begins. A promise is fulfilled when the store has said whose the run is; an
   * effect of a run that is not ours any more is aborted by then. Default: nobody can take the run.
   */
  readonly stillOwned?: () => Promise<void> | undefined;
  /** Called with progress of effects, of which nothing is stored. */
  readonly onProgress: (progress: Progress) => void;
  /** The internal record: stacks and host paths, which go nowhere else. */
  readonly onInternal: (record: InternalRecord) => void;
  /** Called with failures that change nothing in the run. */
  readonly onWarning: (error: ErrorReport) => void;
  /** Undefined where nobody traces or counts. */
  readonly telemetry?: Pick<LegTelemetry, 'around'> | undefined;
  /** The trace that the leg belongs to, passed on as it came where nobody traces. */
  readonly trace?: TraceCarrier | undefined;
}

export interface RunningEffectsListener {
  /** Called when one of them has ended, with what came of it. */
  enqueue(...events: readonly EventBody[]): void;
  /** An unexpected error after an effect: its outcome is unknown, so the leg ends. */
  fail(thrown: unknown): void;
}

/** Progress of a running effect. */
export interface Progress {
  readonly run: string;
  readonly node: string;
  readonly path: string;
  readonly target: string;
  /** A `ModelProgress` for a model; whatever a function reports. */
  readonly value: JsonValue;
}

interface Running {
  /** Its request: the same action may be requested again in the step that stops it. */
  readonly pending: PendingEffect;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** The result of a stopped effect, while others that are stopped with it still run. */
interface HeldResult {
  readonly pending: PendingEffect;
  readonly events: readonly EventBody[];
}

const NONE: readonly Running[] = [];

export class RunningEffects {
  readonly #options: RunningEffectsOptions;
  readonly #listener: RunningEffectsListener;
  readonly #running = new LazyMap<string, Running>();
  /** Requested, and not started yet. */
  readonly #requested = new LazySet<string>();
  /** Reported, and not yet applied to the state. */
  readonly #reported = new LazySet<string>();
  readonly #held = new LazyMap<string, HeldResult>();

  constructor(options: RunningEffectsOptions, listener: RunningEffectsListener) {
    this.#options = options;
    this.#listener = listener;
    for (const key of options.state.effects.keys()) this.#requested.add(key);
  }

  get size(): number {
    return this.#running.size;
  }

  /** Looks for requests among events that the state has taken. */
  noteRequests(events: readonly EventBody[]): void {
    for (const event of events)
      if (event.type === 'effect:requested') this.#requested.add(event.effect.key);
  }

  /** Starts the effects that the run has requested. */
  startPending(): void {
    const { state } = this.#options;
    for (const [key, pending] of this.#notStarted()) {
      if (stoppedFor(state, pending) !== undefined) continue;
      const request = pendingRequest(state, pending);
      if (request?.ref.key === key) this.#run(request, pending);
    }
  }

  /** Fails the effects that a cancelled run has requested and not started. */
  withdrawPending(): readonly EventBody[] {
    const message = 'The run was cancelled before it began';
    return this.#notStarted().map(([key, pending]) => {
      this.#reported.add(key);
      return stoppedEffect(this.#options.state, pending, { message, outcome: 'not_started' });
    });
  }

  /**
   * Fails effects that were requested in the step that stops them; the state applies these at once.
   */
  withdrawStopped(): readonly EventBody[] {
    const { state } = this.#options;
    if (isStoppingAny(state))
      for (const [key, pending] of this.#notStarted())
        if (stoppedFor(state, pending) !== undefined)
          this.#held.set(key, { pending, events: [stoppedBeforeStart(state, pending)] });
    const events = this.#releaseHeld();
    this.#reported.clear();
    return events;
  }

  /** The state applies all reported results. */
  noteApplied(): void {
    this.#reported.clear();
  }

  /** Aborts as soon as it is decided, and does not wait for a slow store. */
  abortUnwanted(): void {
    for (const { controller } of this.#unwanted()) controller.abort();
    for (const { controller } of this.#stopping()) controller.abort();
  }

  /** Releases held results, once all effects that are stopped with them have ended. */
  #releaseHeld(): readonly EventBody[] {
    if (this.#held.size === 0) return [];
    const { state } = this.#options;
    const released: EventBody[] = [];
    const running = this.#stopping();
    const stopping =
      running.length === 0
        ? undefined
        : new Set(running.map(({ pending }) => stoppedFor(state, pending)));
    for (const [key, { pending, events }] of this.#held) {
      if (stopping?.has(stoppedFor(state, pending)) === true) continue;
      this.#held.delete(key);
      this.#reported.add(key);
      released.push(...events);
    }
    return released;
  }

  /**
   * Effects that the machine no longer waits for are over before anything new begins. Undefined when there
   * are none.
   */
  unwantedEnded(): Promise<unknown> | undefined {
    const unwanted = this.#unwanted();
    return unwanted.length === 0 ? undefined : Promise.all(unwanted.map(({ ended }) => ended));
  }

  abortAll(): void {
    for (const { controller } of this.#running.values()) controller.abort();
  }

  /** Fulfilled when all that run now have ended. */
  async allEnded(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  #unwanted(): readonly Running[] {
    const { effects } = this.#options.state;
    let unwanted: Running[] | undefined;
    for (const running of this.#running.values())
      if (effects.get(running.pending.effect.key) !== running.pending)
        (unwanted ??= []).push(running);
    return unwanted ?? NONE;
  }

  #stopping(): readonly Running[] {
    const { state } = this.#options;
    if (!isStoppingAny(state)) return NONE;
    return Array.from(this.#running.values()).filter(
      ({ pending }) => stoppedFor(state, pending) !== undefined,
    );
  }

  #notStarted(): readonly [string, PendingEffect][] {
    const { effects } = this.#options.state;
    const found: [string, PendingEffect][] = [];
    for (const key of this.#requested) {
      const pending = effects.get(key);
      if (pending === undefined) this.#requested.delete(key);
      else if (!this.#running.has(key) && !this.#reported.has(key) && !this.#held.has(key))
        found.push([key, pending]);
    }
    return found;
  }

  #run(request: EffectRequest, pending: PendingEffect): void {
    const controller = new AbortController();
    const { key } = request.ref;
    const ended = this.#perform(request, pending, controller.signal).catch((thrown: unknown) => {
      this.#running.delete(key);
      this.#listener.fail(thrown);
    });
    this.#running.set(key, { pending, controller, ended });
    this.#requested.delete(key);
  }

  async #perform(
    request: EffectRequest,
    pending: PendingEffect,
    signal: AbortSignal,
  ): Promise<void> {
    const { state, breakers, redactor, stillOwned } = this.#options;
    const { key } = request.ref;
    const isModel = request.work.type === 'model';
    let progress: ProgressRedaction | undefined;
    const context = this.#contextFor(request, signal, (value) => {
      progress ??= new ProgressRedaction(redactor, (clean) => this.#notifyProgress(request, clean));
      if (isModel) progress.text(value);
      else progress.value(value);
    });
    const isWanted = (): boolean => state.effects.get(key) === pending;
    // no longer wanted after the breaker was read, or no longer ours: it is not started
    const begin = (): Promise<EffectResult> =>
      isWanted() && !signal.aborted
        ? this.#call(request, context)
        : Promise.resolve(cancelledBefore('cancelled.call'));
    const { result: raw, changes } = await breakers.guard(
      request,
      () => stillOwned?.()?.then(begin) ?? begin(),
    );
    progress?.end(raw.ok);
    const result = signal.aborted ? raw : notCancelledByUs(state, request, raw, redactor);
    const hasStreamed = isModel && progress !== undefined;
    if (hasStreamed && !result.ok && !keepsPartial(request)) this.#retract(request);
    const changed = changes.map((change): EventBody => ({ type: 'breaker:changed', ...change }));
    this.#running.delete(key);
    if (isWanted()) {
      const isStopped = stoppedFor(state, pending) !== undefined;
      const recorded = resultEvents(state, request, result, { redactor, isStopped });
      const events = changed.length === 0 ? recorded : [...changed, ...recorded];
      if (!result.ok && result.thrown !== undefined) this.#keepThrown(events, result.thrown);
      this.#held.set(key, { pending, events });
      this.#listener.enqueue(...this.#releaseHeld());
    } else this.#listener.enqueue(...(state.status === 'running' ? changed : []));
  }

  /** Inside the span of the call, where somebody traces. */
  #call(request: EffectRequest, context: EffectContext): Promise<EffectResult> {
    const { effects, telemetry, trace, redactor } = this.#options;
    const make = (watched: WatchedCall): Promise<EffectResult> => {
      const inside = { ...context, trace: watched.trace, observe: watched.observe };
      return resultOf(() => effects.run(request, inside), context);
    };
    if (telemetry !== undefined) return telemetry.around(request, redactor, make);
    return trace === undefined
      ? resultOf(() => effects.run(request, context), context)
      : make({ trace });
  }

  /** The whole of what was thrown, under the id that people see. */
  #keepThrown(events: readonly EventBody[], thrown: unknown): void {
    const { state, onInternal, onWarning, redactor } = this.#options;
    for (const happened of events) {
      const event = storableEvent(state, happened);
      if (event.type !== 'effect:failed') continue;
      try {
        onInternal(toInternalRecord(thrown, event.error, redactor));
      } catch (failure) {
        // a record that cannot be kept is no reason to stop the run
        onWarning(toReport(failure));
      }
    }
  }

  /** Retracts streamed text of a failed attempt. */
  #retract(request: EffectRequest): void {
    this.#notifyProgress(request, { type: 'retracted', attempt: request.attempt });
  }

  #notifyProgress(request: EffectRequest, value: JsonValue): void {
    const { state, onProgress, onWarning } = this.#options;
    const { path, ref, node } = request;
    try {
      onProgress({ run: state.run, node: node.name, path, target: ref.target, value });
    } catch (thrown) {
      // a failing listener does not fail the run
      onWarning(toReport(thrown));
    }
  }

  #contextFor(
    request: EffectRequest,
    signal: AbortSignal,
    progress: (value: JsonValue) => void,
  ): EffectContext {
    const { state, redactor } = this.#options;
    return {
      progress,
      signal,
      attempt: request.attempt,
      idempotencyKey: request.ref.key,
      run: state.run,
      node: request.node.name,
      path: request.path,
      redactor,
    };
  }
}

function keepsPartial({ node }: EffectRequest): boolean {
  return node.type === 'agent' && node.onPartial === 'keep_partial';
}
