/**
 * `events.jsonl` and `errors.jsonl` of a run: exports of the log for people and programs, one whole
 * line at a time. The log is the truth; before a leg goes on, the events are written from it anew. A
 * disk that takes no more exports is no reason to stop a run.
 */
import {
  appendFileSync,
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { asEvent } from '../drivers/subscription.ts';
import { isKind } from '../errors/errand-error.ts';
import { jsonText } from '../errors/printable.ts';
import { toReport } from '../errors/to-report.ts';
import type { RunEvent } from '../machine/events.ts';
import type { StoredCommit } from '../machine/store-port.ts';
import { keepPrivate, PRIVATE_FILE } from '../stores/private-files.ts';
import { makePrivateFolder } from './make-folder.ts';

const PRIVATE = { mode: PRIVATE_FILE };

export interface JournalOptions {
  readonly home: string;
  readonly run: string;
  /** The log, from its first event on. */
  readonly read: () => AsyncIterable<StoredCommit>;
  readonly warn: (text: string) => void;
}

/** Keeps no events: a run may have more of them than there is memory for. */
export class Journal {
  readonly #folder: string;
  readonly #read: () => AsyncIterable<StoredCommit>;
  readonly #warn: (text: string) => void;
  #lastSeq = 0;
  #isBehind = false;

  constructor({ home, run, read, warn }: JournalOptions) {
    this.#folder = join(home, 'runs', run);
    this.#read = read;
    this.#warn = warn;
  }

  /** What the log holds already, and what was told since it was read. */
  repair(stored: readonly RunEvent[], told: readonly RunEvent[] = []): void {
    const last = stored.at(-1)?.seq ?? 0;
    // not pushed: a long run has more events than a call takes arguments
    const events = [...stored, ...told.filter(({ seq }) => seq > last)];
    this.#lastSeq = events.at(-1)?.seq ?? 0;
    this.#write(() => this.#writeAll(events));
  }

  add(event: RunEvent): void {
    // it may have been read from the log before it was told
    if (event.seq <= this.#lastSeq) return;
    this.#lastSeq = event.seq;
    // a line after a missing one would be a gap that nobody sees
    if (this.#isBehind) return;
    this.#write(() => {
      appendFileSync(join(this.#folder, 'events.jsonl'), line(event), PRIVATE);
      for (const error of errorLine(event))
        appendFileSync(join(this.#folder, 'errors.jsonl'), error, PRIVATE);
    });
  }

  /** The leg is over: what could not be written while it went on may find its place now. */
  async finish(): Promise<void> {
    if (!this.#isBehind) return;
    const events = await this.#stored();
    if (events !== undefined) this.#write(() => this.#writeAll(events));
  }

  /** All that happened in the run, from the log; where that is away, as far as it was exported. */
  async events(): Promise<readonly RunEvent[]> {
    return (await this.#stored()) ?? this.#exported();
  }

  /** Undefined where the store cannot be read, which the result of the leg tells. */
  async #stored(): Promise<readonly RunEvent[] | undefined> {
    try {
      return await storedEvents(this.#read());
    } catch (thrown) {
      if (!isKind(thrown, 'store.*')) throw thrown;
      return undefined;
    }
  }

  #exported(): readonly RunEvent[] {
    try {
      const text = readFileSync(join(this.#folder, 'events.jsonl'), 'utf8');
      const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
      // written by this process
      return lines.filter((each) => each !== '').map((each) => JSON.parse(each) as RunEvent);
    } catch {
      // that it could not be written was said when it happened
      return [];
    }
  }

  #writeAll(events: readonly RunEvent[]): void {
    makePrivateFolder(this.#folder);
    keepPrivate(this.#folder);
    this.#replace('events.jsonl', events, (event) => [line(event)]);
    if (events.some(({ type }) => type === 'run:failed'))
      this.#replace('errors.jsonl', events, errorLine);
  }

  /** Whole or not at all, and never as one text: it may be longer than a text can be. */
  #replace(
    name: string,
    events: readonly RunEvent[],
    linesOf: (event: RunEvent) => readonly string[],
  ): void {
    const path = join(this.#folder, name);
    const file = openSync(`${path}.new`, 'w', PRIVATE_FILE);
    // one that a crash left behind may be older than that rule
    keepPrivate(`${path}.new`);
    try {
      for (let from = 0; from < events.length; from += BATCH_EVENTS)
        writeFileSync(
          file,
          events
            .slice(from, from + BATCH_EVENTS)
            .flatMap(linesOf)
            .join(''),
        );
    } finally {
      closeSync(file);
    }
    renameSync(`${path}.new`, path);
  }

  #write(write: () => void): void {
    try {
      write();
    } catch (thrown) {
      if (this.#isBehind) return;
      this.#isBehind = true;
      const { message } = toReport(thrown);
      this.#warn(
        `events.jsonl cannot be written: ${message}. It is repaired when the run rests, if it can be by then, or by the next resume.`,
      );
    }
  }
}

const BATCH_EVENTS = 500;

/** The log up to now. */
export async function storedEvents(
  commits: AsyncIterable<StoredCommit>,
): Promise<readonly RunEvent[]> {
  const all: RunEvent[] = [];
  for await (const { events } of commits) all.push(...events.map(asEvent));
  return all;
}

/** One line for each leg that ended in failure. */
function errorLine(event: RunEvent): readonly string[] {
  return event.type === 'run:failed' ? [line({ run: event.run, ...event.error })] : [];
}

function line(value: object): string {
  return `${jsonText(value)}\n`;
}
