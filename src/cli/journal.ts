/**
 * `events.jsonl` and `errors.jsonl` of a run: exports of the log for people and programs, one whole
 * line at a time. The log is the truth; before a leg goes on, the events are written from it anew.
 */
import { appendFileSync, mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ErrorReport } from '../errors/report.ts';
import type { RunEvent } from '../machine/events.ts';

export class Journal {
  readonly #folder: string;
  readonly events: RunEvent[] = [];

  constructor(home: string, run: string) {
    this.#folder = join(home, 'runs', run);
    mkdirSync(this.#folder, { recursive: true });
  }

  /** What the log holds already. */
  repair(events: readonly RunEvent[]): void {
    this.events.push(...events);
    const path = join(this.#folder, 'events.jsonl');
    writeFileSync(`${path}.new`, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
    renameSync(`${path}.new`, path);
  }

  add(event: RunEvent): void {
    this.events.push(event);
    appendFileSync(join(this.#folder, 'events.jsonl'), `${JSON.stringify(event)}\n`);
  }

  failed(run: string, error: ErrorReport): void {
    appendFileSync(join(this.#folder, 'errors.jsonl'), `${JSON.stringify({ run, ...error })}\n`);
  }
}
