/**
 * Who ends a call before the provider does: the caller, the node's time, or one of three limits. Each ends it by
 * aborting; a model that does not listen is abandoned a little later.
 */
import type { EffectClock } from '../clock.ts';
import type { ModelTimeouts } from './request.ts';

export type Limit = keyof ModelTimeouts;

export type Stop =
  | { readonly by: 'caller' }
  | { readonly by: 'limit'; readonly limit: Limit; readonly limitMs: number }
  /** The time of the node is over. */
  | { readonly by: 'node'; readonly limitMs: number }
  /** An error came, and what could still follow it took too long. */
  | { readonly by: 'failure' };

/** How long a stream may take to end once it was told to. */
const GRACE_MS = 1_000;

export class Watch {
  readonly #clock: EffectClock;
  readonly #timeouts: ModelTimeouts;
  readonly #controller = new AbortController();
  readonly #abandoned = Promise.withResolvers<void>();
  readonly #cancels = new Set<() => void>();
  readonly #caller: AbortSignal;
  #silence: { readonly limit: Limit; readonly limitMs: number };
  #cancelSilence: () => void = () => undefined;
  #lastSignMs: number;
  #stop: Stop | undefined;
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

  /** For whoever does the work. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Settles when the work was told to end and did not. */
  get abandoned(): Promise<void> {
    return this.#abandoned.promise;
  }

  get stop(): Stop | undefined {
    return this.#stop;
  }

  /** Nobody waits for the work any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  /** Something came from the provider. */
  sign(): void {
    this.#lastSignMs = this.#clock.now();
  }

  /** Content came. Thinking may be silent for as long as a first token may take. */
  content(isThinking: boolean): void {
    const { idleMs, firstTokenMs } = this.#timeouts;
    const limitMs = isThinking ? Math.max(idleMs, firstTokenMs) : idleMs;
    if (this.#silence.limit === 'idleMs' && this.#silence.limitMs === limitMs) return;
    this.#silence = { limit: 'idleMs', limitMs };
    this.#armSilence(limitMs);
  }

  /** Stops the call also when the node has no more time. */
  within(limitMs: number): void {
    this.#after(limitMs, () => this.#end({ by: 'node', limitMs }));
  }

  /** After an error little more is to come, such as the count of tokens. */
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
      // one timer for many signs: each only says when it was
      if (restMs > 0 && this.#silence.limit === 'idleMs') this.#armSilence(restMs);
      else this.#atLimit(this.#silence.limit);
    });
  }

  #atLimit(limit: Limit): void {
    const limitMs = limit === 'idleMs' ? this.#silence.limitMs : this.#timeouts[limit];
    this.#end({ by: 'limit', limit, limitMs });
  }

  #end(stop: Stop): void {
    if (this.#stop !== undefined || this.#isOver) return;
    this.#stop = stop;
    this.#controller.abort(new DOMException('The call was stopped', 'AbortError'));
    this.#after(GRACE_MS, () => this.#abandoned.resolve());
  }

  #after(ms: number, fire: () => void): void {
    this.#cancels.add(this.#clock.after(ms, fire));
  }
}
