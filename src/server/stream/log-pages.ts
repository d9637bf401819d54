/**
 * Pages of logs as they are sent. Stored events never change, so readers at the same place share a
 * page, and one read of the store serves several pages.
 */
import type { Engine } from '../../engine/errand.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { shownEvent } from '../runs/shown-values.ts';
import { frame } from './sse.ts';

/** An event as a frame of a stream. */
export interface FramedEvent {
  readonly seq: number;
  readonly type: RunEvent['type'];
  readonly text: string;
}

/** Bytes that a stopped reader keeps in memory. */
const PAGE_CHARS = 16 * 1024;
/** The part of the log that is read at once. */
const BATCH_CHARS = 256 * 1024;
const MAX_KEPT_BYTES = 8 * 1024 * 1024;

/** Some events in a row, and the bytes of all of them: encoded once, however many read them. */
export interface LogPage {
  readonly events: readonly FramedEvent[];
  readonly bytes: Uint8Array;
}

const ENCODER = new TextEncoder();
const END: LogPage = { events: [], bytes: new Uint8Array() };

export class LogPages {
  readonly #engine: () => Promise<Engine>;
  readonly #base: string;
  readonly #kept = new Map<string, LogPage>();
  readonly #reading = new Map<string, Promise<LogPage>>();
  #bytes = 0;

  constructor(engine: () => Promise<Engine>, base: string) {
    this.#engine = engine;
    this.#base = base;
  }

  /** The next events after that one, as many as make a page; none at the end of the log. */
  async after(run: string, seq: number): Promise<LogPage> {
    const key = keyOf(run, seq);
    const kept = this.#kept.get(key);
    if (kept !== undefined) return kept;
    const reading = this.#reading.get(key) ?? this.#read(run, seq);
    this.#reading.set(key, reading);
    try {
      return await reading;
    } finally {
      this.#reading.delete(key);
    }
  }

  async #read(run: string, seq: number): Promise<LogPage> {
    const engine = await this.#engine();
    const pages: { events: FramedEvent[]; chars: number; after: number }[] = [];
    let chars = 0;
    for await (const event of engine.history(run, seq + 1)) {
      const open = pages.at(-1);
      const page =
        open !== undefined && open.chars < PAGE_CHARS
          ? open
          : { events: [], chars: 0, after: event.seq - 1 };
      if (page !== open) pages.push(page);
      const text = frame({ id: event.seq, event: event.type, data: shownEvent(event, this.#base) });
      page.events.push({ seq: event.seq, type: event.type, text });
      page.chars += text.length;
      chars += text.length;
      if (chars >= BATCH_CHARS) break;
    }
    const [first = END] = pages.map(({ events, after }) => {
      const bytes = ENCODER.encode(events.map(({ text }) => text).join(''));
      const page = { events, bytes };
      this.#keep(keyOf(run, after), page);
      return page;
    });
    return first;
  }

  #keep(key: string, page: LogPage): void {
    const before = this.#kept.get(key);
    if (before !== undefined) this.#bytes -= before.bytes.length;
    this.#kept.set(key, page);
    this.#bytes += page.bytes.length;
    for (const [oldest, { bytes }] of this.#kept) {
      if (this.#bytes <= MAX_KEPT_BYTES) return;
      this.#kept.delete(oldest);
      this.#bytes -= bytes.length;
    }
  }
}

function keyOf(run: string, seq: number): string {
  return `${seq} ${run}`;
}
