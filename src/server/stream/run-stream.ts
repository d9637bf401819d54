/**
 * The events of one run as a stream: the log from a number on, then what is added to it. First connect
 * and reconnect are the same code: a page of the log is read when the last one was taken.
 */
import type { RunEvent } from '../../machine/state/events.ts';
import type { ServerCore } from '../core.ts';
import { problemDocument, reportOfThrown } from '../http/problem.ts';
import { shownEvent } from '../runs/shown-values.ts';
import { ChunkQueue } from './chunk-queue.ts';
import type { StreamEvent, StreamSource } from './sse.ts';

const PAGE = { events: 200, bytes: 256 * 1024 };

const ENDINGS: ReadonlySet<string> = new Set(['run:completed', 'run:failed', 'run:cancelled']);

export interface RunStreamOptions {
  readonly run: string;
  /** The number of the last event that the reader has. */
  readonly after: number;
  /** Types that are wanted. Default: all. */
  readonly types?: ReadonlySet<string> | undefined;
}

/** The status of the run where this event ends it. */
export function endedBy(event: RunEvent | undefined): string | undefined {
  return event !== undefined && ENDINGS.has(event.type)
    ? event.type.slice('run:'.length)
    : undefined;
}

export class RunStream implements StreamSource {
  readonly #core: ServerCore;
  readonly #options: RunStreamOptions;
  readonly #leave: () => void;
  #seq: number;
  #last: RunEvent | undefined;
  readonly #chunks = new ChunkQueue();
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(core: ServerCore, options: RunStreamOptions) {
    this.#core = core;
    this.#options = options;
    this.#seq = options.after;
    const remove = core.streams.add(() => this.#wake?.());
    const unsubscribe = core.chunks.listen(options.run, (progress, seq) => {
      if (this.#chunks.add(progress, seq ?? this.#seq)) this.#wake?.();
    });
    this.#leave = () => {
      unsubscribe();
      remove();
    };
  }

  close(): void {
    this.#leave();
  }

  async next(signal: AbortSignal): Promise<readonly StreamEvent[] | undefined> {
    if (this.#isOver) return undefined;
    try {
      return await this.#next(signal);
    } catch (thrown) {
      this.#isOver = true;
      const report = reportOfThrown(thrown, this.#core.redactor);
      return [{ event: 'problem', data: problemDocument(report) }];
    }
  }

  async #next(signal: AbortSignal): Promise<readonly StreamEvent[]> {
    const { run } = this.#options;
    for (;;) {
      if (this.#core.streams.isOver) {
        this.#isOver = true;
        return [{ event: 'bye', data: {} }];
      }
      const page = await this.#core.reader.page(run, this.#seq, PAGE);
      if (page.length > 0) {
        this.#seq = page.at(-1)?.seq ?? this.#seq;
        this.#last = page.at(-1);
        const shown = page.flatMap((event) => this.#shownOf(event));
        if (shown.length > 0) return shown;
        continue;
      }
      const status = endedBy(this.#last);
      if (status !== undefined && this.#last !== undefined) {
        this.#isOver = true;
        return [{ event: 'end', data: { seq: this.#last.seq, status } }];
      }
      const chunks = this.#chunks.takeBefore(this.#seq + 1);
      if (chunks.length > 0) return chunks;
      await this.#wait(signal);
      if (signal.aborted) return [];
    }
  }

  /** The event, and before it the text that came before it. */
  #shownOf(event: RunEvent): readonly StreamEvent[] {
    const { types } = this.#options;
    const chunks = this.#chunks.takeBefore(event.seq);
    if (types?.has(event.type) === false) return chunks;
    const data = shownEvent(event, this.#core.base);
    return [...chunks, { id: event.seq, event: event.type, data }];
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const either = AbortSignal.any([signal, woken.signal]);
    await this.#core.reader.changes.changed(this.#options.run, { seq: this.#seq }, either);
    this.#wake = undefined;
  }
}
