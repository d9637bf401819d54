/**
 * Evaluates JavaScript over JSON in a few workers. Each evaluation has its own time limit and memory, and
 * one worker is kept warm. A job that waits for a free worker does not use up its time limit.
 */
import { availableParallelism } from 'node:os';
import { LIMIT_MS, MAX_TEXT_BYTES, type Job } from './worker-messages.ts';
import { findWorker, SandboxWorker, type EvaluationEnd } from './sandbox-worker.ts';

export interface SandboxOptions {
  /** Concurrent workers. Default: two, if the machine has as many cores. */
  readonly maxWorkers?: number;
  /** CPU time of one evaluation. Default: one second. */
  readonly limitMs?: number;
}

export interface Sandbox {
  /** Never rejects. */
  evaluate(job: Job, signal: AbortSignal): Promise<EvaluationEnd>;
  /** Ends the workers; running and waiting jobs are cancelled. */
  close(): Promise<void>;
}

export function createSandbox(options: SandboxOptions = {}): Sandbox {
  return new WorkerSandbox(options);
}

type Turn = (worker: SandboxWorker | undefined) => void;

class WorkerSandbox implements Sandbox {
  readonly #maxWorkers: number;
  readonly #limitMs: number;
  readonly #entry = findWorker();
  readonly #live = new Set<SandboxWorker>();
  readonly #idle: SandboxWorker[] = [];
  readonly #line: Turn[] = [];
  #isClosed = false;
  readonly #wanted = new Set<AbortController>();

  constructor({ maxWorkers, limitMs = LIMIT_MS }: SandboxOptions) {
    this.#maxWorkers = maxWorkers ?? Math.min(2, availableParallelism());
    this.#limitMs = limitMs;
  }

  async evaluate(job: Job, signal: AbortSignal): Promise<EvaluationEnd> {
    if (Buffer.byteLength(job.code) + Buffer.byteLength(job.input) > MAX_TEXT_BYTES) {
      const reason = 'code and input are too large for it';
      return { type: 'answer', answer: { ok: false, fault: 'memory', reason } };
    }
    if (this.#entry === undefined) return { type: 'missing' };
    const scope = new AbortController();
    const abort = (): void => scope.abort();
    signal.addEventListener('abort', abort, { once: true });
    if (signal.aborted || this.#isClosed) abort();
    this.#wanted.add(scope);
    try {
      return await this.#evaluateWhenFree(job, scope.signal);
    } finally {
      this.#wanted.delete(scope);
      signal.removeEventListener('abort', abort);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const scope of this.#wanted) scope.abort();
    await Promise.all([...this.#live].map((worker) => this.#discard(worker)));
  }

  async #evaluateWhenFree(job: Job, signal: AbortSignal): Promise<EvaluationEnd> {
    const worker = await this.#turn(signal);
    if (worker === undefined) return { type: 'cancelled' };
    try {
      return await worker.run(job, { limitMs: this.#limitMs, signal });
    } finally {
      await this.#release(worker);
    }
  }

  /** Gets a worker for this job; undefined if it was cancelled while it waited. */
  async #turn(signal: AbortSignal): Promise<SandboxWorker | undefined> {
    if (signal.aborted) return undefined;
    const free = this.#idle.pop() ?? this.#grow();
    if (free !== undefined) return free;

    const { promise, resolve } = Promise.withResolvers<SandboxWorker | undefined>();
    const leave = (): void => {
      this.#line.splice(this.#line.indexOf(resolve), 1);
      resolve(undefined);
    };
    this.#line.push(resolve);
    signal.addEventListener('abort', leave, { once: true });
    const worker = await promise;
    signal.removeEventListener('abort', leave);
    return worker;
  }

  #grow(): SandboxWorker | undefined {
    if (this.#entry === undefined || this.#live.size >= this.#maxWorkers) return undefined;
    const worker = new SandboxWorker(this.#entry);
    this.#live.add(worker);
    return worker;
  }

  async #release(worker: SandboxWorker): Promise<void> {
    if (worker.isOver) await this.#discard(worker);
    const next = this.#line[0];
    const free = worker.isOver ? this.#waiting(next) : worker;
    if (free === undefined) return;
    if (next !== undefined) {
      this.#line.shift();
      next(free);
    } else if (this.#idle.length === 0) this.#idle.push(free);
    else await this.#discard(free);
  }

  /** Starts a new worker only if a job waits for it. */
  #waiting(next: Turn | undefined): SandboxWorker | undefined {
    return next === undefined ? undefined : this.#grow();
  }

  async #discard(worker: SandboxWorker): Promise<void> {
    this.#live.delete(worker);
    const index = this.#idle.indexOf(worker);
    if (index >= 0) this.#idle.splice(index, 1);
    await worker.end();
  }
}
