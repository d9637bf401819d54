/** `errand run`, `resume`, `retry`, `answer` and `cancel`: each executes one leg of a run. */
import { withAllPackages } from '../guard/all-packages.ts';
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { LoadedWorkflow } from '../../engine/errand.ts';
import { isKind } from '../../errors/thrown/errand-error.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import { suggest } from '../../errors/support/suggest.ts';
import type { Progress } from '../../engine/run/running-effects.ts';
import { latestPlan } from '../../history/latest-plan.ts';
import type { Answer } from '../../machine/gates/gate-answer.ts';
import type { RunRecord } from '../../machine/ports/store-port.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { completeInput } from '../../workflow/plan/inputs.ts';
import { IN_CODE } from '../../workflow/plan/plan.ts';
import { refusal } from '../exit.ts';
import { INTERRUPTED, noteEnd, untilCrash } from '../guard/command-end.ts';
import { Journal } from '../session/journal.ts';
import { runLeg, legOptions, type LegFlags } from '../session/run-session.ts';
import { openProject, type Project } from '../project/project.ts';
import { shellWord } from '../../errors/support/shell-word.ts';
import type { RunUi } from '../session/run-ui.ts';
import { inputsFrom, refuseUnknownGates, typedInputs } from '../session/run-inputs.ts';
import { SessionView } from '../session/session-view.ts';
import { findRun } from '../project/stored-run.ts';
import { RUN_ID } from '../../engine/run-id.ts';
import type { Terminal } from '../terminal.ts';
import { currentUser } from '../project/user-name.ts';
import { planFrom } from '../../engine/run/plan-text.ts';

export interface RunFlags extends LegFlags {
  /** Shows the run in the dashboard. */
  readonly ui?: boolean;
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
  const show = new SessionView(flags, terminal, { workflow: file });
  const hint = (error: unknown): string | undefined =>
    similarFile(file) ?? resumeCommand(file) ?? checkCommand(file, error);
  let ui: RunUi | undefined;
  const onProgress = (progress: Progress): void => ui?.note(progress);
  return inProject({ show, hint, onProgress }, async (project) => {
    const { engine } = project;
    const workflow = await project.load(file);
    show.about({ workflow: workflow.plan.name });
    noteServers(workflow, show);
    const inputs = { ...inputsFrom(flags.inputFile), ...typedInputs(workflow.plan, flags.inputs) };
    const input = completeInput(workflow.plan, inputs, { secrets: workflow.secrets });
    const options = legOptions(flags);
    refuseUnknownGates(workflow.plan, options.answers);
    await engine.open();
    if (flags.ui === true) {
      const { openRunUi } = await withAllPackages(() => import('../session/run-ui.ts'));
      ui = await openRunUi(file, project, terminal);
    }
    const page = ui === undefined ? {} : { ui };
    return runLeg({ show, project, workflow, flags, terminal, ...page }, (onEvent) =>
      engine.start(workflow, { ...options, input, onEvent }),
    );
  });
}

/** Also serves `retry` and `answer`. */
export async function resume(id: string, flags: ResumeFlags, terminal: Terminal): Promise<number> {
  const show = new SessionView(flags, terminal, { run: id });
  return inProject({ show, run: id }, async (project) => {
    const { engine } = project;
    if (project.server !== undefined) refuseAtServer(flags);
    const record = await openRun(project, id, show);
    // the only time that the log is read as a whole before the leg: the note, the engine and the
    // screen share it, so an answer is for a question in it
    const known = record.status === 'cancelled' ? [] : [...(await engine.events(id))];
    const workflow = await project.reload(record);
    noteServers(workflow, show);
    await noteChanges({ record, known, workflow, show });
    const { answer, now, from, acceptDrift, inputs = [] } = flags;
    const by = currentUser();
    const plan = workflow?.plan ?? planFrom(record.plan);
    const options = {
      ...legOptions(flags),
      by,
      now: now === true,
      acceptDrift: acceptDrift === true,
      workflow,
      known,
      ...(from === undefined ? {} : { from }),
      ...(inputs.length === 0 ? {} : { input: typedInputs(plan, inputs) }),
    };
    return runLeg({ show, project, workflow, flags, terminal, known }, async (onEvent) => {
      try {
        const handle = await (answer === undefined
          ? engine.resume(id, { ...options, onEvent })
          : engine.answer(id, { ...answer, by }, { ...options, onEvent }));
        if (isFileGone(project, record, workflow))
          show.note(
            'The workflow file no longer exists; the run continues with the version it was started with.',
          );
        return handle;
      } catch (refused) {
        if (isKind(refused, 'run.already_ended')) await rewriteExport(project, id, show);
        throw refused;
      }
    });
  });
}

export async function cancel(id: string, flags: LegFlags, terminal: Terminal): Promise<number> {
  const show = new SessionView(flags, terminal, { run: id, isCancelling: true });
  return inProject({ show, run: id }, async (project) => {
    await openRun(project, id, show);
    const exit = await runLeg({ show, project, workflow: undefined, flags, terminal }, (onEvent) =>
      project.engine.requestCancel(id, currentUser(), { onEvent }),
    );
    // the command succeeded; that is the code of the cancelled run
    return exit === INTERRUPTED ? 0 : exit;
  });
}

/** Refuses flags that a server does not take, rather than leaving them out. */
function refuseAtServer(flags: ResumeFlags): void {
  const { answer, answers = [], inputs = [], now, acceptDrift, gates } = flags;
  const isAnswer = answer !== undefined;
  const given: readonly (readonly [string, boolean])[] = [
    ['--answer', answers.length > 0],
    ['-i', isAnswer && inputs.length > 0],
    ['--now', isAnswer && now === true],
    ['--accept-drift', isAnswer && acceptDrift === true],
    ['--no-gates', isAnswer && gates === false],
  ];
  const [refused] = given.find(([, isGiven]) => isGiven) ?? [];
  if (refused === undefined) return;
  throw refusal(
    `A server does not take ${refused} with ${isAnswer ? 'an answer' : 'a resume'}`,
    isAnswer
      ? 'Answer first, and give it to errand resume when the run has stopped.'
      : 'Resume the run first, and answer its questions with: errand answer',
  );
}

/** At a server, the server says what it lacks. */
function isFileGone(
  { server }: Project,
  { file }: RunRecord,
  workflow: LoadedWorkflow | undefined,
): boolean {
  return server === undefined && workflow === undefined && file?.startsWith(IN_CODE) === false;
}

/** Suggests a file in the same folder for one that does not exist. */
function similarFile(file: string): string | undefined {
  const folder = dirname(file);
  if (existsSync(file) || !existsSync(folder)) return undefined;
  const known = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name));
  const meant =
    suggest(basename(file), known) ?? known.find((name) => name === `${basename(file)}.yaml`);
  return meant === undefined ? undefined : `Did you mean ${join(folder, meant)}?`;
}

/** Suggests `errand resume` for the id of a run. */
function resumeCommand(file: string): string | undefined {
  return RUN_ID.test(file) && !existsSync(file)
    ? `To continue a run: errand resume ${file}`
    : undefined;
}

/** Suggests `errand validate` for a file that exists and is not valid. */
function checkCommand(file: string, error: unknown): string | undefined {
  const isOfFile = isKind(error, 'validation.*') && !isKind(error, 'validation.input');
  // only a run asks MCP servers for their tools, so `validate` would call the file valid
  const isOfServer = isMissingServerTool(error);
  return isOfFile && !isOfServer && existsSync(file)
    ? `Check it: errand validate ${shellWord(file)}`
    : undefined;
}

/** The only error is a tool that a server does not have. */
function isMissingServerTool(error: unknown): boolean {
  const { details } = toReport(error);
  return details?.['code'] === 'unknown-tool' && details['count'] === undefined;
}

/** Other warnings are for the author of the file; this one concerns the present run. */
function noteServers(workflow: LoadedWorkflow | undefined, show: SessionView): void {
  const away = workflow?.warnings.filter(({ code }) => code === 'server-unreachable') ?? [];
  for (const { message, suggestion = '' } of away) show.note(`${message}. ${suggestion}`);
}

interface Reopened {
  readonly record: RunRecord;
  readonly known: readonly RunEvent[];
  readonly workflow: LoadedWorkflow | undefined;
  readonly show: SessionView;
}

async function noteChanges({ record, known, workflow, show }: Reopened): Promise<void> {
  if (workflow === undefined || record.status === 'cancelled') return;
  const { driftNote } = await import('../session/drift-note.ts');
  const note = driftNote(latestPlan(planFrom(record.plan), known), workflow);
  if (note.length > 0) show.noteLines(note);
}

/** Rewrites the export: a process may have died between its last commit and the export of it. */
async function rewriteExport(
  { home, engine }: Project,
  run: string,
  show: SessionView,
): Promise<void> {
  if (home === undefined) return;
  const read = (): Promise<readonly RunEvent[]> => engine.events(run);
  const journal = new Journal({ home, run, read, warn: (text) => show.warn(text) });
  journal.repair(await read());
}

interface ProjectCommand {
  readonly show: SessionView;
  /** The run that the command is about; undefined for a new one. */
  readonly run?: string;
  readonly onProgress?: (progress: Progress) => void;
  /** One more suggestion after a refusal. */
  readonly hint?: (refusal: unknown) => string | undefined;
}

/** Closes the project in every case; a refusal before the leg is printed first, while the run can be read. */
export async function inProject(
  { show, run: id, hint, onProgress }: ProjectCommand,
  work: (project: Project) => Promise<number>,
): Promise<number> {
  let project: Project | undefined;
  try {
    project = await openProject(({ message }) => show.note(message), id, {
      note: (text) => show.note(text),
      ...(onProgress === undefined ? {} : { onProgress }),
    });
    const opened = project;
    return await untilCrash(
      () => work(opened),
      (crash) => show.cutOff(crash),
    );
  } catch (error) {
    return noteEnd(await show.refused(error, hint?.(error)));
  } finally {
    await project?.engine.close();
  }
}

async function openRun({ engine }: Project, id: string, show: SessionView): Promise<RunRecord> {
  const record = await findRun(engine, id);
  show.about({ workflow: record.workflow, events: () => engine.events(id) });
  // before anything else is printed about it, and before its export is rewritten
  await engine.refuseLostLog(id);
  return record;
}
