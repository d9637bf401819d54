/**
 * The facade: everything that is done with runs, over a backend. Applications, the command line and
 * servers stand on it. It joins what the host registers, what files name, and where runs are kept.
 */
import type { Answer } from '../machine/gates/gate-answer.ts';
import { resolve } from 'node:path';
import { MACHINE_CLOCK, type EffectClock } from '../effects/clock.ts';
import { toReport } from '../errors/thrown/to-report.ts';
import { unavailable } from '../stores/store-failure.ts';
import type { RunEvent } from '../machine/state/events.ts';
import { completeInput } from '../workflow/plan/inputs.ts';
import type { RunRecord } from '../machine/ports/store-port.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import type { Validation } from '../workflow/check/validate-workflow.ts';
import type { WorkflowVerdict } from '../workflow/check/validation-json.ts';
import type {
  Backend,
  BackendResumeOptions,
  BackendStartOptions,
  LegOrigin,
  RunHandle,
  RunOptions,
  CancelOptions,
  ServedPlan,
} from './backend.ts';
import type { CarryingOn, CarryOnOptions } from './carry-on.ts';
import type { ErrandOptions, RunnableWorkflow } from './errand-options.ts';
import type { Errand, GateAnswer, ResumeOptions, StartOptions } from './errand-interface.ts';
import {
  checkedAnswer,
  checkedJson,
  checkedPrepared,
  checkedRunName,
  checkedWorkflow,
} from './loading/checked-input.ts';
import { Extensions } from './loading/extensions.ts';
import type { LoadedWorkflow } from './loading/load-file.ts';
import { withFetch } from './loading/with-fetch.ts';
import {
  openBackend,
  refuseWithTemporal,
  type EngineOptions,
  type OpenedBackend,
} from './open-backend.ts';
import { warnProcess } from './process-warning.ts';
import { ReadRuns } from './read-runs.ts';
import { LegWorkflows } from './loading/leg-workflows.ts';
import { exportsIn } from './run/exported-events.ts';
import { refuseLostLog } from './run/lost-log.ts';
import { runView, type RunView } from './shown-run.ts';
import { withSafeListeners, withSafeWarnings } from './safe-listeners.ts';
import type { InspectOptions } from './validate-workflows.ts';
import { ServerWork } from './server-work.ts';
import { WorkflowHost } from './workflow-host.ts';
import { planFrom } from './run/plan-text.ts';

export type { Errand } from './errand-interface.ts';
export type { StoredRun } from './read-runs.ts';
export type { LoadedWorkflow } from './loading/load-file.ts';

export interface EngineStartOptions
  extends
    StartOptions,
    LegOrigin,
    Pick<BackendStartOptions, 'onCreated' | 'request' | 'isLeft' | 'onOutage' | 'keepsAnswers'> {}

type GivenAnswer = GateAnswer & Pick<Answer, 'isByProgram'>;

interface LegOptions
  extends ResumeOptions, LegOrigin, Pick<BackendResumeOptions, 'lostBefore' | 'isLeft'> {
  readonly workflow?: RunnableWorkflow | undefined;
  /** The file of the workflow. Default: the file that the run was started with. */
  readonly file?: string | undefined;
  /** Events of the run from the first on, as far as they have been read. */
  readonly known?: readonly RunEvent[];
}

/** Opens an Errand, and rejects where its store or server cannot be used. */
export async function createErrand(
  options: ErrandOptions & Pick<EngineOptions, 'telemetry'> = {},
  clock?: EffectClock,
): Promise<Errand> {
  const engine = await openEngine(options, clock);
  try {
    await engine.open();
    if (options.adopt === true) await engine.carryOn();
    return engine;
  } catch (refusal) {
    // a store that the host opened is the host's to close
    await (typeof options.store === 'object' ? engine.extensions.stop() : engine.close());
    throw refusal;
  }
}

/** Loads extensions and nothing else: the store is opened when runs are first needed. */
export async function openEngine(
  given: EngineOptions = {},
  clock: EffectClock = MACHINE_CLOCK,
): Promise<Engine> {
  refuseWithTemporal(given);
  const { onWarning, ...rest } = withSafeWarnings(given);
  const warn = (thrown: unknown): void => onWarning(toReport(thrown));
  const options = { ...withSafeListeners(rest, warn), onWarning };
  const { extensions: registered = [], extensionModules = [] } = options;
  const base = resolve(options.directory ?? '.');
  const extensions = new Extensions({ registered, base, onWarning });
  await extensions.load(extensionModules);
  return new Engine(await withFetch(options), extensions, clock);
}

export class Engine extends ReadRuns implements Errand {
  readonly extensions: Extensions;
  readonly #options: EngineOptions;
  readonly #directory: string;
  readonly #host: WorkflowHost;
  readonly #legs: LegWorkflows;
  readonly #work: ServerWork;
  /** Starts the runs of `workflow.schedule`, until it is closed. Servers do, and nothing else. */
  readonly keepSchedules: ServerWork['keepSchedules'] = (how) => this.#work.keepSchedules(how);
  /** The schedules of each plan: their next times, and the results of the last ones. */
  readonly scheduleStates: ServerWork['scheduleStates'] = (of) => this.#work.scheduleStates(of);
  readonly serverNotes: ServerWork['serverNotes'] = () => this.#work.serverNotes();
  readonly sharedNotes: ServerWork['sharedNotes'] = () => this.#work.sharedNotes();
  /** Messages that wait to be sent about the runs of the store. */
  readonly outbox: ServerWork['outbox'] = () => this.#work.outbox();
  #opening: Promise<Backend> | undefined;
  #opened: OpenedBackend | undefined;
  #closing: Promise<void> | undefined;

  constructor(options: EngineOptions, extensions: Extensions, clock: EffectClock) {
    super(clock);
    this.extensions = extensions;
    this.#options = options;
    this.#directory = resolve(options.directory ?? '.');
    this.#host = new WorkflowHost(this.#directory, extensions, options);
    this.#legs = new LegWorkflows(options.workflows ?? [], {
      host: this.#host,
      extensions,
      runs: () => this.runs(),
      stored: (run) => this.stored(run),
      planOf: (workflow) => this.#planOf(workflow, { isReload: true }),
      onWarning: (thrown) => this.#warn(thrown),
    });
    this.#work = new ServerWork({
      clock,
      backend: () => this.runs(),
      start: (workflow, given) => this.start(workflow, given),
      resume: (run, given) => this.resume(run, given),
      onWarning: (thrown) => this.#warn(thrown),
    });
  }

  /** Opens the store, or connects to the server. */
  async open(): Promise<void> {
    await this.runs();
  }

  load(file: string): Promise<LoadedWorkflow> {
    return this.#host.load(file);
  }

  /** The workflow of a run as its file is now; undefined when the file is gone. */
  async reload(run: Pick<RunRecord, 'file' | 'plan'>): Promise<LoadedWorkflow | undefined> {
    return this.#host.reload(run.file, planFrom(run.plan).standIn);
  }

  /** The workflow of that name at the server; undefined where workflows are files of this machine. */
  async served(name: string): Promise<ServedPlan | undefined> {
    return (await this.runs()).workflow?.(name);
  }

  validate(workflow: RunnableWorkflow | string): Promise<WorkflowVerdict> {
    return this.#host.validate(workflow);
  }

  /** Judges a file with its plan and secrets, or a text in its place; see `InspectOptions`. */
  inspect(file: string, options?: InspectOptions): Promise<Validation> {
    return this.#host.inspect(file, options);
  }

  async start(
    workflow: RunnableWorkflow,
    { input = {}, ...options }: EngineStartOptions = {},
  ): Promise<RunHandle> {
    // before anything is awaited: the caller may use the object again at once
    const own = checkedJson(input, 'The input');
    const leg = this.#legOf(options);
    const backend = await this.runs();
    const plan = await this.#planOf(workflow);
    const { file, secrets } = workflow;
    await this.extensions.start();
    const given = completeInput(plan, own, { secrets });
    return backend.start(plan, given, {
      ...leg,
      effects: this.#host.runnerOf(workflow),
      ...(file === undefined ? {} : { file }),
      onCreated: (run) => {
        this.#legs.remember(run, workflow);
        options.onCreated?.(run);
      },
    });
  }

  /** Starts a file as it is now. What it opened is closed when the leg is over. */
  async startFile(file: string, options: EngineStartOptions = {}): Promise<RunHandle> {
    const workflow = await this.#host.load(file);
    return this.#legs.releasing(workflow, () => this.start(workflow, options));
  }

  async resume(run: string, { input, ...options }: LegOptions = {}): Promise<RunHandle> {
    const checked = input === undefined ? {} : { input: checkedJson(input, 'The input') };
    const leg = { ...this.#legOf(options), ...checked };
    const backend = await this.runs();
    return this.#legs.begin(run, options, (workflow) => backend.resume(run, { ...leg, workflow }));
  }

  async answer(
    run: string,
    answer: GivenAnswer,
    options: LegOptions = {},
  ): Promise<RunHandle | undefined> {
    const own = checkedAnswer(answer);
    const leg = this.#legOf(options);
    const backend = await this.runs();
    return this.#legs.begin(run, options, (workflow) =>
      backend.answer(run, own, { ...leg, workflow }),
    );
  }

  /**
   * Leaves an answer in the store for whichever process executes the run, now or later. Resolves to the
   * name of the gate; undefined where there is no store.
   */
  async leaveAnswer(run: string, answer: GivenAnswer): Promise<string | undefined> {
    return (await this.runs()).leaveAnswer?.(run, checkedAnswer(answer));
  }

  async attach(run: string): Promise<RunHandle> {
    return (await this.runs()).attach(checkedRunName(run));
  }

  async cancel(run: string, by = 'library'): Promise<void> {
    const handle = await this.requestCancel(run, by);
    await handle?.result();
  }

  /** Returns undefined when another process has the run and has received the message. */
  async requestCancel(
    run: string,
    by: string,
    options: CancelOptions = {},
  ): Promise<RunHandle | undefined> {
    const backend = await this.runs();
    await this.extensions.start();
    return backend.cancel(checkedRunName(run), by, this.#safely(options));
  }

  async get(run: string): Promise<RunView> {
    return runView({ ...(await this.stored(run)), directory: this.#directory });
  }

  /** Rejects with `store.corrupt` where the log of the run lacks events that were exported. */
  async refuseLostLog(run: string): Promise<void> {
    const { store } = await this.runs();
    // a server that deletes old runs has lost nothing
    if (this.#opened?.home !== undefined)
      await refuseLostLog(store, run, exportsIn(this.#opened.home));
  }

  /** Resumes what is due, until it is closed. */
  async carryOn(options?: CarryOnOptions): Promise<CarryingOn> {
    await this.runs();
    await this.extensions.start();
    return this.#work.carryOn(options);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  async #close(): Promise<void> {
    await this.#work.close();
    // the caller that asked for the store knows that it could not be opened
    const backend = await this.#opening?.catch(() => undefined);
    await backend?.close();
    await this.#host.close();
    await this.extensions.stop();
  }

  protected runs(): Promise<Backend> {
    if (this.#closing !== undefined) return this.#opening ?? Promise.reject(unavailable('closed'));
    return (this.#opening ??= this.#open());
  }

  async #open(): Promise<Backend> {
    this.#opened = await openBackend(this.#options, {
      directory: this.#directory,
      extensions: this.extensions,
      effects: this.#host.runnerOf({}),
      clock: this.clock,
      onEvent: (event) => this.#onEvent(event),
    });
    return this.#opened.backend;
  }

  #legOf<Options extends RunOptions & LegOrigin>(options: Options): Options {
    const { trace = this.#options.trace } = options;
    return { ...this.#safely(options), ...checkedPrepared(options), trace };
  }

  #safely<Options extends RunOptions>(options: Options): Options {
    return withSafeListeners(options, (thrown) => this.#warn(thrown));
  }

  #warn(thrown: unknown): void {
    const { onWarning = warnProcess } = this.#options;
    onWarning(toReport(thrown));
  }

  #onEvent(event: RunEvent): void {
    this.#legs.noteEvent(event);
    this.extensions.tell(event);
    this.#options.onEvent?.(event);
  }

  /** Registers the workflow's secrets first. Rejects with `validation.input` for what is no workflow. */
  async #planOf(
    workflow: RunnableWorkflow,
    how: { readonly isReload?: boolean } = {},
  ): Promise<WorkflowPlan> {
    const { secrets = [] } = checkedWorkflow(workflow);
    this.#opened?.backend.learn(secrets);
    return this.#host.planOf(workflow, how);
  }
}
