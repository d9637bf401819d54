/**
 * The events of one run as a stream: the log from a number on, then what is added to it. First connect
 * and reconnect are the same code: a page of the log is read when the last one was taken.
 */
import type { RunEvent } from '../../machine/state/events.ts';
import type { ServerCore } from '../core.ts';
import { problemDocument, reportOfThrown } from '../http/problem-response.ts';
import { ChunkQueue } from './chunk-queue.ts';
import { frame, type StreamSource } from './sse.ts';

const ENDINGS: ReadonlySet<string> = new Set(['run:completed', 'run:failed', 'run:cancelled']);

export interface RunStreamOptions {
  readonly run: string;
  /** The number of the last event that the reader has. */
  readonly after: number;
  /** Types that are wanted. Default: all. */
  readonly types?: ReadonlySet<string> | undefined;
}

/** The status of the run where this event ends it. */
export function endedBy(event: Pick<RunEvent, 'type'> | undefined): string | undefined {
  return event !== undefined && ENDINGS.has(event.type)
    ? event.type.slice('run:'.length)
    : undefined;
}

export class RunStream implements StreamSource {
  readonly #core: ServerCore;
  readonly #options: RunStreamOptions;
  readonly #leave: () => void;
  #seq: number;
  #last: Pick<RunEvent, 'type'> | undefined;
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

  async next(signal: AbortSignal): Promise<string | Uint8Array | undefined> {
    if (this.#isOver) return undefined;
    try {
      return await this.#next(signal);
    } catch (thrown) {
      this.#isOver = true;
      const report = reportOfThrown(thrown, this.#core.redactor);
      return frame({ event: 'problem', data: problemDocument(report) });
    }
  }

  async #next(signal: AbortSignal): Promise<string | Uint8Array> {
    for (;;) {
      if (this.#core.streams.isOver) {
        this.#isOver = true;
        return frame({ event: 'bye', data: {} });
      }
      const before = this.#seq;
      const page = await this.#page();
      if (page.length > 0) return page;
      // all of it was left out by its type
      if (this.#seq > before) continue;
      const status = endedBy(this.#last);
      if (status !== undefined) {
        this.#isOver = true;
        return frame({ event: 'end', data: { seq: this.#seq, status } });
      }
      const chunks = this.#chunks.takeBefore(this.#seq + 1);
      if (chunks.length > 0) return chunks.map(frame).join('');
      await this.#wait(signal);
      if (signal.aborted) return '';
    }
  }

  /** The next page of the log, with the text that came between its events. */
  async #page(): Promise<string | Uint8Array> {
    const { run, types } = this.#options;
    const { events, bytes } = await this.#core.pages.after(run, this.#seq);
    const last = events.at(-1);
    if (last === undefined) return '';
    this.#seq = last.seq;
    this.#last = last;
    if (types === undefined && !this.#chunks.hasBefore(last.seq)) return bytes;
    const frames = events.flatMap(({ seq, type, text }) => [
      ...this.#chunks.takeBefore(seq).map(frame),
      ...(types?.has(type) === false ? [] : [text]),
    ]);
    return frames.join('');
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    const either = AbortSignal.any([signal, woken.signal]);
    await this.#core.reader.changes.changed(this.#options.run, { seq: this.#seq }, either);
    this.#wake = undefined;
  }
}
