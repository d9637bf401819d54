/** One leg of a run as its starter sees it: its events, its result, and how to stop it. */
import type { RunEvent } from '../../machine/state/events.ts';
import { LazySet } from '../../machine/state/lazy-collections.ts';
import type { RunState } from '../../machine/state/state.ts';
import type { StoredCommit } from '../../machine/ports/store-port.ts';
import type { RunHandle, RunOptions, RunResult } from '../backend.ts';
import type { OpenGate } from '../run/resume.ts';
import { PreparedAnswers } from '../run/prepared-answers.ts';
import type { LegEnd, RunLoop } from '../run/run-loop.ts';
import { Subscription } from '../run/subscription.ts';

export interface LocalRunHandleParts {
  readonly loop: RunLoop;
  readonly options: RunOptions;
  readonly firstSeq: number;
  readonly read: (fromSeq: number) => AsyncIterable<StoredCommit>;
  readonly onEnd: (end: LegEnd) => Promise<void>;
  /** Cancels the run, after this leg too. */
  readonly cancel: (by?: string) => void;
  /** Called when somebody stops the run on purpose. */
  readonly onStop: () => void;
  /** Called with each event before the leg's own listeners; never throws. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

/** Needed while the leg is executed, and let go with its end: an application may keep the handle. */
interface OpenLeg {
  readonly parts: LocalRunHandleParts;
  readonly answers: PreparedAnswers;
}

export class LocalRunHandle implements RunHandle {
  readonly id: string;
  readonly #firstSeq: number;
  readonly #read: LocalRunHandleParts['read'];
  readonly #cancel: LocalRunHandleParts['cancel'];
  readonly #onStop: () => void;
  readonly #subscriptions = new LazySet<Subscription>();
  readonly #result: Promise<RunResult>;
  #open: OpenLeg | undefined;
  #notifiedThrough = 0;
  #isOver = false;

  constructor(parts: LocalRunHandleParts) {
    this.#open = { parts, answers: new PreparedAnswers(parts.options.answers) };
    this.#firstSeq = parts.firstSeq;
    this.#read = parts.read;
    this.#cancel = parts.cancel;
    this.#onStop = parts.onStop;
    this.id = parts.loop.state.run;
    this.#result = parts.loop.ended.then((end) => this.#end(end, parts));
  }

  /** Undefined once the leg has ended. */
  get loop(): RunLoop | undefined {
    return this.#open?.parts.loop;
  }

  events(): AsyncIterable<RunEvent> {
    const subscription = new Subscription(this.#firstSeq, this.#read, () =>
      this.#subscriptions.delete(subscription),
    );
    // earlier events are in the store
    subscription.catchUp(this.loop?.notifiedThrough ?? this.#notifiedThrough);
    if (this.#isOver) subscription.end();
    else this.#subscriptions.add(subscription);
    return subscription.events();
  }

  result(): Promise<RunResult> {
    return this.#result;
  }

  cancel(by?: string): void {
    this.#cancel(by);
  }

  /** Cancels the run if this leg is still open to it: it may be about to pause or to fail. */
  cancelLeg(by: string, reason?: string): void {
    this.loop?.cancel(by, reason);
  }

  stop(): void {
    this.#onStop();
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
    for (const subscription of this.#subscriptions) subscription.push(event);
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

  async #end(end: LegEnd, { loop, onEnd }: LocalRunHandleParts): Promise<RunResult> {
    this.#isOver = true;
    for (const subscription of this.#subscriptions) subscription.end();
    await onEnd(end);
    this.#notifiedThrough = loop.notifiedThrough;
    this.#open = undefined;
    if (end.type === 'defect') throw end.thrown;
    return resultOf(loop.state, end);
  }
}

function resultOf(state: RunState, end: LegEnd): RunResult {
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
