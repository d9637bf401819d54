/** The changes of all runs as a stream; several changes of a run in a short time may be one event. */
import { isKind } from '../../errors/thrown/errand-error.ts';
import type { ServerCore } from '../core.ts';
import { problemDocument, reportOfThrown } from '../http/problem-response.ts';
import { frame, type StreamEvent, type StreamSource } from './sse.ts';

export class AllRunsStream implements StreamSource {
  readonly #core: ServerCore;
  readonly #changed = new Set<string>();
  readonly #leave: () => void;
  #wake: (() => void) | undefined;
  #isOver = false;

  constructor(core: ServerCore) {
    this.#core = core;
    const remove = core.streams.add(() => this.#wake?.());
    const unsubscribe = core.changes.listen((run) => {
      this.#changed.add(run);
      this.#wake?.();
    });
    this.#leave = () => {
      unsubscribe();
      remove();
    };
  }

  close(): void {
    this.#leave();
  }

  async next(signal: AbortSignal): Promise<string | undefined> {
    if (this.#isOver) return undefined;
    try {
      for (;;) {
        if (this.#core.streams.isOver) {
          this.#isOver = true;
          return frame({ event: 'bye', data: {} });
        }
        const events = await this.#takeChanges();
        if (events.length > 0 || signal.aborted) return events.map(frame).join('');
        await this.#wait(signal);
      }
    } catch (thrown) {
      this.#isOver = true;
      const report = reportOfThrown(thrown, this.#core.redactor);
      return frame({ event: 'problem', data: problemDocument(report) });
    }
  }

  async #takeChanges(): Promise<readonly StreamEvent[]> {
    const runs = [...this.#changed];
    this.#changed.clear();
    const events: StreamEvent[] = [];
    for (const run of runs) events.push(...(await this.#changeOf(run)));
    return events;
  }

  async #changeOf(run: string): Promise<readonly StreamEvent[]> {
    try {
      const summary = await this.#core.reader.summary(run);
      const engine = await this.#core.engine();
      const seq = (await engine.record(run)).head.nextSeq - 1;
      const attention = await this.#core.reader.attention(summary);
      const { workflow, status } = summary;
      return [{ event: 'run', data: { run, workflow, seq, status, attention } }];
    } catch (thrown) {
      // it was removed meanwhile
      if (isKind(thrown, 'run.not_found')) return [];
      throw thrown;
    }
  }

  #wait(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
      signal.addEventListener('abort', () => resolve(), { once: true });
      if (signal.aborted || this.#changed.size > 0 || this.#core.streams.isOver) resolve();
    });
  }
}
