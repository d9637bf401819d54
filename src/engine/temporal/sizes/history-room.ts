/**
 * Room in the history of one execution: whether it has grown so long that the run should continue in a
 * new one, and whether the state still fits into the input of that one.
 */
import { patched, workflowInfo } from '@temporalio/workflow';
import { packState } from '../../../machine/state/snapshot.ts';
import type { RunState } from '../../../machine/state/state.ts';
import { jsonBytes, MAX_STATE_BYTES } from './payload-size.ts';

/** Beyond these Temporal ends an execution by force; the run leaves well before. */
const MUST_LEAVE_EVENTS = 25_000;
const MUST_LEAVE_BYTES = 25_000_000;
/** How much must be new since the last execution was read, to make leaving again worthwhile. */
const WORTH_LEAVING = { events: 2000, bytes: 4_000_000 };
/** Measuring the state takes time in proportion to its size, so it is done only this often. */
const MEASURE_EVERY_EVENTS = 500;
/** In the history of an execution that counts the events of the run: earlier versions counted Temporal's. */
const OWN_COUNT = 'errand-own-count';

interface HistoryRoomParts {
  /** The run leaves after so many events. Default: when Temporal suggests it. */
  readonly maxEvents: number | undefined;
  /** The log of the execution before was read into this history, instead of a snapshot in the input. */
  readonly hasReadLog: boolean;
  /** Number of events of the run in this execution. */
  readonly ownEvents: () => number;
  readonly state: () => RunState;
}

export class HistoryRoom {
  readonly #parts: HistoryRoomParts;
  readonly #read: { readonly events: number; readonly bytes: number };
  readonly #countsOwn: boolean;
  #isHolding = false;
  #measured: { readonly seq: number; readonly bytes: number } | undefined;

  constructor(parts: HistoryRoomParts) {
    const { historyLength: events, historySize: bytes } = workflowInfo();
    this.#parts = parts;
    this.#read = parts.hasReadLog ? { events, bytes } : { events: 0, bytes: 0 };
    // Temporal's count differs in a replay when the first try of a task has timed out
    this.#countsOwn = parts.maxEvents !== undefined && patched(OWN_COUNT);
  }

  /** Effects are held back, because the run is about to leave. */
  get isHolding(): boolean {
    return this.#isHolding;
  }

  get isLong(): boolean {
    const { maxEvents, ownEvents } = this.#parts;
    const { historyLength, historySize, continueAsNewSuggested } = workflowInfo();
    const events = historyLength - this.#read.events;
    if (maxEvents !== undefined) return (this.#countsOwn ? ownEvents() : events) >= maxEvents;
    if (this.#read.events === 0) return continueAsNewSuggested;
    // the part read from the previous execution counts for Temporal, and would be read again
    const bytes = historySize - this.#read.bytes;
    const isWorthIt = events >= WORTH_LEAVING.events || bytes >= WORTH_LEAVING.bytes;
    return continueAsNewSuggested && (isWorthIt || this.#isOverdue());
  }

  /** An activity does not outlive its execution, so the run leaves when none is running. */
  mustHold(running: number): boolean {
    if (this.#isHolding) return true;
    if (!this.isLong) return false;
    this.#isHolding = this.#isOverdue() || (running === 0 && this.canLeave());
    return this.#isHolding;
  }

  canLeave(): boolean {
    return this.stateBytes() <= MAX_STATE_BYTES;
  }

  /** As it was measured last. */
  stateBytes(): number {
    const state = this.#parts.state();
    if (this.#measured === undefined || state.seq - this.#measured.seq > MEASURE_EVERY_EVENTS)
      this.#measured = { seq: state.seq, bytes: jsonBytes(packState(state)) };
    return this.#measured.bytes;
  }

  #isOverdue(): boolean {
    const { historyLength, historySize } = workflowInfo();
    return (
      historyLength - this.#read.events > MUST_LEAVE_EVENTS ||
      historySize > Math.max(MUST_LEAVE_BYTES, this.#read.bytes + WORTH_LEAVING.bytes)
    );
  }
}
