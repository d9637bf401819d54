/** Runs one leg at the command line: stores, exports and shows it, asks at gates, handles interrupts. */
import { oneLine } from '../../errors/support/printable.ts';
import type { RunnableWorkflow } from '../../engine/errand-options.ts';
import type { PreparedAnswer, RunHandle, RunOptions, RunResult } from '../../engine/backend.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import { isKind, type ErrandError } from '../../errors/thrown/errand-error.ts';
import { toInternalRecord } from '../../errors/thrown/internal-record.ts';
import { toReport } from '../../errors/thrown/to-report.ts';
import type { Answer } from '../../machine/gates/gate-answer.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import {
  leavesOutcomeUnknown,
  type NamedUnknownOutcome,
} from '../../machine/policy/unknown-outcome.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { answerValue } from './answer-value.ts';
import { followToLegEnd, whenContinued, type PausedRun } from './follow-other-process.ts';
import { CONTINUED, EXPIRED, GateQueue } from './gate-queue.ts';
import { rendererOf } from '../project/project-extensions.ts';
import { askGate } from './gate-prompt.ts';
import { noteEnd, noteLeftRunning } from '../guard/command-end.ts';
import { printForeignWith } from '../guard/foreign-output.ts';
import { configured, learnSecret, reportOf } from '../report-of.ts';
import { onInterrupt, type Interrupt } from './interrupt.ts';
import { Journal } from './journal.ts';
import { keepInternal, type Project } from '../project/project.ts';
import type { RunUi } from './run-ui.ts';
import type { EndedLeg, SessionView, SessionViewOptions } from './session-view.ts';
import type { Terminal } from '../terminal.ts';
import { currentUser } from '../project/user-name.ts';
import { splitPair } from './split-pair.ts';

export interface LegFlags extends SessionViewOptions {
  readonly wait?: boolean;
  /** False: no person can be asked. */
  readonly gates?: boolean;
  /** `node=value`. */
  readonly answers?: readonly string[];
  /** `name=value`. */
  readonly inputs?: readonly string[];
}

export interface SessionContext {
  readonly show: SessionView;
  readonly project: Project;
  readonly workflow: RunnableWorkflow | undefined;
  /** Events that were read before the leg; emptied when it has begun, because they may be many. */
  readonly known?: RunEvent[];
  readonly flags: LegFlags;
  readonly terminal: Terminal;
  /** The page that shows the run while it takes. */
  readonly ui?: RunUi;
  /** Uses the output of a completed run, and returns the text for stdout. */
  readonly give?: (output: JsonValue) => string;
  /** Saves the results of a failed run, and returns what a person can do next. */
  readonly salvage?: (ended: EndedLeg) => string | undefined;
}

/** Returns undefined where another process runs it and has received the message. */
export type Begin = (onEvent: (event: RunEvent) => void) => Promise<RunHandle | undefined>;

interface RunningLeg {
  /** `seq` of its first event. */
  readonly firstSeq: number | undefined;
  readonly handle: RunHandle;
  readonly journal: Journal;
  readonly gates: GateQueue;
  readonly interrupt: Interrupt;
}

/** At an interactive terminal, asks about gates as they open, and continues the run. */
export async function runLeg(context: SessionContext, begin: Begin): Promise<number> {
  const { show, project, workflow, flags, ui } = context;
  let status: EndedLeg['result']['status'] | undefined;
  const printAsBefore = printForeignWith((line) => show.foreign(line));
  workflow?.secrets?.forEach(learnSecret);
  try {
    show.renderWith(rendererOf(flags.format, project.engine));
    let running = await open(context, begin);
    const firstSeq = running?.firstSeq;
    if (running !== undefined) ui?.show(running.handle.id);
    while (running !== undefined) {
      const next: EndedLeg | RunningLeg | undefined = await attend(running, context);
      // a person who answers here sees one run, however many legs it had
      if (next !== undefined && 'result' in next) {
        const ended = (await ui?.untilOver(next, context)) ?? next;
        status = ended.result.status;
        return noteEnd(await finish({ ...ended, firstSeq }, context));
      }
      running = next;
    }
    return noteEnd(await show.delivered());
  } finally {
    await project.engine.close();
    await ui?.close(status);
    printAsBefore();
  }
}

/** Passes the output to `give` in every format. */
async function finish(ended: EndedLeg, context: SessionContext): Promise<number> {
  const { show, give, salvage } = context;
  const { result, leftAt } = ended;
  if (leftAt !== undefined) return show.left(ended.run, leftAt);
  return show.result(ended, {
    inDoubt: result.status === 'completed' ? await unknownOutcomesOf(ended, context) : [],
    answer: result.status === 'completed' ? give?.(result.output) : undefined,
    hint: result.status === 'failed' ? salvage?.(ended) : undefined,
  });
}

/** Unknown outcomes of a completed run; few runs have to be read again for it. */
async function unknownOutcomesOf(
  { run, events }: EndedLeg,
  { project }: SessionContext,
): Promise<readonly NamedUnknownOutcome[]> {
  const mayBe = events.some(
    (event) => event.type === 'effect:failed' && leavesOutcomeUnknown(event.error, event.effect),
  );
  return mayBe ? (await project.engine.get(run)).in_doubt : [];
}

export function legOptions({ wait, gates, answers = [] }: LegFlags): RunOptions {
  return {
    wait: wait === true,
    ...(gates === false ? { gates } : {}),
    answers: answers.map((pair): PreparedAnswer => {
      const [gate, value] = splitPair(pair, '--answer node=value');
      return { gate, value: answerValue(value) };
    }),
  };
}

async function open(
  { show, project, flags, known = [] }: SessionContext,
  begin: Begin,
): Promise<RunningLeg | undefined> {
  const { answers = [] } = legOptions(flags);
  const gates = new GateQueue(answers.map(({ gate }) => gate));
  // until the run has an id there is no file to write, so the first events are buffered
  const early: RunEvent[] = [];
  const listener = { emit: (event: RunEvent): void => void early.push(event) };
  const handle = await begin((event) => listener.emit(event));
  if (handle === undefined) return undefined;
  // first of all: its effects are about to start, and would outlive this process
  const interrupt = onInterrupt(handle);
  project.remember(handle.id);
  const read = (fromSeq?: number): Promise<readonly RunEvent[]> =>
    project.engine.events(handle.id, fromSeq);
  const journal = new Journal({
    home: project.home,
    run: handle.id,
    read,
    warn: (text) => show.warn(text),
  });
  show.about({
    run: handle.id,
    events: read,
    exported: () => journal.exported(),
    isBegun: true,
  });
  const before = known.splice(0);
  const stored = [...before, ...(await read((before.at(-1)?.seq ?? 0) + 1))];
  // later events are in `early`; from here on the code is synchronous, so none can be lost
  journal.repair(stored, early);
  const past = stored.filter(({ seq }) => seq < (early[0]?.seq ?? Infinity));
  show.past(past);
  gates.begin(past);
  const emit = (event: RunEvent): void => {
    show.event(event);
    gates.note(event);
    if (event.type === 'effect:failed' && isAbandoned(event.error)) noteLeftRunning();
  };
  for (const event of early) emit(event);
  listener.emit = (event) => {
    journal.add(event);
    emit(event);
  };
  return { firstSeq: early[0]?.seq, handle, journal, gates, interrupt };
}

/** A function that ignores its signal still runs in this process. */
function isAbandoned({ details, cause }: ErrorReport): boolean {
  return details?.['abandoned'] === true || (cause !== undefined && isAbandoned(cause));
}

/** Runs to the end of the leg, or returns the leg that an answer began after it. */
async function attend(
  running: RunningLeg,
  context: SessionContext,
): Promise<EndedLeg | RunningLeg | undefined> {
  const { handle, journal, interrupt } = running;
  try {
    const [next, result] = await Promise.all([ask(running, context), legEnd(running)]);
    noteCrash(interrupt.crash(), result, context);
    if (next === 'delivered') return undefined;
    if (next === 'continued')
      return { ...(await continued(running, context)), plan: planOf(context) };
    if (next !== undefined) return next;
    const { server } = context.project;
    const leftAt = result.status === 'interrupted' && interrupt.hasCome() ? server : undefined;
    return {
      run: handle.id,
      result,
      events: await journal.events(),
      plan: planOf(context),
      leftAt,
    };
  } finally {
    interrupt.off();
  }
}

/** A leg that was stopped has no result but the crash; one that ended by itself keeps its own. */
function noteCrash(
  crash: ErrandError | undefined,
  { status }: RunResult,
  { show, project }: SessionContext,
): void {
  if (crash === undefined) return;
  const { home } = project;
  if (home !== undefined) keepInternal(home)(toInternalRecord(crash, crash.report, configured()));
  if (status === 'interrupted') throw crash;
  show.warn(reportOf(crash).message);
}

async function legEnd({ handle, gates, journal }: RunningLeg): Promise<RunResult> {
  try {
    const result = await handle.result();
    await journal.finish();
    gates.end(result);
    return result;
  } catch (defect) {
    // ends the questions: the run has broken down
    gates.end({ status: 'interrupted' });
    throw defect;
  }
}

/** Returns undefined when there is nothing more to ask, or the person left. */
async function ask(
  running: RunningLeg,
  context: SessionContext,
): Promise<RunningLeg | 'delivered' | 'continued' | undefined> {
  const { journal, gates, interrupt } = running;
  const { show, terminal } = context;
  if (!isInteractive(context)) return undefined;
  for (;;) {
    const opened = await gates.next(() => journal.events());
    if (opened === undefined) return undefined;
    show.pause();
    const signal = gates.asking(opened);
    const isAnswered = new AbortController();
    if (gates.hasEnded) void watchForOtherProcess(running, context, isAnswered.signal);
    const answer = await askGate(opened, planOf(context), terminal, signal);
    isAnswered.abort();
    if (answer === undefined && !signal.aborted) {
      gates.done(opened.gate);
      // a running leg is stopped; a paused one stays paused
      if (gates.hasEnded) return undefined;
      show.resume();
      interrupt.now();
      return undefined;
    }
    const next = await continueWith(answer, signal, running, context);
    // after a refused answer, the person is asked again once the leg has paused for it
    gates.done(opened.gate);
    if (next === 'refused' && gates.hasEnded) continue;
    show.resume();
    if (next !== 'same' && next !== 'refused') return next;
  }
}

async function pausedRun(
  { handle, journal }: RunningLeg,
  { project }: SessionContext,
): Promise<PausedRun> {
  return { engine: project.engine, run: handle.id, events: await journal.events() };
}

async function watchForOtherProcess(
  running: RunningLeg,
  context: SessionContext,
  stop: AbortSignal,
): Promise<void> {
  const withdrawQuestion = (): void => running.gates.withdraw(CONTINUED);
  return whenContinued(await pausedRun(running, context), withdrawQuestion, stop);
}

/** Follows the leg that another process began; its result is the result of the run. */
async function continued(running: RunningLeg, context: SessionContext): Promise<EndedLeg> {
  context.show.note('Another process has resumed the run; following it.');
  return followToLegEnd(await pausedRun(running, context), (event) => context.show.event(event));
}

type Continued = RunningLeg | 'same' | 'delivered' | 'continued' | 'refused';

/** Continues with the answer; without one, resumes an expired gate of a paused leg. */
async function continueWith(
  answer: Answer | undefined,
  signal: AbortSignal,
  running: RunningLeg,
  context: SessionContext,
): Promise<Continued> {
  const { handle } = running;
  if (answer !== undefined) return answered(answer, running, context);
  if (signal.reason === CONTINUED) return 'continued';
  if (signal.reason !== EXPIRED) return 'same';
  const next = await open(context, (onEvent) =>
    context.project.engine.resume(handle.id, {
      ...resumeOptions(context),
      by: currentUser(),
      onEvent,
    }),
  );
  return next ?? 'delivered';
}

/** The same leg continues with the answer, unless it had ended. */
async function answered(
  answer: Answer,
  { handle }: RunningLeg,
  context: SessionContext,
): Promise<Continued> {
  const options = resumeOptions(context);
  try {
    let isSame = false;
    const next = await open(context, async (onEvent) => {
      const taken = await context.project.engine.answer(handle.id, answer, { ...options, onEvent });
      isSame = taken === handle;
      return isSame ? undefined : taken;
    });
    return isSame ? 'same' : (next ?? 'delivered');
  } catch (thrown) {
    if (!isKind(thrown, 'validation.input')) throw thrown;
    const { message, action } = toReport(thrown);
    context.terminal.err(oneLine(`${message}. ${action.detail}`));
    return 'refused';
  }
}

function resumeOptions({
  workflow,
  flags,
}: SessionContext): RunOptions & Pick<SessionContext, 'workflow'> {
  return { ...legOptions(flags), workflow };
}

function isInteractive({ flags, terminal }: SessionContext): boolean {
  const { json, format, quiet, gates } = flags;
  const isText = json !== true && format === 'text' && quiet !== true;
  return isText && gates !== false && terminal.ask !== undefined;
}

function planOf({ workflow }: SessionContext): EndedLeg['plan'] {
  return workflow?.plan;
}
