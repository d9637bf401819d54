/**
 * Ends a call of `withResilience` early: at its deadline, or when its caller aborts it. A call with
 * neither pays for a signal and nothing else.
 */
import { callLater, timer, type ResilienceClock } from './machine-clock.ts';

/** Recognised by identity: a call may throw a failure of any kind. */
const DEADLINE = new Error('The deadline passed');

const NOT_NEEDED = 'The wait was no longer needed';

export class EarlyEnd {
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal | undefined;
  #stopTimer: (() => void) | undefined;
  #stopWaiting: (() => void) | undefined;
  /** True if the deadline has passed in this attempt. */
  #isOverdue = false;
  #tell: ((reason: unknown) => void) | undefined;

  constructor(caller: AbortSignal | undefined) {
    this.#caller = caller;
    if (caller === undefined) return;
    if (caller.aborted) this.handleEvent();
    else caller.addEventListener('abort', this, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get isCancelled(): boolean {
    return this.#caller !== undefined && this.signal.aborted;
  }

  /** Whether anything but the call can end this attempt. */
  get isWatched(): boolean {
    return this.#caller !== undefined || this.#stopTimer !== undefined;
  }

  /** Begins an attempt that may take that long. */
  watch(clock: ResilienceClock, leftMs: number): void {
    if (leftMs === Infinity) return;
    this.#isOverdue = false;
    this.#stopTimer = callLater(clock, Math.max(0, leftMs), () => {
      this.#isOverdue = true;
      this.#tell?.(DEADLINE);
    });
  }

  /** Ends an attempt. */
  unwatch(): void {
    this.#stopTimer?.();
    this.#stopWaiting?.();
    this.#stopTimer = this.#stopWaiting = this.#tell = undefined;
  }

  close(): void {
    this.unwatch();
    this.#caller?.removeEventListener('abort', this);
  }

  /** Settles as the work does, or rejects if the end comes first. */
  orBefore<T>(work: T | Promise<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#onEnd(reject);
      Promise.resolve(work).then(resolve, reject);
    });
  }

  /** Rejects when the end comes; resolves if it has not come within the time. */
  comes(withinMs: number): Promise<void> {
    const waiting = new AbortController();
    this.#stopWaiting = () => waiting.abort(NOT_NEEDED);
    this.#onEnd((reason) => waiting.abort(reason));
    return timer(withinMs, waiting.signal);
  }

  /** Whether it slept to the end: false if the caller ended it. */
  async sleep(clock: ResilienceClock, ms: number): Promise<boolean> {
    try {
      await clock.sleep(ms, this.signal);
      return true;
    } catch {
      // only the signal ends a wait
      return false;
    }
  }

  /** Whether the deadline threw this; the signal of the call is aborted then. */
  isDeadline(thrown: unknown): boolean {
    // another call may throw its own deadline: calls may share the work that they wait for
    if (thrown !== DEADLINE || !this.#isOverdue) return false;
    this.#controller.abort(DEADLINE);
    return true;
  }

  /** Calls at once if the end has come already. */
  #onEnd(tell: (reason: unknown) => void): void {
    this.#tell = tell;
    if (this.#isOverdue) tell(DEADLINE);
    else if (this.signal.aborted) tell(this.signal.reason);
  }

  /** The caller's signal calls this, so that no call has to make a listener. */
  handleEvent(): void {
    const reason: unknown = this.#caller?.reason;
    this.#controller.abort(reason);
    this.#tell?.(reason);
  }
}
