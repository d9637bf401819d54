/** Handle of a run that a server executes: follows it there. */
import type { ErrorReport } from '../../errors/report/report.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { isRest, resultAt, type RunHandle, type RunOptions, type RunResult } from '../backend.ts';
import type { ServerClient } from './server-client.ts';
import { serverEvents } from './server-events.ts';

export interface ServerLegOptions extends Pick<RunOptions, 'onEvent' | 'wait'> {
  readonly run: string;
  readonly firstSeq: number;
  /** Called when the server stops answering. */
  readonly onAway?: ((error: ErrorReport) => void) | undefined;
}

export class ServerLeg implements RunHandle {
  readonly id: string;
  readonly #client: ServerClient;
  readonly #options: ServerLegOptions;
  readonly #left = new AbortController();
  readonly #begun = Promise.withResolvers<void>();
  readonly #result: Promise<RunResult>;

  constructor(client: ServerClient, options: ServerLegOptions) {
    this.id = options.run;
    this.#client = client;
    this.#options = options;
    this.#result = this.#follow();
    // a caller that never awaits the result gets no unhandled rejection
    this.#result.catch(() => undefined);
  }

  /** Resolves when the first event has arrived: events stored before it belong to earlier legs. */
  async begun(): Promise<this> {
    await Promise.race([this.#begun.promise, this.#result]);
    return this;
  }

  async *events(): AsyncGenerator<RunEvent, void, undefined> {
    const { run, firstSeq, onAway } = this.#options;
    const { signal } = this.#left;
    const wanted = { run, after: firstSeq - 1, signal, onAway };
    for await (const event of serverEvents(this.#client, wanted)) {
      yield event;
      if (this.#isLast(event)) return;
    }
  }

  result(): Promise<RunResult> {
    return this.#result;
  }

  cancel(): void {
    const cancelling = this.#client.post(`/v1/runs/${encodeURIComponent(this.id)}/cancel`, {});
    // the result shows whether it was in time
    cancelling.catch(() => undefined);
  }

  /** Stops following; the server continues the run. */
  stop(): void {
    this.#left.abort();
  }

  async #follow(): Promise<RunResult> {
    let last: RunEvent | undefined;
    for await (const event of this.events()) {
      last = event;
      this.#options.onEvent?.(event);
      this.#begun.resolve();
    }
    if (last === undefined || !this.#isLast(last)) return { status: 'interrupted' };
    const result = resultAt(last);
    // a failed termination has an output too
    return result.status === 'failed' && last.type === 'run:failed' && last.output !== undefined
      ? { ...result, output: last.output }
      : result;
  }

  #isLast(event: RunEvent): boolean {
    if (this.#options.wait === true && event.type === 'run:paused') return false;
    return isRest(event);
  }
}
