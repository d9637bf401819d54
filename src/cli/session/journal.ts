/**
 * The journal of a run, `events.jsonl` and `errors.jsonl`: exports of the log for people and programs, one
 * whole line at a time. The log is the truth; each leg begins by rewriting the files from it. A disk that
 * refuses exports does not stop a run.
 */
import { closeSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isKind } from '../../errors/thrown/errand-error.ts';
import { jsonText } from '../../errors/support/printable.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import {
  appendPrivate,
  isLink,
  keepPrivate,
  PRIVATE_FILE,
  WRITE_NO_LINK,
} from '../../stores/sqlite/private-files.ts';
import { makePrivateFolder, systemWords } from '../project/make-folder.ts';

export interface JournalOptions {
  /** Undefined: nothing is exported, because a server has the run. */
  readonly home: string | undefined;
  readonly run: string;
  /** Reads the whole log. */
  readonly read: () => Promise<readonly RunEvent[]>;
  /** Prints even with `--quiet`: without its exports a run has lost a safeguard. */
  readonly warn: (text: string) => void;
}

/** Keeps no events: those of a long run may not fit into memory. */
export class Journal {
  readonly #folder: string | undefined;
  readonly #read: () => Promise<readonly RunEvent[]>;
  readonly #warn: (text: string) => void;
  #lastSeq = 0;
  #isBehind = false;

  constructor({ home, run, read, warn }: JournalOptions) {
    this.#folder = home === undefined ? undefined : join(home, 'runs', run);
    this.#read = read;
    this.#warn = warn;
  }

  /** Rewrites the files: the stored events, and those emitted since they were read. */
  repair(stored: readonly RunEvent[], emitted: readonly RunEvent[] = []): void {
    const last = stored.at(-1)?.seq ?? 0;
    // not with `push(...)`: a long run has more events than a call takes arguments
    const events = [...stored, ...emitted.filter(({ seq }) => seq > last)];
    this.#lastSeq = events.at(-1)?.seq ?? 0;
    this.#write((folder) => writeAll(folder, events));
  }

  add(event: RunEvent): void {
    // it may have been read from the log already
    if (event.seq <= this.#lastSeq) return;
    this.#lastSeq = event.seq;
    // a line after a missing one would hide the gap
    if (this.#isBehind) return;
    this.#write((folder) => {
      appendPrivate(join(folder, 'events.jsonl'), line(event));
      for (const error of errorLine(event)) appendPrivate(join(folder, 'errors.jsonl'), error);
    });
  }

  /** Call it when the leg has ended: writes what could not be written before. */
  async finish(): Promise<void> {
    if (!this.#isBehind) return;
    const events = await this.#stored();
    if (events !== undefined) this.#write((folder) => writeAll(folder, events));
  }

  /** Returns all events of the run, from the log; from the export where the store is unavailable. */
  async events(): Promise<readonly RunEvent[]> {
    return (await this.#stored()) ?? this.exported();
  }

  /** Returns undefined where the store cannot be read; the result of the leg reports that. */
  async #stored(): Promise<readonly RunEvent[] | undefined> {
    try {
      return await this.#read();
    } catch (thrown) {
      if (!isKind(thrown, 'store.*')) throw thrown;
      return undefined;
    }
  }

  /** Reads the export at once, for a process that is ending. */
  exported(): readonly RunEvent[] {
    if (this.#folder === undefined) return [];
    try {
      const text = readFileSync(join(this.#folder, 'events.jsonl'), 'utf8');
      const lines = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
      // written by this process
      return lines.filter((each) => each !== '').map((each) => JSON.parse(each) as RunEvent);
    } catch {
      // the failed write was reported when it happened
      return [];
    }
  }

  #write(write: (folder: string) => void): void {
    if (this.#folder === undefined) return;
    try {
      write(this.#folder);
    } catch (thrown) {
      if (this.#isBehind) return;
      this.#isBehind = true;
      this.#warn(
        `Cannot write events.jsonl: ${systemWords(thrown)}. Errand tries again when this leg ends and at the next resume. Until then it cannot detect that the store was replaced by an older copy.`,
      );
    }
  }
}

const BATCH_EVENTS = 500;

function writeAll(folder: string, events: readonly RunEvent[]): void {
  if (isLink(folder)) throw Object.assign(new Error(folder), { code: 'ELOOP' });
  makePrivateFolder(folder);
  keepPrivate(folder);
  replace(folder, 'events.jsonl', events, (event) => [line(event)]);
  if (events.some(({ type }) => type === 'run:failed'))
    replace(folder, 'errors.jsonl', events, errorLine);
}

/** Replaces the file atomically, in batches: as one text it could exceed the longest string. */
function replace(
  folder: string,
  name: string,
  events: readonly RunEvent[],
  linesOf: (event: RunEvent) => readonly string[],
): void {
  const path = join(folder, name);
  const file = openSync(`${path}.new`, WRITE_NO_LINK, PRIVATE_FILE);
  // a file that a crash left behind may have other permissions
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

/** One line for each leg that ended in failure. */
function errorLine(event: RunEvent): readonly string[] {
  return event.type === 'run:failed' ? [line({ run: event.run, ...event.error })] : [];
}

function line(value: object): string {
  return `${jsonText(value)}\n`;
}
