/** `errand run`, `resume`, `retry`, `answer` and `cancel`: one leg of a run. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Place } from '../../drivers/check-file.ts';
import { loadWorkflowFile, reloadWorkflow, type LoadedWorkflow } from '../../drivers/load-file.ts';
import type { LocalDriver, PreparedAnswer, RunHandle, RunOptions } from '../../drivers/local.ts';
import { ErrandError, isKind } from '../../errors/errand-error.ts';
import { isPlainObject, type JsonObject } from '../../errors/json.ts';
import { suggest } from '../../errors/suggest.ts';
import { toReport } from '../../errors/to-report.ts';
import type { Answer } from '../../machine/answers.ts';
import type { RunEvent } from '../../machine/events.ts';
import type { RunStore } from '../../machine/store-port.ts';
import { completeInput, readInput } from '../../workflow/inputs.ts';
import type { WorkflowPlan } from '../../workflow/model.ts';
import { answerValue } from '../answer-value.ts';
import { refusal } from '../exit.ts';
import { askGate, openGate } from '../gate-prompt.ts';
import { Journal, storedEvents } from '../journal.ts';
import { openDriver, openProject, type Project } from '../project.ts';
import { Showing, type EndedLeg, type ShowingOptions } from '../showing.ts';
import { findRun } from '../stored-run.ts';
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
    noteServers(workflow, show);
    const given = { ...inputsFrom(flags.inputFile), ...typedInputs(workflow.plan, flags.inputs) };
    const input = completeInput(workflow.plan, given);
    const options = { ...legOptions(flags), file: workflow.file };
    const project = await openProject();
    return await leg({ show, project, workflow, flags, terminal }, (driver, onEvent) =>
      driver.start(workflow.plan, input, { ...options, onEvent }),
    );
  } catch (error) {
    return show.refused(error, similarFile(file));
  }
}

/** Also `retry` and `answer`: whatever goes on with a run that is there. */
export async function resume(id: string, flags: ResumeFlags, terminal: Terminal): Promise<number> {
  const show = new Showing(flags, terminal, id);
  try {
    const project = await openProject();
    return await closing(project.store, async () => {
      const record = await findRun(project.store, id);
      const workflow = await reloadWorkflow(record.file, here());
      noteServers(workflow, show);
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
      return leg({ show, project, workflow, flags, terminal }, async (driver, onEvent) => {
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
    return show.refused(error);
  }
}

export async function cancel(id: string, flags: LegFlags, terminal: Terminal): Promise<number> {
  const show = new Showing(flags, terminal, id);
  try {
    const project = await openProject();
    const exit = await closing(project.store, async () => {
      await findRun(project.store, id);
      return leg({ show, project, workflow: undefined, flags, terminal }, (driver, onEvent) =>
        driver.cancel(id, 'cancel', { onEvent }),
      );
    });
    // the command did what it was asked for; it is the run that ended with another code
    return exit === 130 ? 0 : exit;
  } catch (error) {
    return show.refused(error);
  }
}

/** For a file that is not there: the one beside it that was probably meant. */
function similarFile(file: string): string | undefined {
  const folder = dirname(file);
  if (existsSync(file) || !existsSync(folder)) return undefined;
  const known = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
  const meant =
    suggest(basename(file), known) ?? known.find((name) => name === `${basename(file)}.yaml`);
  return meant === undefined ? undefined : `Did you mean ${join(folder, meant)}?`;
}

/** The other warnings are for those who write the file; this one is about today. */
function noteServers(workflow: LoadedWorkflow | undefined, show: Showing): void {
  const away = workflow?.warnings.filter(({ code }) => code === 'server-unreachable') ?? [];
  for (const { message, suggestion = '' } of away) show.note(`${message}. ${suggestion}`);
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

interface LegPlace {
  readonly show: Showing;
  readonly project: Project;
  readonly workflow: LoadedWorkflow | undefined;
  readonly flags: LegFlags;
  readonly terminal: Terminal;
}

/** Where someone sits at the terminal, the gates that a leg ends at are asked and it goes on. */
async function leg(place: LegPlace, begin: Begin): Promise<number> {
  const driver = openDriver(place.project, place.workflow);
  try {
    let ended = await oneLeg(place, driver, begin);
    while (ended !== undefined) {
      const answer = await askedAnswer(ended, place);
      if (answer === undefined) return place.show.result(ended);
      ended = await answered(ended, answer, place, driver);
    }
    return place.show.delivered();
  } finally {
    await driver.close();
  }
}

/** The same leg again where the answer was refused: the gate stays open, and is asked about again. */
async function answered(
  ended: EndedLeg,
  answer: Answer,
  place: LegPlace,
  driver: LocalDriver,
): Promise<EndedLeg | undefined> {
  const { workflow, flags, terminal } = place;
  const plan = workflow === undefined ? {} : { plan: workflow.plan };
  const options = { ...legOptions(flags), ...plan, by: 'answer' };
  try {
    return await oneLeg(place, driver, (_driver, onEvent) =>
      driver.answer(ended.run, answer, { ...options, onEvent }),
    );
  } catch (refused) {
    if (!isKind(refused, 'validation.input')) throw refused;
    const { message, action } = toReport(refused);
    terminal.err(`${message}. ${action.detail}`);
    return ended;
  }
}

async function oneLeg(
  { show, project, workflow }: LegPlace,
  driver: LocalDriver,
  begin: Begin,
): Promise<EndedLeg | undefined> {
  // until the run has an id there is nowhere to write, so the first events wait
  const early: RunEvent[] = [];
  const listening = { tell: (event: RunEvent): void => void early.push(event) };
  const handle = await begin(driver, (event) => {
    listening.tell(event);
    show.event(event);
  });
  if (handle === undefined) return undefined;
  const journal = new Journal(project.home, handle.id, (text) => show.note(text));
  const stored = await storedEvents(project.store.read(handle.id));
  // what was told since then is in `early`, and from here on nothing can come in between
  journal.repair(stored, early);
  listening.tell = (event) => journal.add(event);
  const stopListening = onInterrupt(handle);
  const result = await handle.result();
  stopListening();
  return { run: handle.id, result, events: journal.events, plan: workflow?.plan };
}

/** Undefined where nobody can be asked here, or they left. */
async function askedAnswer(
  { result, events }: EndedLeg,
  { show, flags, terminal, workflow }: LegPlace,
): Promise<Answer | undefined> {
  const { json, format, quiet, gates } = flags;
  const isTalking = json !== true && format === 'text' && quiet !== true && gates !== false;
  if (result.status !== 'paused' || !isTalking || terminal.ask === undefined) return undefined;
  const opened = openGate(result.waiting, events);
  if (opened === undefined) return undefined;
  show.rest();
  return askGate(opened, workflow?.plan, terminal);
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
