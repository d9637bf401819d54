/**
 * One worker, which runs one job at a time. After a deadline, a cancellation, a crash or a spoiled engine
 * it is over: `run` settles, and `isOver` is true from then on.
 */
import {
  MessageChannel,
  receiveMessageOnPort,
  Worker,
  type MessagePort,
} from 'node:worker_threads';
import { existsSync } from 'node:fs';
import { cpuMeter, limitTime, type CpuMeter } from './time-limit.ts';
import {
  WORKER_STACK_MB,
  type Answer,
  type FromWorker,
  type Job,
  type WorkerData,
} from './worker-messages.ts';

/** The worker file, as source or as build; undefined inside a bundle. */
export function findWorker(): URL | undefined {
  // a CommonJS bundle has no `import.meta.url`
  const name = String(import.meta.url).endsWith('.ts') ? './worker-entry.ts' : './worker-entry.js';
  const entry = URL.canParse(name, import.meta.url) ? new URL(name, import.meta.url) : undefined;
  return entry !== undefined && existsSync(entry) ? entry : undefined;
}

/** More than the largest result needs on the host's side. */
const RESOURCE_LIMITS = { stackSizeMb: WORKER_STACK_MB, maxOldGenerationSizeMb: 256 };

/** Loading takes some 60 ms; a machine that needs this long is broken. */
const START_LIMIT_MS = 30_000;

/** The worker could not start, or crashed. */
interface Broken {
  readonly type: 'broken';
  readonly thrown: unknown;
}

export type EvaluationEnd =
  | { readonly type: 'answer'; readonly answer: Answer }
  | { readonly type: 'deadline' }
  | { readonly type: 'cancelled' }
  /** There is no worker file. */
  | { readonly type: 'missing' }
  | Broken;

export interface RunOptions {
  /** CPU time. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** Compiled by the first worker of the process; later ones start in half the time. */
let compiled: object | undefined;

export class SandboxWorker {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  readonly #cpuMs: CpuMeter;
  #isReady = false;
  #isOver = false;
  #listener: ((event: FromWorker | Broken) => void) | undefined;

  constructor(entry: URL) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = new Worker(entry, {
      workerData: { port: port2, compiled } satisfies WorkerData,
      transferList: [port2],
      // none of the host's environment, flags or terminal
      env: {},
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: RESOURCE_LIMITS,
    });
    this.#cpuMs = cpuMeter(this.#worker);
    this.#port.on('message', (message: FromWorker) => this.#hear(message));
    this.#worker.on('error', (thrown: unknown) => this.#break(thrown));
    this.#worker.on('exit', () =>
      this.#break(new Error('The worker of the sandbox ended by itself')),
    );
    // the timer of a running job keeps the process alive; an idle worker must not
    this.#port.unref();
    this.#worker.unref();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Never rejects. One at a time. */
  async run(job: Job, { limitMs, signal }: RunOptions): Promise<EvaluationEnd> {
    const { promise, resolve } = Promise.withResolvers<EvaluationEnd>();
    const cancel = (): void => resolve({ type: 'cancelled' });
    const atDeadline = (): void => resolve(this.#atDeadline());
    const startTimer = setTimeout(atDeadline, START_LIMIT_MS);
    let stopTime = (): void => clearTimeout(startTimer);
    const start = (): void => {
      stopTime();
      stopTime = limitTime(limitMs, this.#cpuMs, atDeadline);
      this.#port.postMessage(job);
    };
    this.#listener = (event) => {
      if (event.type === 'ready') start();
      else resolve(event);
    };
    signal.addEventListener('abort', cancel, { once: true });
    if (signal.aborted) cancel();
    else if (this.#isOver) resolve({ type: 'broken', thrown: new Error('The worker is over') });
    else if (this.#isReady) start();

    const end = await promise;
    stopTime();
    signal.removeEventListener('abort', cancel);
    this.#listener = undefined;
    if (end.type !== 'answer') await this.end();
    return end;
  }

  async end(): Promise<void> {
    this.#isOver = true;
    this.#port.close();
    await this.#worker.terminate();
  }

  #hear(message: FromWorker): void {
    if (message.type === 'ready') {
      this.#isReady = true;
      compiled ??= message.compiled;
    } else if (message.isSpoiled) this.#isOver = true;
    this.#listener?.(message);
  }

  #break(thrown: unknown): void {
    this.#isOver = true;
    this.#listener?.({ type: 'broken', thrown });
  }

  /** A result that has already arrived was in time: only this thread was late to read it. */
  #atDeadline(): EvaluationEnd {
    if (!this.#isReady) return { type: 'broken', thrown: new Error('The worker did not start') };
    const waiting: { readonly message: FromWorker } | undefined = receiveMessageOnPort(this.#port);
    if (waiting === undefined || waiting.message.type === 'ready') return { type: 'deadline' };
    if (waiting.message.isSpoiled) this.#isOver = true;
    return waiting.message;
  }
}
