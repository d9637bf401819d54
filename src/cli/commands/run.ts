/** `errand run`, `resume`, `retry`, `answer` and `cancel`: one leg of a run. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Place } from '../../drivers/check-file.ts';
import { loadWorkflowFile, reloadWorkflow, type LoadedWorkflow } from '../../drivers/load-file.ts';
import { ErrandError, isKind } from '../../errors/errand-error.ts';
import { isJsonObject, type JsonObject } from '../../errors/json.ts';
import { toReport } from '../../errors/to-report.ts';
import { suggest } from '../../errors/suggest.ts';
import type { RunOptions } from '../../drivers/local.ts';
import type { Answer } from '../../machine/answers.ts';
import type { ReadableStore, RunRecord, RunStore } from '../../machine/store-port.ts';
import { allNodes } from '../../workflow/all-nodes.ts';
import { readJson, type ReadJson } from '../../workflow/exact-number.ts';
import { completeInput, readInput, refuseInexact } from '../../workflow/inputs.ts';
import { IN_CODE, type WorkflowPlan } from '../../workflow/model.ts';
import { refusal } from '../exit.ts';
import { Journal, storedEvents } from '../journal.ts';
import { projectExtensions } from '../extensions.ts';
import { leg, legOptions, splitPair, type LegFlags } from '../leg.ts';
import { openProject, type Project } from '../project.ts';
import { shellWord } from '../screen/words.ts';
import { Showing } from '../showing.ts';
import { findRun } from '../stored-run.ts';
import type { Terminal } from '../terminal.ts';
import { whoIsHere } from '../who.ts';

export interface RunFlags extends LegFlags {
  /** A JSON file of inputs. */
  readonly inputFile?: string;
}

export interface ResumeFlags extends LegFlags {
  readonly answer?: Omit<Answer, 'by'>;
  readonly from?: string;
  readonly now?: boolean;
  readonly acceptDrift?: boolean;
}

export async function run(file: string, flags: RunFlags, terminal: Terminal): Promise<number> {
  const show = new Showing(flags, terminal, { workflow: file });
  let workflow: LoadedWorkflow | undefined;
  try {
    const extensions = await projectExtensions(({ message }) => show.note(message));
    workflow = await loadWorkflowFile(file, here(), { extensions });
    show.about({ workflow: workflow.plan.name });
    noteServers(workflow, show);
    const given = { ...inputsFrom(flags.inputFile), ...typedInputs(workflow.plan, flags.inputs) };
    const input = completeInput(workflow.plan, given);
    const options = { ...legOptions(flags), file: workflow.file };
    const { plan } = workflow;
    refuseUnknownGates(plan, options.answers);
    const project = await openProject(extensions);
    return await leg({ show, project, workflow, flags, terminal }, (driver, onEvent) =>
      driver.start(plan, input, { ...options, onEvent }),
    );
  } catch (error) {
    await workflow?.servers?.close();
    return await show.refused(error, similarFile(file) ?? checkCommand(file, error));
  }
}

/** Also `retry` and `answer`: whatever goes on with a run that is there. */
export async function resume(id: string, flags: ResumeFlags, terminal: Terminal): Promise<number> {
  const show = new Showing(flags, terminal, { run: id });
  try {
    const extensions = await projectExtensions(({ message }) => show.note(message));
    const project = await openProject(extensions, id);
    return await closing(project.store, show, async () => {
      const record = await found(project, id, show);
      const workflow = await reloadWorkflow(record.file, here(), { extensions });
      noteServers(workflow, show);
      await noteChanges({ store: project.store, record, workflow, show });
      const { answer, now, from, acceptDrift, inputs = [] } = flags;
      const by = whoIsHere();
      // written by a driver, and its row is checked
      const plan = workflow?.plan ?? (JSON.parse(record.plan) as WorkflowPlan);
      const options = {
        ...legOptions(flags),
        by,
        now: now === true,
        acceptDrift: acceptDrift === true,
        ...(workflow === undefined ? {} : { plan: workflow.plan }),
        ...(from === undefined ? {} : { from }),
        ...(inputs.length === 0 ? {} : { input: typedInputs(plan, inputs) }),
      };
      return leg({ show, project, workflow, flags, terminal }, async (driver, onEvent) => {
        try {
          const handle = await (answer === undefined
            ? driver.resume(id, { ...options, onEvent })
            : driver.answer(id, { ...answer, by }, { ...options, onEvent }));
          if (workflow === undefined && record.file?.startsWith(IN_CODE) === false)
            show.note('The workflow file is gone; the run goes on with what it was started with.');
          return handle;
        } catch (refused) {
          if (isKind(refused, 'run.already_ended')) await exportAnew(project, id, show);
          throw refused;
        }
      });
    });
  } catch (error) {
    return await show.refused(error);
  }
}

export async function cancel(id: string, flags: LegFlags, terminal: Terminal): Promise<number> {
  const show = new Showing(flags, terminal, { run: id });
  try {
    const extensions = await projectExtensions(({ message }) => show.note(message));
    const project = await openProject(extensions, id);
    const exit = await closing(project.store, show, async () => {
      await found(project, id, show);
      return leg({ show, project, workflow: undefined, flags, terminal }, (driver, onEvent) =>
        driver.cancel(id, whoIsHere(), { onEvent }),
      );
    });
    // the command did what it was asked for; it is the run that ended with another code
    return exit === 130 ? 0 : exit;
  } catch (error) {
    return await show.refused(error);
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

/** For a file that is there and not valid. */
function checkCommand(file: string, error: unknown): string | undefined {
  const isOfFile = isKind(error, 'validation.*') && !isKind(error, 'validation.input');
  // what an MCP server lacks is asked by a run only, and `validate` would call the file valid
  const isOfServer = readsOfServer(error);
  return isOfFile && !isOfServer && existsSync(file)
    ? `Check it: errand validate ${shellWord(file)}`
    : undefined;
}

/** A tool that a server does not have, as the first or the only thing that is wrong. */
function readsOfServer(error: unknown): boolean {
  const { details } = toReport(error);
  return details?.['code'] === 'unknown-tool' && details['count'] === undefined;
}

/** The other warnings are for those who write the file; this one is about today. */
function noteServers(workflow: LoadedWorkflow | undefined, show: Showing): void {
  const away = workflow?.warnings.filter(({ code }) => code === 'server-unreachable') ?? [];
  for (const { message, suggestion = '' } of away) show.note(`${message}. ${suggestion}`);
}

interface Reopened {
  readonly store: ReadableStore;
  readonly record: RunRecord;
  readonly workflow: LoadedWorkflow | undefined;
  readonly show: Showing;
}

async function noteChanges({ store, record, workflow, show }: Reopened): Promise<void> {
  if (workflow === undefined || record.status === 'cancelled') return;
  const { driftNote } = await import('../drift-note.ts');
  const note = await driftNote(store, record, workflow);
  if (note.length > 0) show.noteLines(note);
}

function here(): Place {
  return { base: process.cwd(), env: process.env };
}

function inputsFrom(file: string | undefined): JsonObject {
  if (file === undefined) return {};
  // `-i` is short for --set, and --input names a file
  if (/^[A-Za-z_][\w-]*=/.test(file) && !existsSync(file)) {
    throw new ErrandError({
      kind: 'validation.input',
      message: `--input takes a JSON file, and ${quotedWord(file)} is not one`,
      action: {
        kind: 'change_input',
        detail: `Give a single input with -i: -i ${shellWord(file)}.`,
      },
    });
  }
  const { value, inexact } = parseJson(file, readFile(file));
  if (inexact !== undefined) refuseInexact(file, inexact);
  if (isJsonObject(value)) return value;
  throw refusal(`${file} must hold a JSON object`, 'Write the inputs as {"name": value, …}.');
}

function quotedWord(word: string): string {
  return `\`${word.length > 60 ? `${word.slice(0, 59)}…` : word}\``;
}

function readFile(file: string): string {
  try {
    // some editors begin a file with a mark of its encoding
    return readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
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

function parseJson(file: string, text: string): ReadJson {
  try {
    return readJson(text);
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

/** A name that no node has is a slip of the hand; a path is known only when the run has come there. */
function refuseUnknownGates(plan: WorkflowPlan, answers: RunOptions['answers'] = []): void {
  const files = [plan, ...Object.values(plan.children)];
  const names = new Set(files.flatMap((file) => allNodes(file)).map(({ name }) => name));
  for (const { gate } of answers) {
    if (names.has(gate) || /[/[#]/.test(gate)) continue;
    const meant = suggest(gate, names);
    throw refusal(
      `--answer is for ${gate}, and no node has that name`,
      meant === undefined ? 'Write --answer NODE=VALUE.' : `Did you mean ${meant}?`,
    );
  }
}

function typedInputs(plan: WorkflowPlan, pairs: readonly string[] = []): JsonObject {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [name, text] = splitPair(pair, '-i name=value');
      return [name, readInput(plan, name, text)] as const;
    }),
  );
}

/** A process may have died between its last commit and the export of it. */
async function exportAnew({ home, store }: Project, run: string, show: Showing): Promise<void> {
  const read = (): ReturnType<ReadableStore['read']> => store.read(run);
  const journal = new Journal({ home, run, read, warn: (text) => show.note(text) });
  journal.repair(await storedEvents(read()));
}

/** The store is closed also when nothing came of it, which is told while the run can be read. */
async function closing(
  store: Pick<RunStore, 'close'>,
  show: Showing,
  work: () => Promise<number>,
): Promise<number> {
  try {
    return await work();
  } catch (error) {
    return await show.refused(error);
  } finally {
    await store.close();
  }
}

async function found(project: Project, id: string, show: Showing): Promise<RunRecord> {
  const { store } = project;
  const record = await findRun(store, id);
  show.about({ workflow: record.workflow, events: () => storedEvents(store.read(id)) });
  // before anything else is said of it, and before its export is written anew
  await project.refuseLostLog(id);
  return record;
}
