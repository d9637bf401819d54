/** What a person or a program sees of a leg of a run. The answer goes to stdout, all else to stderr. */
import type { RunResult } from '../drivers/local.ts';
import { exitCode, forPerson } from '../errors/project.ts';
import { renderMarkdown } from '../errors/render/markdown.ts';
import { renderPanel } from '../errors/render/panel.ts';
import type { ErrorReport } from '../errors/report.ts';
import type { RunEvent, Waiting } from '../machine/events.ts';
import { costsOf } from '../machine/ledger.ts';
import { eventLine } from './event-line.ts';
import type { Format } from './format.ts';
import type { Terminal } from './terminal.ts';

export interface ShowingOptions {
  readonly format: Format;
  /** The events of this leg, one a line, on stdout. */
  readonly json?: boolean;
}

const EXIT = { completed: 0, paused: 5, store: 6, interrupted: 130, cancelled: 130 } as const;

export class Showing {
  readonly #options: ShowingOptions;
  readonly #terminal: Terminal;
  readonly #name: string;

  /** The name is what was asked for: a file or a run. */
  constructor(options: ShowingOptions, terminal: Terminal, name: string) {
    this.#options = options;
    this.#terminal = terminal;
    this.#name = name;
  }

  event(event: RunEvent): void {
    if (this.#options.json === true) this.#terminal.out(JSON.stringify(event));
    else if (this.#options.format === 'text') {
      const line = eventLine(event);
      if (line !== undefined) this.#terminal.err(line);
    }
  }

  /** Something worth knowing that changes nothing. */
  note(text: string): void {
    this.#terminal.err(text);
  }

  /** Nothing was run. */
  refused(error: ErrorReport): number {
    const body = { workflow: this.#name, status: 'refused', error: forPerson(error) };
    if (this.#isObject()) this.#terminal.out(JSON.stringify(body, null, 2));
    else this.#fail(error);
    return exitCode(error);
  }

  result(run: string, result: RunResult, events: readonly RunEvent[]): number {
    const started = events.find((event) => event.type === 'run:started');
    const shown =
      'error' in result && result.error !== undefined
        ? { ...result, error: forPerson(result.error) }
        : result;
    const workflow = started?.workflow ?? this.#name;
    if (this.#isObject())
      this.#terminal.out(
        JSON.stringify({ run, workflow, ...shown, costs: costsOf(events) }, null, 2),
      );
    else if (result.status !== 'completed') this.#say(run, result);
    else if (this.#options.json !== true)
      this.#terminal.out(JSON.stringify(result.output, null, 2));
    return exitOf(result);
  }

  /** What was said will be heard by the process that runs it. */
  delivered(): number {
    const run = this.#name;
    if (this.#isObject()) this.#terminal.out(JSON.stringify({ run, status: 'running' }, null, 2));
    else this.#terminal.err(`${run} is running, and has been told. Look with: errand show ${run}`);
    return 0;
  }

  /** One object on stdout, whatever happens. */
  #isObject(): boolean {
    return this.#options.format === 'json' && this.#options.json !== true;
  }

  #say(run: string, result: RunResult): void {
    if ('error' in result && result.error !== undefined) this.#fail(result.error);
    else if (result.status === 'paused') this.#terminal.err(pauseText(run, result.waiting));
    else if (result.status === 'cancelled') this.#terminal.err(`${run} is cancelled.`);
    if (result.status === 'failed' || result.status === 'interrupted')
      this.#terminal.err(`Go on with: errand resume ${run}`);
  }

  #fail(error: ErrorReport): void {
    const { columns, color } = this.#terminal;
    if (this.#options.format === 'markdown') this.#terminal.out(renderMarkdown(error));
    else this.#terminal.err(renderPanel(error, { columns, color }));
  }
}

function exitOf(result: RunResult): number {
  switch (result.status) {
    case 'completed':
    case 'paused':
    case 'cancelled':
      return EXIT[result.status];
    case 'failed':
      // after the start, an invalid value is an ordinary failure
      return result.error.class === 'validation' ? 3 : exitCode(result.error);
    case 'interrupted':
      return result.error === undefined ? Number(process.exitCode ?? EXIT.interrupted) : EXIT.store;
  }
}

/** Why it rests, and the command that goes on. */
function pauseText(run: string, { reason, path, until, options, gate }: Waiting): string {
  const place = path ?? 'the run';
  if (reason === 'time')
    return `${place} waits until ${until ?? 'its time'}. Go on with: errand resume ${run}`;
  if (gate === undefined) return `${place} waits for someone. Go on with: errand resume ${run}`;
  return `${place} asks for an answer (${(options ?? []).join(', ')}). Give it with: errand answer ${run} ${gate} --value …`;
}
