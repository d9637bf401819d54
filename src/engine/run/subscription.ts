/**
 * The events of a run for one listener, each once and in order. A listener that falls behind costs no
 * memory: it reads the rest from the store.
 */
import { copyJson } from '../../errors/support/copy-json.ts';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import type { StoredCommit } from '../../machine/ports/store-port.ts';

/** Events that are buffered for a listener before it has to read from the store. */
const MAX_BUFFERED = 1000;

export class Subscription {
  readonly #read: (fromSeq: number) => AsyncIterable<StoredCommit>;
  readonly #onLeave: () => void;
  #buffer: RunEvent[] = [];
  #nextSeq: number;
  #lastSeq: number;
  #isOver = false;
  #wake = Promise.withResolvers<void>();

  /** `onLeave`: called when the listener stops reading, before the end or after it. */
  constructor(
    fromSeq: number,
    read: (fromSeq: number) => AsyncIterable<StoredCommit>,
    onLeave: () => void,
  ) {
    this.#nextSeq = fromSeq;
    this.#lastSeq = fromSeq - 1;
    this.#read = read;
    this.#onLeave = onLeave;
  }

  push(event: RunEvent): void {
    if (event.seq < this.#nextSeq) return;
    this.#lastSeq = event.seq;
    if (this.#buffer.length < MAX_BUFFERED) this.#buffer.push(event);
    this.#wake.resolve();
  }

  /** Events up to this one are in the store already. */
  catchUp(lastSeq: number): void {
    this.#lastSeq = Math.max(this.#lastSeq, lastSeq);
  }

  end(): void {
    this.#isOver = true;
    this.#wake.resolve();
  }

  async *events(): AsyncGenerator<RunEvent, void, undefined> {
    try {
      for (;;) {
        yield* this.#buffered();
        if (this.#nextSeq <= this.#lastSeq && this.#buffer.length === 0) yield* this.#stored();
        if (this.#nextSeq <= this.#lastSeq) continue;
        if (this.#isOver) return;
        await this.#wake.promise;
        this.#wake = Promise.withResolvers<void>();
      }
    } finally {
      this.#onLeave();
    }
  }

  *#buffered(): Generator<RunEvent, void, undefined> {
    for (const event of this.#buffer.splice(0)) {
      if (event.seq < this.#nextSeq) continue;
      if (event.seq > this.#nextSeq) return;
      this.#nextSeq++;
      // the run continues with its values, and other listeners get it too
      yield copyEvent(event);
    }
  }

  async *#stored(): AsyncGenerator<RunEvent, void, undefined> {
    for await (const { events } of this.#read(this.#nextSeq)) {
      for (const event of events) {
        this.#nextSeq++;
        yield asEvent(event);
      }
    }
  }
}

/** Written by the engine, and checked by the store as it is read. */
export function asEvent(event: JsonObject): RunEvent {
  return event as unknown as RunEvent;
}

/** For a listener of the application, which may change it. */
export function copyEvent(event: RunEvent): RunEvent {
  // true: events are stored as JSON, and a copy has the form of the original
  return copyJson(event as unknown as JsonValue) as unknown as RunEvent;
}
