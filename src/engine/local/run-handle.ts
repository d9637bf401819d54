/** One leg of a run as its starter sees it: its events, its result, and how to stop it. */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import { forOpenGate, type Answer } from '../../machine/gates/gate-answer.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { RunState } from '../../machine/state/state.ts';
import type { Claim, StoredCommit } from '../../machine/ports/store-port.ts';
import type { RunHandle, RunOptions, RunResult } from '../backend.ts';
import type { OpenGate } from '../run/resume.ts';
import { PreparedAnswers } from '../run/prepared-answers.ts';
import type { LegEnd, RunLoop } from '../run/run-loop.ts';
import { Subscription } from '../run/subscription.ts';

/**
 * Parts that all handles of a backend share. An application may keep thousands of handles, so none
 * has its own closures.
 */
export interface HandleBackend {
  readonly read: (run: string, fromSeq: number) => AsyncIterable<StoredCommit>;
  /** Cancels the run, after the leg too. */
  readonly cancel: (run: string, by?: string) => void;
  /** Called when somebody stops the run on purpose. */
  readonly noteStop: (claim: Claim) => void;
}

export interface LocalRunHandleParts {
  readonly loop: RunLoop;
  readonly options: RunOptions;
  readonly firstSeq: number;
  /** Epoch of the leg's claim. */
  readonly epoch: number;
  readonly backend: HandleBackend;
  readonly onEnd: (end: LegEnd) => Promise<void>;
  /** Called with each event before the leg's own listeners; never throws. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** Needed while the leg is executed, and let go with its end: an application may keep the handle. */
interface OpenLeg {
  readonly parts: LocalRunHandleParts;
  readonly answers: PreparedAnswers;
}

type Defect = Extract<LegEnd, { type: 'defect' }>;

const NOBODY: ReadonlySet<Subscription> = new Set();

export class LocalRunHandle implements RunHandle {
  readonly id: string;
  /** Epoch of the leg's claim. */
  readonly epoch: number;
  readonly #backend: HandleBackend;
  readonly #firstSeq: number;
  /** Those whose listener has not left; made by the first. */
  #subscriptions: Set<Subscription> | undefined;
  readonly #result: Promise<RunResult>;
  #open: OpenLeg | undefined;
  #notifiedThrough = 0;
  #isOver = false;

  constructor(parts: LocalRunHandleParts) {
    this.#open = { parts, answers: new PreparedAnswers(parts.options.answers) };
    this.#backend = parts.backend;
    this.#firstSeq = parts.firstSeq;
    this.epoch = parts.epoch;
    this.id = parts.loop.state.run;
    this.#result = parts.loop.ended.then((end) => this.#end(end, parts));
  }

  /** Undefined once the leg has ended. */
  get loop(): RunLoop | undefined {
    return this.#open?.parts.loop;
  }

  events(): AsyncIterable<RunEvent> {
    return this.#eventsFrom(this.#firstSeq);
  }

  /**
   * Answers a gate. Resolves once the answer is stored, to true; to false if the leg ends before, as
   * when its store fails. Rejects when the answer is refused.
   */
  async answer(answer: Answer): Promise<boolean> {
    const { loop } = this;
    if (loop === undefined) return false;
    const events = this.#eventsFrom(loop.notifiedThrough + 1);
    loop.enqueueAnswer(answer);
    const { gate } = forOpenGate(loop.state, answer);
    for await (const event of events)
      if (event.type === 'gate:answered' && event.gate === gate) return true;
    return false;
  }

  /** Resolves once the leg's first commit is stored. Rejects with what ended the leg before that. */
  async begun(): Promise<this> {
    for await (const _event of this.#eventsFrom(this.#firstSeq)) return this;
    const result = await this.#result;
    if (result.status === 'interrupted' && result.error !== undefined)
      throw new ErrandError(result.error);
    return this;
  }

  #eventsFrom(firstSeq: number): AsyncGenerator<RunEvent, void, undefined> {
    const read = (fromSeq: number): AsyncIterable<StoredCommit> =>
      this.#backend.read(this.id, fromSeq);
    const subscription = new Subscription(firstSeq, read, () =>
      this.#subscriptions?.delete(subscription),
    );
    // earlier events are in the store
    subscription.catchUp(this.loop?.notifiedThrough ?? this.#notifiedThrough);
    if (this.#isOver) subscription.end();
    else (this.#subscriptions ??= new Set()).add(subscription);
    return subscription.events();
  }

  result(): Promise<RunResult> {
    return this.#result;
  }

  cancel(by?: string): void {
    this.#backend.cancel(this.id, by);
  }

  /** Cancels the run if this leg is still open to it: it may be about to pause or to fail. */
  cancelLeg(by: string, reason?: string): void {
    this.loop?.cancel(by, reason);
  }

  stop(): void {
    this.#backend.noteStop({ run: this.id, epoch: this.epoch });
    this.loop?.stop();
  }

  /** Answers gates that were open before this leg began, where an answer was prepared. */
  answerOpenGates(gates: readonly OpenGate[]): void {
    for (const { gate, node } of gates) this.#answer(gate, node);
  }

  /** Passes a stored event to the listeners. */
  notify(event: RunEvent): void {
    const parts = this.#open?.parts;
    parts?.onEvent?.(event);
    for (const subscription of this.#subscriptions ?? NOBODY) subscription.push(event);
    try {
      parts?.options.onEvent?.(event);
    } finally {
      // also when the listener throws
      if (event.type === 'gate:opened') this.#answer(event.gate, event.node);
    }
  }

  #answer(gate: string, node: string): void {
    if (this.#open === undefined) return;
    const { parts, answers } = this.#open;
    const answered = answers.eventFor(parts.loop.state, gate, node);
    if (answered !== undefined) parts.loop.enqueue(answered);
  }

  /** Lets the leg go before its claim is released: many legs may rest in the same moment. */
  #end(end: LegEnd, { loop, onEnd }: LocalRunHandleParts): Promise<RunResult> {
    this.#isOver = true;
    for (const subscription of this.#subscriptions ?? NOBODY) subscription.end();
    this.#subscriptions = undefined;
    this.#notifiedThrough = loop.notifiedThrough;
    this.#open = undefined;
    return resultAfter(onEnd(end), end.type === 'defect' ? end : resultOf(loop.state, end));
  }
}

/** Holds nothing of the leg while it waits. */
async function resultAfter(
  released: Promise<void>,
  result: RunResult | Defect,
): Promise<RunResult> {
  await released;
  if ('thrown' in result) throw result.thrown;
  return result;
}

function resultOf(state: RunState, end: Exclude<LegEnd, Defect>): RunResult {
  if (end.type === 'store') return { status: 'interrupted', error: end.error };
  if (end.type === 'stopped') return { status: 'interrupted' };
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

/** The handle, once its leg's first commit is stored. A handle of any other kind is of a stored leg. */
export async function begun(handle: RunHandle): Promise<RunHandle> {
  return handle instanceof LocalRunHandle ? handle.begun() : handle;
}
