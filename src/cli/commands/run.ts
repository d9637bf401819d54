/** `errand run` and `errand resume`: one leg of a run, from its start or from where it stands. */
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createEffectRunner } from '../../drivers/effect-runner.ts';
import { LocalDriver, type RunHandle, type RunResult } from '../../drivers/local.ts';
import { ErrandError } from '../../errors/errand-error.ts';
import { isPlainObject, type JsonObject } from '../../errors/json.ts';
import { exitCode, forPerson } from '../../errors/project.ts';
import { renderMarkdown } from '../../errors/render/markdown.ts';
import { renderPanel } from '../../errors/render/panel.ts';
import type { ErrorReport } from '../../errors/report.ts';
import { toReport } from '../../errors/to-report.ts';
import type { Answer } from '../../machine/answers.ts';
import type { RunEvent, Waiting } from '../../machine/events.ts';
import { costsOf } from '../../machine/ledger.ts';
import { openSqliteStore } from '../../stores/sqlite.ts';
import { refusalDraft } from '../../workflow/diagnostics.ts';
import { completeInput, readInput } from '../../workflow/inputs.ts';
import type { WorkflowPlan } from '../../workflow/model.ts';
import { validateWorkflow } from '../../workflow/validate.ts';
import { eventLine } from '../event-line.ts';
import type { Format } from '../format.ts';
import { nodeFiles } from '../files.ts';
import { errandHome } from '../home.ts';
import { Journal } from '../journal.ts';
import type { Terminal } from '../terminal.ts';

export interface LegOptions {
  readonly format: Format;
  /** The events of this leg, one a line, on stdout. */
  readonly json?: boolean;
  readonly wait?: boolean;
}

export interface RunOptions extends LegOptions {
  /** `name=value`. */
  readonly inputs: readonly string[];
  /** A JSON file of inputs. */
  readonly inputFile?: string;
}

const EXIT = { completed: 0, paused: 5, store: 6, interrupted: 130, cancelled: 130 } as const;

export async function run(file: string, options: RunOptions, terminal: Terminal): Promise<number> {
  const show = new Showing(options, terminal, file);
  try {
    const { plan, secrets } = loadToRun(file);
    const input = completeInput(plan, givenInput(plan, options));
    return await leg(show, { directory: folderOf(file), secrets }, (driver, onEvent) =>
      driver.start(plan, input, { onEvent, wait: options.wait === true }),
    );
  } catch (error) {
    return show.refused(toReport(error));
  }
}

export interface ResumeOptions extends LegOptions {
  readonly answer?: Answer;
}

export async function resume(
  id: string,
  options: ResumeOptions,
  terminal: Terminal,
): Promise<number> {
  const show = new Showing(options, terminal, id);
  try {
    return await leg(show, { directory: process.cwd(), secrets: [] }, (driver, onEvent) =>
      driver.resume(id, {
        onEvent,
        wait: options.wait === true,
        ...(options.answer === undefined ? {} : { answer: options.answer }),
      }),
    );
  } catch (error) {
    return show.refused(toReport(error));
  }
}

function loadToRun(file: string): {
  readonly plan: WorkflowPlan;
  readonly secrets: readonly string[];
} {
  const verdict = validateWorkflow(file, nodeFiles(process.cwd()), process.env, { asTop: true });
  if (verdict.plan !== undefined) return { plan: verdict.plan, secrets: verdict.secrets };
  const draft = refusalDraft(verdict.files.flatMap(({ diagnostics }) => diagnostics));
  throw new ErrandError(draft ?? { kind: 'validation.workflow', message: `${file} is not valid` });
}

function givenInput(plan: WorkflowPlan, { inputs, inputFile }: RunOptions): JsonObject {
  const fromFile: unknown =
    inputFile === undefined ? {} : JSON.parse(readFileSync(inputFile, 'utf8'));
  const typed = inputs.map((pair) => {
    const at = pair.indexOf('=');
    if (at <= 0) throw badPair(pair);
    const name = pair.slice(0, at);
    return [name, readInput(plan, name, pair.slice(at + 1))] as const;
  });
  if (!isPlainObject(fromFile))
    throw new ErrandError({
      kind: 'validation.input',
      message: 'The input file must hold a JSON object',
    });
  return { ...(fromFile as JsonObject), ...Object.fromEntries(typed) };
}

function badPair(pair: string): ErrandError {
  return new ErrandError({
    kind: 'validation.input',
    message: `${pair} is not of the form name=value`,
    action: { kind: 'change_input', detail: 'Write -i name=value.' },
  });
}

type Begin = (driver: LocalDriver, onEvent: (event: RunEvent) => void) => Promise<RunHandle>;

async function leg(
  show: Showing,
  host: { readonly directory: string; readonly secrets: readonly string[] },
  begin: Begin,
): Promise<number> {
  const home = errandHome(process.env, process.cwd());
  mkdirSync(home, { recursive: true });
  const store = await openSqliteStore({ path: join(home, 'errand.db'), now: Date.now });
  const driver = new LocalDriver({
    store,
    effects: createEffectRunner({
      env: process.env,
      directory: host.directory,
      functions: {},
    }),
    secrets: host.secrets,
  });
  try {
    // until the run has an id there is nowhere to write, so the first events wait
    const early: RunEvent[] = [];
    const listening = { tell: (event: RunEvent): void => void early.push(event) };
    const handle = await begin(driver, (event) => {
      listening.tell(event);
      show.event(event);
    });
    const journal = new Journal(home, handle.id);
    journal.repair(await storedEvents(store.read(handle.id), early));
    listening.tell = (event) => journal.add(event);
    const stopListening = onInterrupt(handle);
    const result = await handle.result();
    stopListening();
    if (result.status === 'failed') journal.failed(handle.id, result.error);
    return show.result(handle.id, result, journal.events);
  } finally {
    await driver.close();
  }
}

/** The log up to now, and what was told before the journal was open. */
async function storedEvents(
  commits: AsyncIterable<{ readonly events: readonly JsonObject[] }>,
  early: readonly RunEvent[],
): Promise<readonly RunEvent[]> {
  const all: RunEvent[] = [];
  // written by this program, and checked as it is read
  for await (const { events } of commits) all.push(...(events as unknown as RunEvent[]));
  const last = all.at(-1)?.seq ?? 0;
  return [...all, ...early.filter(({ seq }) => seq > last)];
}

/** Ctrl-C leaves the run resumable; a second one ends at once. */
function onInterrupt(handle: RunHandle): () => void {
  const stop = (signal: NodeJS.Signals): void => {
    process.exitCode = signal === 'SIGTERM' ? 143 : 130;
    handle.stop();
  };
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  return () => {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  };
}

function folderOf(file: string): string {
  return dirname(join(process.cwd(), file));
}

/** What a person or a program sees of a leg. */
class Showing {
  readonly #options: LegOptions;
  readonly #terminal: Terminal;
  readonly #name: string;

  constructor(options: LegOptions, terminal: Terminal, name: string) {
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

  refused(error: ErrorReport): number {
    const { format, json } = this.#options;
    if (format === 'json' && json !== true)
      this.#terminal.out(
        JSON.stringify(
          { workflow: this.#name, status: 'refused', error: forPerson(error) },
          null,
          2,
        ),
      );
    else this.#fail(error);
    return exitCode(error);
  }

  result(run: string, result: RunResult, events: readonly RunEvent[]): number {
    const { format, json } = this.#options;
    const started = events.find((event) => event.type === 'run:started');
    const shown =
      'error' in result && result.error !== undefined
        ? { ...result, error: forPerson(result.error) }
        : result;
    if (json !== true && format === 'json')
      this.#terminal.out(
        JSON.stringify(
          { run, workflow: started?.workflow ?? this.#name, ...shown, costs: costsOf(events) },
          null,
          2,
        ),
      );
    else if (result.status === 'completed') {
      if (json !== true) this.#terminal.out(JSON.stringify(result.output, null, 2));
    } else this.#say(run, result);
    return this.#exitOf(result);
  }

  #say(run: string, result: RunResult): void {
    if ('error' in result && result.error !== undefined) this.#fail(result.error);
    else if (result.status === 'paused') this.#terminal.err(pauseText(run, result.waiting));
    if (result.status === 'failed' || result.status === 'interrupted')
      this.#terminal.err(`Go on with: errand resume ${run}`);
  }

  #fail(error: ErrorReport): void {
    const { columns, color } = this.#terminal;
    if (this.#options.format === 'markdown') this.#terminal.out(renderMarkdown(error));
    else this.#terminal.err(renderPanel(error, { columns, color }));
  }

  #exitOf(result: RunResult): number {
    switch (result.status) {
      case 'completed':
      case 'paused':
      case 'cancelled':
        return EXIT[result.status];
      case 'failed':
        // after the start, an invalid value is an ordinary failure
        return result.error.class === 'validation' ? 3 : exitCode(result.error);
      case 'interrupted':
        return result.error === undefined
          ? Number(process.exitCode ?? EXIT.interrupted)
          : EXIT.store;
    }
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
