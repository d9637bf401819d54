/**
 * `events.jsonl` and `errors.jsonl` of a run: exports of the log for people and programs, one whole
 * line at a time. The log is the truth; before a leg goes on, the events are written from it anew. A
 * disk that takes no more exports is no reason to stop a run.
 */
import { appendFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { asEvent } from '../drivers/subscription.ts';
import { jsonText } from '../errors/printable.ts';
import { toReport } from '../errors/to-report.ts';
import type { RunEvent } from '../machine/events.ts';
import type { StoredCommit } from '../machine/store-port.ts';
import { keepPrivate, PRIVATE_FILE } from '../stores/private-files.ts';
import { makePrivateFolder } from './make-folder.ts';

const PRIVATE = { mode: PRIVATE_FILE };

export class Journal {
  readonly #folder: string;
  readonly #warn: (text: string) => void;
  #events: RunEvent[] = [];
  #isBehind = false;

  constructor(home: string, run: string, warn: (text: string) => void) {
    this.#folder = join(home, 'runs', run);
    this.#warn = warn;
  }

  get events(): readonly RunEvent[] {
    return this.#events;
  }

  /** What the log holds already, and what was told since it was read. */
  repair(stored: readonly RunEvent[], told: readonly RunEvent[] = []): void {
    const last = stored.at(-1)?.seq ?? 0;
    // not pushed: a long run has more events than a call takes arguments
    this.#events = [...stored, ...told.filter(({ seq }) => seq > last)];
    this.#write(() => this.#writeAll());
  }

  add(event: RunEvent): void {
    // it may have been read from the log before it was told
    if (event.seq <= (this.#events.at(-1)?.seq ?? 0)) return;
    this.#events.push(event);
    // a line after a missing one would be a gap that nobody sees
    if (this.#isBehind) return;
    this.#write(() => {
      appendFileSync(join(this.#folder, 'events.jsonl'), line(event), PRIVATE);
      for (const error of errorLine(event))
        appendFileSync(join(this.#folder, 'errors.jsonl'), error, PRIVATE);
    });
  }

  /** The leg is over: what could not be written while it went on may find its place now. */
  finish(): void {
    if (this.#isBehind) this.#write(() => this.#writeAll());
  }

  #writeAll(): void {
    makePrivateFolder(this.#folder);
    keepPrivate(this.#folder);
    this.#replace('events.jsonl', this.#events.map(line));
    const errors = this.#events.flatMap(errorLine);
    if (errors.length > 0) this.#replace('errors.jsonl', errors);
  }

  /** Whole or not at all. */
  #replace(name: string, lines: readonly string[]): void {
    const path = join(this.#folder, name);
    writeFileSync(`${path}.new`, lines.join(''), PRIVATE);
    // one that a crash left behind may be older than that rule
    keepPrivate(`${path}.new`);
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
