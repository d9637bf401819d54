/** `errand run`, `resume`, `retry`, `answer` and `cancel`: one leg of a run. */
import { readFileSync } from 'node:fs';
import type { Place } from '../../drivers/check-file.ts';
import { loadWorkflowFile, reloadWorkflow, type LoadedWorkflow } from '../../drivers/load-file.ts';
import type { LocalDriver, PreparedAnswer, RunHandle, RunOptions } from '../../drivers/local.ts';
import { ErrandError, isKind } from '../../errors/errand-error.ts';
import { isPlainObject, type JsonObject } from '../../errors/json.ts';
import { toReport } from '../../errors/to-report.ts';
import type { Answer } from '../../machine/answers.ts';
import type { RunEvent } from '../../machine/events.ts';
import type { RunStore } from '../../machine/store-port.ts';
import { completeInput, readInput } from '../../workflow/inputs.ts';
import type { WorkflowPlan } from '../../workflow/model.ts';
import { answerValue } from '../answer-value.ts';
import { refusal } from '../exit.ts';
import { Journal, storedEvents } from '../journal.ts';
import { openDriver, openProject, type Project } from '../project.ts';
import { Showing, type ShowingOptions } from '../showing.ts';
import type { Terminal } from '../terminal.ts';

export interface LegFlags extends ShowingOptions {
  readonly wait?: boolean;
  /** False: nobody can be asked. */
  readonly gates?: boolean;
  /** `node=value`. */
  readonly answers?: readonly string[];
  /** `name=value`. */
  readonly inputs?: readonly string[];
}

export interface RunFlags extends LegFlags {
  /** A JSON file of inputs. */
  readonly inputFile?: string;
}

export interface ResumeFlags extends LegFlags {
  readonly by?: string;
  readonly answer?: Answer;
  readonly from?: string;
  readonly now?: boolean;
  readonly acceptDrift?: boolean;
}

export async function run(file: string, flags: RunFlags, terminal: Terminal): Promise<number> {
  const show = new Showing(flags, terminal, file);
  try {
    const workflow = await loadWorkflowFile(file, here());
    const given = { ...inputsFrom(flags.inputFile), ...typedInputs(workflow.plan, flags.inputs) };
    const input = completeInput(workflow.plan, given);
    const options = { ...legOptions(flags), file: workflow.file };
    return await leg(show, await openProject(), workflow, (driver, onEvent) =>
      driver.start(workflow.plan, input, { ...options, onEvent }),
    );
  } catch (error) {
    return show.refused(toReport(error));
  }
}

/** Also `retry` and `answer`: whatever goes on with a run that is there. */
export async function resume(id: string, flags: ResumeFlags, terminal: Terminal): Promise<number> {
  const show = new Showing(flags, terminal, id);
  try {
    const project = await openProject();
    return await closing(project.store, async () => {
      const record = await project.store.get(id);
      const workflow = await reloadWorkflow(record.file, here());
      if (workflow === undefined)
        show.note('The workflow file is gone; the run goes on with what it was started with.');
      const { answer, now, from, acceptDrift, by = 'resume' } = flags;
      const given = flags.inputs ?? [];
      const options = {
        ...legOptions(flags),
        by,
        now: now === true,
        acceptDrift: acceptDrift === true,
        ...(workflow === undefined ? {} : { plan: workflow.plan }),
        ...(from === undefined ? {} : { from }),
        ...(given.length === 0 || workflow === undefined
          ? {}
          : { input: typedInputs(workflow.plan, given) }),
      };
      return leg(show, project, workflow, async (driver, onEvent) => {
        try {
          if (answer === undefined) return await driver.resume(id, { ...options, onEvent });
          return await driver.answer(id, answer, { ...options, onEvent });
        } catch (refused) {
          if (isKind(refused, 'run.already_ended')) await exportAnew(project, id, show);
          throw refused;
        }
      });
    });
  } catch (error) {
    return show.refused(toReport(error));
  }
}

export async function cancel(id: string, flags: LegFlags, terminal: Terminal): Promise<number> {
  const show = new Showing(flags, terminal, id);
  try {
    const project = await openProject();
    const exit = await leg(show, project, undefined, (driver, onEvent) =>
      driver.cancel(id, 'cancel', { onEvent }),
    );
    // the command did what it was asked for; it is the run that ended with another code
    return exit === 130 ? 0 : exit;
  } catch (error) {
    return show.refused(toReport(error));
  }
}

function here(): Place {
  return { base: process.cwd(), env: process.env };
}

function legOptions({ wait, gates, answers = [] }: LegFlags): RunOptions {
  return {
    wait: wait === true,
    ...(gates === false ? { gates } : {}),
    answers: answers.map((pair): PreparedAnswer => {
      const [gate, value] = split(pair, '--answer node=value');
      return { gate, value: answerValue(value) };
    }),
  };
}

function inputsFrom(file: string | undefined): JsonObject {
  if (file === undefined) return {};
  const value = parseJson(file, readFile(file));
  // JSON.parse gives nothing but JSON
  if (isPlainObject(value)) return value as JsonObject;
  throw refusal(`${file} must hold a JSON object`, 'Write the inputs as {"name": value, …}.');
}

function readFile(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new ErrandError(
      {
        kind: 'validation.input',
        message: `${file} cannot be read`,
        action: { kind: 'change_input', detail: 'Give --input a JSON file that is there.' },
      },
      { cause: error },
    );
  }
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new ErrandError(
      {
        kind: 'validation.input',
        message: `${file} is not JSON`,
        action: { kind: 'change_input', detail: 'Write the inputs as {"name": value, …}.' },
      },
      { cause: error },
    );
  }
}

function typedInputs(plan: WorkflowPlan, pairs: readonly string[] = []): JsonObject {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, text] = split(pair, '-i name=value');
      return [name, readInput(plan, name, text)] as const;
    }),
  );
}

function split(pair: string, form: string): readonly [string, string] {
  const at = pair.indexOf('=');
  if (at <= 0) throw refusal(`${pair} is not of the form name=value`, `Write ${form}.`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

type Begin = (
  driver: LocalDriver,
  onEvent: (event: RunEvent) => void,
) => Promise<RunHandle | undefined>;

async function leg(
  show: Showing,
  project: Project,
  workflow: LoadedWorkflow | undefined,
  begin: Begin,
): Promise<number> {
  const driver = openDriver(project, workflow);
  try {
    // until the run has an id there is nowhere to write, so the first events wait
    const early: RunEvent[] = [];
    const listening = { tell: (event: RunEvent): void => void early.push(event) };
    const handle = await begin(driver, (event) => {
      listening.tell(event);
      show.event(event);
    });
    if (handle === undefined) return show.delivered();
    const journal = new Journal(project.home, handle.id, (text) => show.note(text));
    const stored = await storedEvents(project.store.read(handle.id));
    // what was told since then is in `early`, and from here on nothing can come in between
    journal.repair(stored, early);
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

/** A process may have died between its last commit and the export of it. */
async function exportAnew({ home, store }: Project, run: string, show: Showing): Promise<void> {
  const journal = new Journal(home, run, (text) => show.note(text));
  journal.repair(await storedEvents(store.read(run)));
}

/** The store is closed also when nothing came of it. */
async function closing(store: RunStore, work: () => Promise<number>): Promise<number> {
  try {
    return await work();
  } finally {
    await store.close();
  }
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
