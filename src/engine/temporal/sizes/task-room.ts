/**
 * Room in one task of a workflow. All that a task decides leaves in one message, and Temporal
 * refuses a message of over 4 MB for ever; so effects that begin together are spread over as many
 * tasks as their inputs need.
 */
import { patched, sleep, workflowInfo } from '@temporalio/workflow';

/** Room for the largest input, and as much again for what else leaves with it: the memo, answers to queries. */
const MAX_TASK_BYTES = 2_000_000;
/** Room for Temporal's additions to an input, with some to spare. */
const EACH_BYTES = 1000;
/** A timer of any length ends in a later task. */
const NEXT_TASK_MS = 1;
/** In the history of an execution that has waited for room: earlier versions never did. */
const PATCH = 'errand-task-room';

export class TaskRoom {
  #task = 0;
  #bytes = 0;
  #nextTask: Promise<void> | undefined;

  /** Whether it fits into what leaves now; then it counts. */
  takes(sizeBytes: number): boolean {
    const { historyLength } = workflowInfo();
    if (historyLength !== this.#task) this.#bytes = 0;
    this.#task = historyLength;
    const bytes = this.#bytes + sizeBytes + EACH_BYTES;
    const isTaken = this.#bytes === 0 || bytes <= MAX_TASK_BYTES || !patched(PATCH);
    if (isTaken) this.#bytes = bytes;
    return isTaken;
  }

  /** Waits until it fits, or is no longer wanted. */
  async later(sizeBytes: number, signal: AbortSignal): Promise<void> {
    do await (this.#nextTask ??= this.#untilNext());
    while (!signal.aborted && !this.takes(sizeBytes));
  }

  async #untilNext(): Promise<void> {
    await sleep(NEXT_TASK_MS);
    this.#nextTask = undefined;
  }
}
