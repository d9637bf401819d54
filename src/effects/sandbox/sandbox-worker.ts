/**
 * One worker and the one job it may have. A worker that ran into its deadline, was cancelled, broke
 * or said that it is spoiled is over: `run` settles, and `isOver` is true from then on.
 */
import {
  MessageChannel,
  receiveMessageOnPort,
  Worker,
  type MessagePort,
} from 'node:worker_threads';
import { existsSync } from 'node:fs';
import {
  WORKER_STACK_MB,
  type Answer,
  type FromWorker,
  type Job,
  type WorkerData,
} from './protocol.ts';

/** The same file as source and as build; none where Errand is part of somebody's bundle. */
export function findWorker(): URL | undefined {
  // one for CommonJS has no address either
  const name = String(import.meta.url).endsWith('.ts') ? './worker.ts' : './worker.js';
  const entry = URL.canParse(name, import.meta.url) ? new URL(name, import.meta.url) : undefined;
  return entry !== undefined && existsSync(entry) ? entry : undefined;
}

/** Beyond what a result of the largest size needs on the host's side. */
const RESOURCE_LIMITS = { stackSizeMb: WORKER_STACK_MB, maxOldGenerationSizeMb: 256 };

/** Loading takes some 60 ms; a machine that needs this long is broken. */
const START_LIMIT_MS = 30_000;

/** The worker could not start, or died. */
interface Broken {
  readonly type: 'broken';
  readonly thrown: unknown;
}

export type Ending =
  | { readonly type: 'answer'; readonly answer: Answer }
  | { readonly type: 'deadline' }
  | { readonly type: 'cancelled' }
  /** There is no worker to start. */
  | { readonly type: 'missing' }
  | Broken;

export interface RunOptions {
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/** Of the first worker of the process; the later ones start in half the time. */
let compiled: object | undefined;

export class SandboxWorker {
  readonly #worker: Worker;
  readonly #port: MessagePort;
  #isReady = false;
  #isOver = false;
  #listener: ((event: FromWorker | Broken) => void) | undefined;

  constructor(entry: URL) {
    const { port1, port2 } = new MessageChannel();
    this.#port = port1;
    this.#worker = new Worker(entry, {
      workerData: { port: port2, compiled } satisfies WorkerData,
      transferList: [port2],
      // nothing of the host's environment, flags or terminal
      env: {},
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: RESOURCE_LIMITS,
    });
    this.#port.on('message', (message: FromWorker) => this.#hear(message));
    this.#worker.on('error', (thrown: unknown) => this.#break(thrown));
    this.#worker.on('exit', () =>
      this.#break(new Error('The worker of the sandbox ended by itself')),
    );
    // the timer of a running job keeps the process, an idle worker must not
    this.#port.unref();
    this.#worker.unref();
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  /** Never rejects. One at a time. */
  async run(job: Job, { limitMs, signal }: RunOptions): Promise<Ending> {
    const { promise, resolve } = Promise.withResolvers<Ending>();
    const cancel = (): void => resolve({ type: 'cancelled' });
    const waitAtMost = (ms: number): NodeJS.Timeout =>
      setTimeout(() => resolve(this.#atDeadline()), ms);
    let timer = waitAtMost(START_LIMIT_MS);
    const start = (): void => {
      clearTimeout(timer);
      timer = waitAtMost(limitMs);
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

    const ending = await promise;
    clearTimeout(timer);
    signal.removeEventListener('abort', cancel);
    this.#listener = undefined;
    if (ending.type !== 'answer') await this.end();
    return ending;
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

  /** An answer that lies there already was in time: it was this thread that was late. */
  #atDeadline(): Ending {
    if (!this.#isReady) return { type: 'broken', thrown: new Error('The worker did not start') };
    const waiting: { readonly message: FromWorker } | undefined = receiveMessageOnPort(this.#port);
    if (waiting === undefined || waiting.message.type === 'ready') return { type: 'deadline' };
    if (waiting.message.isSpoiled) this.#isOver = true;
    return waiting.message;
  }
}
