/** Where failed runs failed: the path in their last event. It stays the same, so it is looked up once. */
import type { RunSummary } from '../../machine/ports/store-port.ts';
import type { RunEvent } from '../../machine/state/events.ts';

interface LogReader {
  readonly lastSeq: (run: string) => Promise<number>;
  readonly eventsAfter: (run: string, seq: number) => Promise<readonly RunEvent[]>;
}

/** Runs whose place is kept. */
const MAX_KEPT = 5000;

export class FailurePlaces {
  readonly #reader: LogReader;
  readonly #kept = new Map<string, string>();

  constructor(reader: LogReader) {
    this.#reader = reader;
  }

  /** Undefined for a run that has not failed, and where its failure has no place. */
  async of({ run, status, endedAt = '' }: RunSummary): Promise<string | undefined> {
    if (status !== 'failed') return undefined;
    // a run that was resumed may fail again
    const key = `${run} ${endedAt}`;
    const known = this.#kept.get(key) ?? (await this.#look(run));
    this.#keep(key, known);
    return known === '' ? undefined : known;
  }

  async #look(run: string): Promise<string> {
    const last = await this.#reader.lastSeq(run);
    const event = (await this.#reader.eventsAfter(run, last - 1)).at(-1);
    if (event?.type !== 'run:failed') return '';
    const { path, node } = event.error.location ?? {};
    return path ?? node ?? '';
  }

  #keep(key: string, place: string): void {
    this.#kept.set(key, place);
    const first = this.#kept.keys().next();
    if (this.#kept.size > MAX_KEPT && first.done !== true) this.#kept.delete(first.value);
  }
}
