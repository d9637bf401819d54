/** One leg of a run as its starter sees it: its events, its result, and how to stop it. */
import type { JsonValue } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import type { RunEvent, Waiting } from '../machine/events.ts';
import { LazySet } from '../machine/lazy.ts';
import type { RunState } from '../machine/state.ts';
import type { StoredCommit } from '../machine/store-port.ts';
import type { EffectRunner } from './effect-runner.ts';
import type { Progress } from './effects-under-way.ts';
import type { OpenGate } from './going-on.ts';
import { PreparedAnswers, type PreparedAnswer } from './prepared-answers.ts';
import type { Rest, RunLoop } from './run-loop.ts';
import { Subscription } from './subscription.ts';

export interface RunOptions {
  readonly onEvent?: (event: RunEvent) => void;
  /** Hears streamed text and what functions tell while they work; nothing of it is stored. */
  readonly onProgress?: (progress: Progress) => void;
  /** Waits of any length are waited out instead of pausing the run. */
  readonly wait?: boolean;
  /** False: nobody can be asked. */
  readonly gates?: boolean;
  /** What gates are answered with as they open, by name or path; each answer once. */
  readonly answers?: readonly PreparedAnswer[];
  /** What runs the effects of this leg. Default: what the driver was given. */
  readonly effects?: EffectRunner;
}

export type RunResult =
  | { readonly status: 'completed'; readonly output: JsonValue }
  | { readonly status: 'failed'; readonly error: ErrorReport; readonly output?: JsonValue }
  | { readonly status: 'cancelled' }
  | { readonly status: 'paused'; readonly waiting: Waiting }
  | { readonly status: 'interrupted'; readonly error?: ErrorReport };

export interface RunHandle {
  readonly id: string;
  /** The events of this leg, each once and in order, to its end. */
  events(): AsyncIterable<RunEvent>;
  /** Never rejects for a failed run. */
  result(): Promise<RunResult>;
  /** Ends the run for good. */
  cancel(by: string): void;
  /** Leaves the run resumable where it is. */
  stop(): void;
}

export interface LegParts {
  readonly loop: RunLoop;
  readonly options: RunOptions;
  readonly firstSeq: number;
  readonly read: (fromSeq: number) => AsyncIterable<StoredCommit>;
  readonly onRest: (rest: Rest) => Promise<void>;
  /** Hears what the listeners of the leg hear; never throws. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

export class Leg implements RunHandle {
  readonly id: string;
  readonly loop: RunLoop;
  readonly #parts: LegParts;
  readonly #subscriptions = new LazySet<Subscription>();
  readonly #answers: PreparedAnswers;
  readonly #result: Promise<RunResult>;
  #isOver = false;

  constructor(parts: LegParts) {
    this.#parts = parts;
    this.#answers = new PreparedAnswers(parts.options.answers);
    this.loop = parts.loop;
    this.id = parts.loop.state.run;
    this.#result = parts.loop.rested.then((rest) => this.#end(rest));
  }

  events(): AsyncIterable<RunEvent> {
    const subscription = new Subscription(this.#parts.firstSeq, this.#parts.read, () =>
      this.#subscriptions.delete(subscription),
    );
    // what was told before is in the store
    subscription.catchUp(this.loop.toldThrough);
    if (this.#isOver) subscription.end();
    else this.#subscriptions.add(subscription);
    return subscription.events();
  }

  result(): Promise<RunResult> {
    return this.#result;
  }

  cancel(by: string): void {
    this.loop.cancel(by);
  }

  stop(): void {
    this.loop.stop();
  }

  /** Gates that were open before this leg began get their prepared answers now. */
  answerOpen(gates: readonly OpenGate[]): void {
    for (const { gate, node } of gates) this.#answer(gate, node);
  }

  /** An event that is stored. */
  tell(event: RunEvent): void {
    this.#parts.onEvent?.(event);
    for (const subscription of this.#subscriptions) subscription.tell(event);
    try {
      this.#parts.options.onEvent?.(event);
    } finally {
      // whatever becomes of the listener, the gate gets what was prepared for it
      if (event.type === 'gate:opened') this.#answer(event.gate, event.node);
    }
  }

  #answer(gate: string, node: string): void {
    const answered = this.#answers.eventFor(this.loop.state, gate, node);
    if (answered !== undefined) this.loop.take(answered);
  }

  async #end(rest: Rest): Promise<RunResult> {
    this.#isOver = true;
    for (const subscription of this.#subscriptions) subscription.end();
    await this.#parts.onRest(rest);
    if (rest.type === 'defect') throw rest.thrown;
    return resultOf(this.loop.state, rest);
  }
}

function resultOf(state: RunState, rest: Rest): RunResult {
  if (rest.type === 'store') return { status: 'interrupted', error: rest.error };
  if (rest.type === 'stopped') return { status: 'interrupted' };
  switch (state.status) {
    case 'completed':
      return { status: 'completed', output: state.output ?? null };
    case 'cancelled':
      return { status: 'cancelled' };
    case 'paused':
      return { status: 'paused', waiting: state.waiting ?? { reason: 'person', all: [] } };
    case 'failed': {
      if (state.error === undefined) return { status: 'interrupted' };
      const output = state.output === undefined ? {} : { output: state.output };
      return { status: 'failed', error: state.error, ...output };
    }
    case 'running':
      return { status: 'interrupted' };
  }
}

/** How a run stands by the last event of its log: at rest, or else interrupted. */
export function standingAt(last: RunEvent | undefined): RunResult {
  switch (last?.type) {
    case 'run:completed':
      return { status: 'completed', output: last.output };
    case 'run:failed':
      return { status: 'failed', error: last.error };
    case 'run:cancelled':
      return { status: 'cancelled' };
    case 'run:paused':
      return { status: 'paused', waiting: last.waiting };
    default:
      return { status: 'interrupted' };
  }
}
