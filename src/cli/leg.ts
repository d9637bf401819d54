/** One leg of a run at the command line: stored, exported, shown, interrupted, and asked about. */
import { oneLine } from '../errors/printable.ts';
import type { LoadedWorkflow } from '../drivers/load-file.ts';
import { foldRun } from '../drivers/recover.ts';
import type { PreparedAnswer, RunHandle, RunOptions, RunResult } from '../drivers/local.ts';
import { isKind } from '../errors/errand-error.ts';
import { toReport } from '../errors/to-report.ts';
import type { Answer } from '../machine/answers.ts';
import type { JsonValue } from '../errors/json.ts';
import { leavesDoubt, namedDoubts, type NamedDoubt } from '../machine/doubt.ts';
import type { RunEvent } from '../machine/events.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import { answerValue } from './answer-value.ts';
import { refusal } from './exit.ts';
import { untilRest, whenContinued, type RestingRun } from './answered-elsewhere.ts';
import { CONTINUED, EXPIRED, GateDesk } from './gate-desk.ts';
import { rendererOf } from './extensions.ts';
import { askGate } from './gate-prompt.ts';
import { INTERRUPTED, onEarlyEnd, onInterrupt, type Interrupt } from './interrupt.ts';
import { Journal, storedEvents } from './journal.ts';
import type { Driver, Project } from './project.ts';
import type { EndedLeg, Showing, ShowingOptions } from './showing.ts';
import type { Terminal } from './terminal.ts';
import { whoIsHere } from './who.ts';

export interface LegFlags extends ShowingOptions {
  readonly wait?: boolean;
  /** False: nobody can be asked. */
  readonly gates?: boolean;
  /** `node=value`. */
  readonly answers?: readonly string[];
  /** `name=value`. */
  readonly inputs?: readonly string[];
}

export interface LegPlace {
  readonly show: Showing;
  readonly project: Project;
  readonly workflow: LoadedWorkflow | undefined;
  readonly flags: LegFlags;
  readonly terminal: Terminal;
  /** Does something with the output of a completed run, and says what goes to stdout instead. */
  readonly give?: (output: JsonValue) => string;
  /** Does something about a run that failed, and says what else a person can do next. */
  readonly salvage?: (ended: EndedLeg) => string | undefined;
}

/** Undefined where another process carries the run on, and has been told. */
export type Begin = (
  driver: Driver,
  onEvent: (event: RunEvent) => void,
) => Promise<RunHandle | undefined>;

interface RunningLeg {
  /** The number of its first event. */
  readonly firstSeq: number | undefined;
  readonly driver: Driver;
  readonly handle: RunHandle;
  readonly journal: Journal;
  readonly desk: GateDesk;
  readonly interrupt: Interrupt;
}

/** Where someone sits at the terminal, gates are asked about as they open, and the run goes on. */
export async function leg(place: LegPlace, begin: Begin): Promise<number> {
  const { extensions } = place.project;
  const driver = place.project.driverFor(place.workflow, ({ message }) => place.show.note(message));
  // until it is known how it ends: whatever ends the process before that, the run is not over
  process.exitCode = INTERRUPTED;
  const early = onEarlyEnd((line) => place.terminal.err(line));
  try {
    place.show.renderWith(rendererOf(place.flags.format, extensions));
    await extensions.start();
    let running = await open(place, driver, begin);
    const firstSeq = running?.firstSeq;
    while (running !== undefined) {
      const next: EndedLeg | RunningLeg | undefined = await attend(running, place);
      // a person who answers here sees one run from its start, however many legs it had
      if (next !== undefined && 'result' in next)
        return (early.exitCode = await finish({ ...next, firstSeq }, place));
      running = next;
    }
    return (early.exitCode = await place.show.delivered());
  } finally {
    await driver.close();
    // where another process runs the effects, nobody has used them
    await place.workflow?.servers?.close();
    await extensions.stop();
    early.off();
  }
}

/** What a completed run gives is given whatever form it is told in. */
async function finish(ended: EndedLeg, place: LegPlace): Promise<number> {
  const { show, give, salvage } = place;
  const { result } = ended;
  return show.result(ended, {
    inDoubt: result.status === 'completed' ? await doubtsOf(ended, place) : [],
    answer: result.status === 'completed' ? give?.(result.output) : undefined,
    hint: result.status === 'failed' ? salvage?.(ended) : undefined,
  });
}

/** What may have happened although nobody needed it to; few runs have to be gone through for it. */
async function doubtsOf(
  { run, events }: EndedLeg,
  { project }: LegPlace,
): Promise<readonly NamedDoubt[]> {
  const mayBe = events.some(
    (event) => event.type === 'effect:failed' && leavesDoubt(event.error, event.effect),
  );
  return mayBe ? namedDoubts(foldRun(await project.store.get(run), events)) : [];
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

/** The key of a member may hold a `=` too: `each[a=b]/ask=yes`. */
export function splitPair(pair: string, form: string): readonly [string, string] {
  const at = /^(?:[^=[]|\[[^\]]*\])*/.exec(pair)?.[0].length ?? 0;
  if (at <= 0 || at === pair.length)
    throw refusal(`${pair} is not of the form name=value`, `Write ${form}.`);
  return [pair.slice(0, at), pair.slice(at + 1)];
}

async function open(
  { show, project, flags }: LegPlace,
  driver: Driver,
  begin: Begin,
): Promise<RunningLeg | undefined> {
  const { answers = [] } = legOptions(flags);
  const desk = new GateDesk(answers.map(({ gate }) => gate));
  // until the run has an id there is nowhere to write, so the first events wait
  const early: RunEvent[] = [];
  const listening = { tell: (event: RunEvent): void => void early.push(event) };
  const handle = await begin(driver, (event) => listening.tell(event));
  if (handle === undefined) return undefined;
  // before anything else: its effects are about to begin, and would outlive us
  const interrupt = onInterrupt(handle);
  project.remember(handle.id);
  const events = (): Promise<readonly RunEvent[]> => storedEvents(project.store.read(handle.id));
  show.about({ run: handle.id, events, isBegun: true });
  const journal = new Journal({
    home: project.home,
    run: handle.id,
    read: () => project.store.read(handle.id),
    warn: (text) => show.note(text),
  });
  const stored = await events();
  // what was told since then is in `early`, and from here on nothing can come in between
  journal.repair(stored, early);
  const past = stored.filter(({ seq }) => seq < (early[0]?.seq ?? Infinity));
  show.past(past);
  desk.begin(past);
  const tell = (event: RunEvent): void => {
    show.event(event);
    desk.note(event);
  };
  for (const event of early) tell(event);
  listening.tell = (event) => {
    journal.add(event);
    tell(event);
  };
  return { firstSeq: early[0]?.seq, driver, handle, journal, desk, interrupt };
}

/** To the rest of the leg, or to the one that an answer began after it, here or elsewhere. */
async function attend(
  running: RunningLeg,
  place: LegPlace,
): Promise<EndedLeg | RunningLeg | undefined> {
  const { handle, journal, interrupt } = running;
  try {
    const [next, result] = await Promise.all([ask(running, place), rested(running)]);
    if (next === 'elsewhere') return undefined;
    if (next === 'continued') return { ...(await continued(running, place)), plan: planOf(place) };
    if (next !== undefined) return next;
    return { run: handle.id, result, events: await journal.events(), plan: planOf(place) };
  } finally {
    interrupt.off();
  }
}

async function rested({ handle, desk, journal }: RunningLeg): Promise<RunResult> {
  try {
    const result = await handle.result();
    await journal.finish();
    desk.end(result);
    return result;
  } catch (defect) {
    // nobody is asked for a run that has broken down
    desk.end({ status: 'interrupted' });
    throw defect;
  }
}

/** Undefined when there is nothing more to ask, or whoever was asked left. */
async function ask(
  running: RunningLeg,
  place: LegPlace,
): Promise<RunningLeg | 'elsewhere' | 'continued' | undefined> {
  const { journal, desk, interrupt } = running;
  const { show, terminal } = place;
  if (!isTalking(place)) return undefined;
  for (;;) {
    const opened = await desk.next(() => journal.events());
    if (opened === undefined) return undefined;
    show.rest();
    const signal = desk.asking(opened);
    const isAnswered = new AbortController();
    if (desk.isAtRest) void lookElsewhere(running, place, isAnswered.signal);
    const answer = await askGate(opened, planOf(place), terminal, signal);
    isAnswered.abort();
    if (answer === undefined && !signal.aborted) {
      desk.done(opened.gate);
      // what still goes on is stopped; what rests already stays paused
      if (desk.isAtRest) return undefined;
      show.goOn();
      interrupt.now();
      return undefined;
    }
    const next = await goOn(answer, signal, running, place);
    // one that was refused is asked about again when the leg rests and still waits for it
    desk.done(opened.gate);
    if (next === 'refused' && desk.isAtRest) continue;
    show.goOn();
    if (next !== 'same' && next !== 'refused') return next;
  }
}

async function restingRun(
  { handle, journal }: RunningLeg,
  { project }: LegPlace,
): Promise<RestingRun> {
  return { store: project.store, run: handle.id, events: await journal.events() };
}

async function lookElsewhere(
  running: RunningLeg,
  place: LegPlace,
  stop: AbortSignal,
): Promise<void> {
  const letGo = (): void => running.desk.takeBack(CONTINUED);
  return whenContinued(await restingRun(running, place), letGo, stop);
}

/** What another terminal began; the result is the run's, whoever answered. */
async function continued(running: RunningLeg, place: LegPlace): Promise<EndedLeg> {
  place.show.note('It was answered at another place.');
  return untilRest(await restingRun(running, place), (event) => place.show.event(event));
}

type GoingOn = RunningLeg | 'same' | 'elsewhere' | 'continued' | 'refused';

/** With the answer; without one it goes on by itself, or what has expired at rest is taken in. */
async function goOn(
  answer: Answer | undefined,
  signal: AbortSignal,
  running: RunningLeg,
  place: LegPlace,
): Promise<GoingOn> {
  const { driver, handle } = running;
  if (answer !== undefined) return answered(answer, running, place);
  if (signal.reason === CONTINUED) return 'continued';
  if (signal.reason !== EXPIRED) return 'same';
  const next = await open(place, driver, (_driver, onEvent) =>
    driver.resume(handle.id, { ...resumeOptions(place), by: whoIsHere(), onEvent }),
  );
  return next ?? 'elsewhere';
}

/** The same leg goes on with it, unless it had come to rest. */
async function answered(
  answer: Answer,
  { driver, handle }: RunningLeg,
  place: LegPlace,
): Promise<GoingOn> {
  const options = resumeOptions(place);
  try {
    let isSame = false;
    const next = await open(place, driver, async (_driver, onEvent) => {
      const taken = await driver.answer(handle.id, answer, { ...options, onEvent });
      isSame = taken === handle;
      return isSame ? undefined : taken;
    });
    return isSame ? 'same' : (next ?? 'elsewhere');
  } catch (thrown) {
    if (!isKind(thrown, 'validation.input')) throw thrown;
    const { message, action } = toReport(thrown);
    place.terminal.err(oneLine(`${message}. ${action.detail}`));
    return 'refused';
  }
}

function resumeOptions({ workflow, flags }: LegPlace): RunOptions & { plan?: WorkflowPlan } {
  return { ...legOptions(flags), ...(workflow === undefined ? {} : { plan: workflow.plan }) };
}

function isTalking({ flags, terminal }: LegPlace): boolean {
  const { json, format, quiet, gates } = flags;
  const isText = json !== true && format === 'text' && quiet !== true;
  return isText && gates !== false && terminal.ask !== undefined;
}

function planOf({ workflow }: LegPlace): EndedLeg['plan'] {
  return workflow?.plan;
}
