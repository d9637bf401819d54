/**
 * Ends a call early: for the caller, for the node's time limit, or for one of three limits of the model.
 * Each aborts the call; a model that ignores the abort is abandoned shortly after.
 */
import type { EffectClock } from '../clock.ts';
import type { ModelTimeouts } from '../../machine/policy/model-timeouts.ts';

export type Limit = keyof ModelTimeouts;

export type CallStop =
  | { readonly by: 'caller' }
  | { readonly by: 'limit'; readonly limit: Limit; readonly limitMs: number }
  /** The time limit of the node is over. */
  | { readonly by: 'node'; readonly limitMs: number }
  /** An error came, and the stream did not end soon after it. */
  | { readonly by: 'failure' };

/** Time for a stream to end after an abort. */
const GRACE_MS = 1_000;

export class CallTimeouts {
  readonly #clock: EffectClock;
  readonly #timeouts: ModelTimeouts;
  readonly #controller = new AbortController();
  readonly #abandoned = Promise.withResolvers<void>();
  readonly #cancels = new Set<() => void>();
  readonly #caller: AbortSignal;
  #silence: { readonly limit: Limit; readonly limitMs: number };
  #cancelSilence: () => void = () => undefined;
  #lastSignMs: number;
  #stop: CallStop | undefined;
  #isOver = false;

  constructor(clock: EffectClock, timeouts: ModelTimeouts, caller: AbortSignal) {
    this.#clock = clock;
    this.#timeouts = timeouts;
    this.#caller = caller;
    this.#lastSignMs = clock.now();
    this.#silence = { limit: 'firstTokenMs', limitMs: timeouts.firstTokenMs };
    caller.addEventListener('abort', this.#onAbort);
    this.#after(timeouts.totalMs, () => this.#atLimit('totalMs'));
    this.#armSilence(timeouts.firstTokenMs);
  }

  /** For the call of the model. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Settles when the call was aborted and did not end. */
  get abandoned(): Promise<void> {
    return this.#abandoned.promise;
  }

  get stop(): CallStop | undefined {
    return this.#stop;
  }

  /** Stops all timers: the call is over. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Notes any sign of life from the provider. */
  touch(): void {
    this.#lastSignMs = this.#clock.now();
  }

  content(): void {
    this.#limitSilence(this.#timeouts.idleMs);
  }

  /** Reasoning may pause for as long as a first token may take. */
  thinking(): void {
    const { idleMs, firstTokenMs } = this.#timeouts;
    this.#limitSilence(Math.max(idleMs, firstTokenMs));
  }

  #limitSilence(limitMs: number): void {
    if (this.#silence.limit === 'idleMs' && this.#silence.limitMs === limitMs) return;
    this.#silence = { limit: 'idleMs', limitMs };
    this.#armSilence(limitMs);
  }

  /** Also stops the call at the node's time limit. */
  within(limitMs: number): void {
    this.#after(limitMs, () => this.#end({ by: 'node', limitMs }));
  }

  /** After an error little can follow, such as the token count. */
  failed(): void {
    this.#after(GRACE_MS, () => this.#end({ by: 'failure' }));
  }

  close(): void {
    this.#isOver = true;
    this.#caller.removeEventListener('abort', this.#onAbort);
    this.#cancelSilence();
    for (const cancel of this.#cancels) cancel();
    this.#cancels.clear();
  }

  readonly #onAbort = (): void => this.#end({ by: 'caller' });

  #armSilence(ms: number): void {
    this.#cancelSilence();
    this.#cancelSilence = this.#clock.after(ms, () => {
      const restMs = this.#silence.limitMs - (this.#clock.now() - this.#lastSignMs);
      // one timer for many events: each only updates the time
      if (restMs > 0 && this.#silence.limit === 'idleMs') this.#armSilence(restMs);
      else this.#atLimit(this.#silence.limit);
    });
  }

  #atLimit(limit: Limit): void {
    const limitMs = limit === 'idleMs' ? this.#silence.limitMs : this.#timeouts[limit];
    this.#end({ by: 'limit', limit, limitMs });
  }

  #end(stop: CallStop): void {
    if (this.#stop !== undefined || this.#isOver) return;
    this.#stop = stop;
    this.#controller.abort(new DOMException('The call was stopped', 'AbortError'));
    this.#after(GRACE_MS, () => this.#abandoned.resolve());
  }

  #after(ms: number, fire: () => void): void {
    this.#cancels.add(this.#clock.after(ms, fire));
  }
}
