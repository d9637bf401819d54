/** The journals of all runs that a server executes: `events.jsonl` and `errors.jsonl`, as commands write them. */
import type { RunEvent } from '../../machine/state/events.ts';
import { runLogFor } from '../project/run-log-setting.ts';
import type { Terminal } from '../terminal.ts';
import { Journal } from './journal.ts';

export interface RunJournalsOptions {
  readonly home: string;
  readonly warn: (text: string) => void;
}

interface OpenJournal {
  readonly journal: Journal;
  /** Events that came while the log was read; undefined once it is. */
  waiting: RunEvent[] | undefined;
}

/** After these nothing is added before the run is resumed. */
const RESTS: ReadonlySet<RunEvent['type']> = new Set([
  'run:completed',
  'run:failed',
  'run:cancelled',
  'run:paused',
]);

export class RunJournals {
  readonly #options: RunJournalsOptions;
  readonly #open = new Map<string, OpenJournal>();

  constructor(options: RunJournalsOptions) {
    this.#options = options;
  }

  /** Called with every event in order. `read` gives the whole log of its run. */
  note(event: RunEvent, read: () => Promise<readonly RunEvent[]>): void {
    const open = this.#open.get(event.run) ?? this.#begin(event, read);
    if (open.waiting === undefined) this.#add(open, event);
    else open.waiting.push(event);
  }

  #begin({ run, seq }: RunEvent, read: () => Promise<readonly RunEvent[]>): OpenJournal {
    const journal = new Journal({ ...this.#options, run, read });
    const open: OpenJournal = { journal, waiting: [] };
    this.#open.set(run, open);
    if (seq === 1) {
      journal.repair([]);
      open.waiting = undefined;
    } else void this.#catchUp(open, read);
    return open;
  }

  /** First exports the events that an earlier process stored and did not export. */
  async #catchUp(open: OpenJournal, read: () => Promise<readonly RunEvent[]>): Promise<void> {
    try {
      open.journal.repair(await read());
    } catch {
      // the leg reports the problem of its store; the next leg rewrites the files
    }
    const waiting = open.waiting ?? [];
    open.waiting = undefined;
    for (const event of waiting) this.#add(open, event);
  }

  #add({ journal }: OpenJournal, event: RunEvent): void {
    journal.add(event);
    if (!RESTS.has(event.type)) return;
    this.#open.delete(event.run);
    void journal.finish();
  }
}

/** Writes each event to the journals, and to the log that the environment asks for. */
export function loggedTo(journals: RunJournals, terminal: Terminal): RunJournals['note'] {
  const log = runLogFor(terminal);
  return (event, read) => {
    log?.note(event);
    journals.note(event, read);
  };
}
