/**
 * The events of one run as a stream: the log from a number on, then what is added to it. First connect
 * and reconnect are the same code: a page of the log is read when the last one was taken.
 */
import type { Progress } from '../../engine/run/running-effects.ts';
import { isPlainObject } from '../../errors/support/safe-json.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { ServerCore } from '../core.ts';
import { problemDocument, reportOfThrown } from '../http/problem.ts';
import { shownEvent } from '../runs/shown-values.ts';
import type { StreamEvent, StreamSource } from './sse.ts';

const PAGE = { events: 200, bytes: 256 * 1024 };

/** Pieces of text that wait for the reader; more are dropped. */
const MAX_CHUNKS = 256;

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
  /** Whether the reader has all that was stored, so that text while it comes means something. */
  #isCaughtUp = false;
  #chunks: StreamEvent[] = [];
  /** Attempts of which the reader has seen text, by path and attempt. */
  readonly #shown = new Set<string>();
  #isOver = false;
  #wake: (() => void) | undefined;

  constructor(core: ServerCore, options: RunStreamOptions) {
    this.#core = core;
    this.#options = options;
    this.#seq = options.after;
    const remove = core.streams.add(() => this.#wake?.());
    const unsubscribe = core.chunks.listen(options.run, (progress) => this.#note(progress));
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
        this.#isCaughtUp = false;
        this.#seq = page.at(-1)?.seq ?? this.#seq;
        this.#last = page.at(-1);
        const chunks = this.#takeChunks();
        const shown = this.#shownOf(page);
        if (chunks.length + shown.length > 0) return [...chunks, ...shown];
        continue;
      }
      const status = endedBy(this.#last);
      if (status !== undefined && this.#last !== undefined) {
        this.#isOver = true;
        return [...this.#takeChunks(), { event: 'end', data: { seq: this.#last.seq, status } }];
      }
      const chunks = this.#takeChunks();
      if (chunks.length > 0) return chunks;
      await this.#wait(signal);
      if (signal.aborted) return [];
    }
  }

  #shownOf(page: readonly RunEvent[]): readonly StreamEvent[] {
    const { types } = this.#options;
    const wanted = types === undefined ? page : page.filter(({ type }) => types.has(type));
    return wanted.map((event) => ({
      id: event.seq,
      event: event.type,
      data: shownEvent(event, this.#core.base),
    }));
  }

  async #wait(signal: AbortSignal): Promise<void> {
    const woken = new AbortController();
    this.#wake = () => woken.abort();
    this.#isCaughtUp = true;
    const either = AbortSignal.any([signal, woken.signal]);
    await this.#core.reader.changes.changed(this.#options.run, { seq: this.#seq }, either);
    this.#wake = undefined;
  }

  #takeChunks(): readonly StreamEvent[] {
    return this.#chunks.splice(0);
  }

  /** Text is dropped for a reader that is behind; that it no longer counts never is. */
  #note({ path, value }: Progress): void {
    if (!isPlainObject(value)) return;
    const { type, attempt, delta } = value;
    const key = JSON.stringify([path, attempt]);
    if (type === 'text' && typeof delta === 'string') {
      if (!this.#isCaughtUp || this.#chunks.length >= MAX_CHUNKS) return;
      this.#shown.add(key);
      this.#chunks.push({ event: 'chunk', data: { path, attempt, text: delta } });
      this.#wake?.();
    } else if (type === 'retracted' && this.#shown.delete(key)) {
      this.#chunks.push({ event: 'chunk.retracted', data: { path, attempt } });
      this.#wake?.();
    }
  }
}
