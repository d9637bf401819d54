/**
 * The effects of one run that are under way: each begun once, stopped when it is no longer wanted,
 * and told as events when it has really ended. Ends of those that are stopped together are told
 * together, so that the end which waits for them stands in the same commit.
 */
import { cancelledBefore, resultOf, type EffectContext } from '../effects/effect.ts';
import { toInternalRecord, type InternalRecord } from '../errors/internal-record.ts';
import type { JsonValue } from '../errors/json.ts';
import type { Redactor } from '../errors/redact.ts';
import type { ErrorReport } from '../errors/report.ts';
import { toReport } from '../errors/to-report.ts';
import { pendingRequest, type EffectRequest } from '../machine/effect-request.ts';
import { neverBegun, stopped } from '../machine/endings.ts';
import type { EventBody } from '../machine/events.ts';
import { LazyMap, LazySet } from '../machine/lazy.ts';
import type { PendingEffect, RunState } from '../machine/state.ts';
import { stoppedFor } from '../machine/stopping.ts';
import type { Breakers } from './breakers.ts';
import type { EffectRunner } from './effect-runner.ts';
import { notCancelledByUs, resultEvents } from './result-events.ts';

export interface UnderWayOptions {
  readonly state: RunState;
  readonly effects: Pick<EffectRunner, 'run'>;
  readonly breakers: Pick<Breakers, 'guard'>;
  readonly redactor: Redactor;
  /** Hears what effects tell while they work. Ephemeral: nothing of it is stored. */
  readonly onProgress: (progress: Progress) => void;
  /** The internal record: stacks and host paths, which go nowhere else. */
  readonly onInternal: (record: InternalRecord) => void;
  /** Hears what is wrong beside the run and changes nothing in it. */
  readonly onWarning: (error: ErrorReport) => void;
}

export interface UnderWayListener {
  /** Called when one of them has ended, with what came of it. */
  take(...events: readonly EventBody[]): void;
  /** What follows an effect is not as it should be, and nobody knows what came of it. */
  breakOff(thrown: unknown): void;
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

interface Running {
  /** Which request it is for: the same action may be asked for again in the step that stops it. */
  readonly pending: PendingEffect;
  readonly controller: AbortController;
  readonly ended: Promise<void>;
}

/** The end of an effect that is stopped, while others that are stopped with it have not ended. */
interface Withheld {
  readonly pending: PendingEffect;
  readonly events: readonly EventBody[];
}

export class EffectsUnderWay {
  readonly #options: UnderWayOptions;
  readonly #listener: UnderWayListener;
  readonly #running = new LazyMap<string, Running>();
  /** Their results are told, and the state has not taken them yet. */
  readonly #answered = new LazySet<string>();
  readonly #withheld = new LazyMap<string, Withheld>();

  constructor(options: UnderWayOptions, listener: UnderWayListener) {
    this.#options = options;
    this.#listener = listener;
  }

  get size(): number {
    return this.#running.size;
  }

  /** What the run asks for and nobody has begun. */
  begin(): void {
    const { state } = this.#options;
    for (const [key, pending] of this.#notBegun()) {
      if (stoppedFor(state, pending) !== undefined) continue;
      const request = pendingRequest(state, pending);
      if (request?.ref.key === key) this.#run(request, pending);
    }
  }

  /** What was asked for and not begun when the run was cancelled never will be. */
  takeBack(): readonly EventBody[] {
    const message = 'The run was cancelled before it began';
    return this.#notBegun().map(([key, pending]) => {
      this.#answered.add(key);
      return stopped(this.#options.state, pending, { message, outcome: 'not_started' });
    });
  }

  /** Nor will what was asked for in the very step that stops it; the state takes these at once. */
  takeBackStopped(): readonly EventBody[] {
    const { state } = this.#options;
    for (const [key, pending] of this.#notBegun())
      if (stoppedFor(state, pending) !== undefined)
        this.#withheld.set(key, { pending, events: [neverBegun(state, pending)] });
    const told = this.#takeWithheld();
    this.#answered.clear();
    return told;
  }

  /** The state takes all results that were told. */
  noteTaken(): void {
    this.#answered.clear();
  }

  /** Told as soon as it is decided: a store that is slow gives nobody time to do what is not wanted. */
  abortUnwanted(): void {
    for (const { controller } of [...this.#unwanted(), ...this.#stopping()]) controller.abort();
  }

  /** Those whose company has ended, too. */
  #takeWithheld(): readonly EventBody[] {
    if (this.#withheld.size === 0) return [];
    const { state } = this.#options;
    const told: EventBody[] = [];
    const stopping = new Set(
      Array.from(this.#running.values(), ({ pending }) => stoppedFor(state, pending)),
    );
    for (const [key, { pending, events }] of this.#withheld) {
      const decider = stoppedFor(state, pending);
      if (decider !== undefined && stopping.has(decider)) continue;
      this.#withheld.delete(key);
      this.#answered.add(key);
      told.push(...events);
    }
    return told;
  }

  /** Effects that the machine no longer waits for are over before anything new begins. */
  async unwantedEnded(): Promise<void> {
    await Promise.all(this.#unwanted().map(({ ended }) => ended));
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
    return [...this.#running].flatMap(([key, running]) =>
      effects.get(key) === running.pending ? [] : [running],
    );
  }

  #stopping(): readonly Running[] {
    const { state } = this.#options;
    return Array.from(this.#running.values()).filter(
      ({ pending }) => stoppedFor(state, pending) !== undefined,
    );
  }

  #notBegun(): readonly [string, PendingEffect][] {
    return [...this.#options.state.effects].filter(
      ([key]) => !this.#running.has(key) && !this.#answered.has(key) && !this.#withheld.has(key),
    );
  }

  #run(request: EffectRequest, pending: PendingEffect): void {
    const controller = new AbortController();
    const { key } = request.ref;
    const ended = this.#perform(request, pending, controller.signal).catch((thrown: unknown) => {
      this.#running.delete(key);
      this.#listener.breakOff(thrown);
    });
    this.#running.set(key, { pending, controller, ended });
  }

  async #perform(
    request: EffectRequest,
    pending: PendingEffect,
    signal: AbortSignal,
  ): Promise<void> {
    const { state, effects, breakers } = this.#options;
    const { key } = request.ref;
    const told = { hasText: false };
    const context = this.#contextFor(request, signal, told);
    const isWanted = (): boolean => state.effects.get(key) === pending;
    const { result: given, changes } = await breakers.guard(request, () =>
      // given up while its breaker was asked: it is not begun
      isWanted() && !signal.aborted
        ? resultOf(() => effects.run(request, context), context)
        : Promise.resolve(cancelledBefore('cancelled.call')),
    );
    const result = signal.aborted ? given : notCancelledByUs(state, request, given);
    if (told.hasText && !result.ok && !keepsPartial(request)) this.#retract(request);
    const changed = changes.map((change) => ({ type: 'breaker:changed' as const, ...change }));
    this.#running.delete(key);
    if (isWanted()) {
      const isStopped = stoppedFor(state, pending) !== undefined;
      const events = [...changed, ...resultEvents(state, request, result, isStopped)];
      if (!result.ok && result.thrown !== undefined) this.#keepThrown(events, result.thrown);
      this.#withheld.set(key, { pending, events });
      this.#listener.take(...this.#takeWithheld());
    } else this.#listener.take(...(state.status === 'running' ? changed : []));
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
}

function keepsPartial({ node }: EffectRequest): boolean {
  return node.type === 'agent' && node.onPartial === 'keep_partial';
}
