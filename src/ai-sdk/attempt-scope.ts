/**
 * The scope of one attempt: ends it for the caller, at the deadline of the call, when the model sends
 * nothing for too long, or when nobody reads what it sends. An ended attempt is aborted, and nobody waits
 * for it.
 */
import type { ResilienceClock } from '../machine-clock.ts';
import { heldSleep, type HeldSleep } from './held-sleep.ts';

export type Stop =
  | { readonly by: 'caller' }
  | { readonly by: 'deadline' }
  | { readonly by: 'reader' }
  | { readonly by: 'silence'; readonly limitMs: number };

/** Thrown into an attempt that was ended from outside; `stop` of its scope has the reason. */
export class AttemptStopped extends Error {
  override readonly name = 'AttemptStopped';
}

export interface ScopeOptions {
  readonly clock: ResilienceClock;
  readonly caller: AbortSignal | undefined;
  /** End of the whole call; Infinity where it has none. */
  readonly endsAtMs: number;
  /** Time without a sign of life. */
  readonly limitMs: number;
}

/**
 * Slow readers (a paused client, a voice, a debugger) continue before this; a stream that was
 * dropped is never read.
 */
const UNREAD_MS = 600_000;

/** A reason of its own: the default one is an exception, and making that is slow. */
const CLOSED = 'The attempt ended';

export class AttemptScope {
  readonly #options: ScopeOptions;
  readonly #controller = new AbortController();
  #timers = new AbortController();
  #sleep: HeldSleep | undefined;
  #limitMs: number;
  /** The start of the present silence, of the model or of the reader. */
  #sinceMs: number;
  /** Nobody asks for more, so the model cannot be silent. */
  #isResting = false;
  #stop: Stop | undefined;
  #onStop: (() => void) | undefined;
  #reject: ((stopped: AttemptStopped) => void) | undefined;

  constructor(options: ScopeOptions) {
    this.#options = options;
    this.#limitMs = options.limitMs;
    this.#sinceMs = options.clock.now();
    options.caller?.addEventListener('abort', this.#onAbort, { once: true });
    if (options.caller?.aborted === true) this.#end({ by: 'caller' });
    else this.#watch();
  }

  /** For the model. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get stop(): Stop | undefined {
    return this.#stop;
  }

  /** Waits for the work, or throws `AttemptStopped`. One at a time. */
  wait<T>(work: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#reject = reject;
      if (this.#stop !== undefined) reject(new AttemptStopped());
      work.then(resolve, reject);
    });
  }

  /** Called when the model is asked for more: its silence counts from here. */
  listen(limitMs: number): void {
    this.#sinceMs = this.#options.clock.now();
    this.#isResting = false;
    if (limitMs === this.#limitMs) return this.#sleep?.hold();
    this.#limitMs = limitMs;
    this.#timers.abort(CLOSED);
    this.#watch();
  }

  /** Called when nobody asks for more: from here the reader's time counts, not the model's. */
  rest(): void {
    this.#sinceMs = this.#options.clock.now();
    this.#isResting = true;
    this.#sleep?.letGo();
  }

  /** Calls it when the attempt is stopped. */
  whenStopped(call: () => void): void {
    this.#onStop = call;
  }

  close(): void {
    this.#timers.abort(CLOSED);
    this.#options.caller?.removeEventListener('abort', this.#onAbort);
  }

  readonly #onAbort = (): void => this.#end({ by: 'caller' });

  #watch(): void {
    this.#timers = new AbortController();
    const { signal } = this.#timers;
    const sleep = (): void => {
      // no longer than the limit: the model may be asked again at any moment
      const waitMs = Math.max(
        0,
        Math.min(this.#dueMs() - this.#options.clock.now(), this.#limitMs),
      );
      this.#sleep = heldSleep(this.#options.clock, waitMs, signal);
      // a reader that went away must not keep the process
      if (this.#isResting) this.#sleep.letGo();
      this.#sleep.over.then(
        () => {
          if (!signal.aborted && !this.#endIfDue()) sleep();
        },
        () => undefined, // the attempt ended first, which is what the signal says
      );
    };
    if (this.#dueMs() < Infinity) sleep();
  }

  #dueMs(): number {
    const limitMs = this.#isResting ? Math.max(this.#limitMs, UNREAD_MS) : this.#limitMs;
    return Math.min(this.#options.endsAtMs, this.#sinceMs + limitMs);
  }

  /** Activity may have moved the deadline since the timer was set. */
  #endIfDue(): boolean {
    if (this.#options.clock.now() < this.#dueMs()) return false;
    const isOver = this.#options.endsAtMs <= this.#dueMs();
    if (isOver) this.#end({ by: 'deadline' });
    else this.#end(this.#isResting ? { by: 'reader' } : { by: 'silence', limitMs: this.#limitMs });
    return true;
  }

  #end(stop: Stop): void {
    if (this.#stop !== undefined) return;
    this.#stop = stop;
    this.close();
    this.#controller.abort(
      stop.by === 'caller' ? this.#options.caller?.reason : new AttemptStopped(),
    );
    this.#reject?.(new AttemptStopped());
    this.#onStop?.();
  }
}
