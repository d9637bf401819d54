/**
 * The facade: everything that is done with runs, over a backend. Applications, the command line and
 * servers stand on it. It joins what the host registers, what files name, and where runs are kept.
 */
import type { Answer } from '../machine/gates/gate-answer.ts';
import { resolve } from 'node:path';
import { MACHINE_CLOCK, type EffectClock } from '../effects/clock.ts';
import { toReport } from '../errors/thrown/to-report.ts';
import { unavailable } from '../stores/store-failure.ts';
import { latestPlan } from '../history/latest-plan.ts';
import type { RunEvent } from '../machine/state/events.ts';
import { completeInput } from '../workflow/plan/inputs.ts';
import type { RunRecord } from '../machine/ports/store-port.ts';
import { IN_CODE, type WorkflowPlan } from '../workflow/plan/plan.ts';
import type { Validation } from '../workflow/check/validate-workflow.ts';
import type { WorkflowVerdict } from '../workflow/check/validation-json.ts';
import type {
  Backend,
  BackendResumeOptions,
  BackendStartOptions,
  LegOrigin,
  LegWorkflow,
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
import { namedAsStarted } from './named-as-started.ts';
import { RegisteredWorkflows } from './registered-workflows.ts';
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
  readonly #registered: RegisteredWorkflows;
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
    this.#registered = new RegisteredWorkflows(options.workflows ?? [], (run) => this.#planIn(run));
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
        if (file === undefined) this.#registered.remember(run, workflow);
        options.onCreated?.(run);
      },
    });
  }

  /** Starts a file as it is now. What it opened is closed when the leg is over. */
  async startFile(file: string, options: EngineStartOptions = {}): Promise<RunHandle> {
    const workflow = await this.#host.load(file);
    const release = (): Promise<void> => this.#host.release(workflow);
    try {
      const handle = await this.start(workflow, options);
      this.#whenOver(handle, release);
      return handle;
    } catch (refusal) {
      await release();
      throw refusal;
    }
  }

  async resume(run: string, { input, ...options }: LegOptions = {}): Promise<RunHandle> {
    const checked = input === undefined ? {} : { input: checkedJson(input, 'The input') };
    const leg = { ...this.#legOf(options), ...checked };
    const backend = await this.runs();
    return this.#runLeg(run, options, (workflow) => backend.resume(run, { ...leg, workflow }));
  }

  async answer(
    run: string,
    answer: GivenAnswer,
    options: LegOptions = {},
  ): Promise<RunHandle | undefined> {
    const own = checkedAnswer(answer);
    const leg = this.#legOf(options);
    const backend = await this.runs();
    return this.#runLeg(run, options, (workflow) => backend.answer(run, own, { ...leg, workflow }));
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

  /** Forgets the workflow of a run that has ended. */
  #onEvent(event: RunEvent): void {
    if (event.type === 'run:completed' || event.type === 'run:cancelled')
      this.#registered.forget(event.run);
    this.extensions.tell(event);
    this.#options.onEvent?.(event);
  }

  /**
   * Begins a leg with the workflow that was given, else with the one that is registered here, else with
   * the file as it is now. What a file opened is closed when the leg is over: a host may answer
   * thousands of times before it is closed.
   */
  async #runLeg<H extends RunHandle | undefined>(
    run: string,
    { workflow: given, file: named }: Pick<LegOptions, 'workflow' | 'file'>,
    begin: (workflow: () => Promise<LegWorkflow>) => Promise<H>,
  ): Promise<H> {
    checkedRunName(run);
    let loaded: LoadedWorkflow | undefined;
    const find = async (): Promise<RunnableWorkflow | undefined> => {
      if (given !== undefined) return given;
      const { store } = await this.runs();
      const { file, workflow: name } = await store.summary(run);
      if (file?.startsWith(IN_CODE) === true) return this.#registered.find(run, name);
      if (loaded !== undefined) return loaded;
      const { plan } = await store.get(run);
      return (loaded = await this.reload({ file: named ?? file, plan }));
    };
    const release = async (): Promise<void> => {
      if (loaded !== undefined) await this.#host.release(loaded);
    };
    try {
      const handle = await begin(async () => this.#legWorkflow(run, await find()));
      if (given !== undefined && given.file === undefined) this.#registered.remember(run, given);
      if (loaded !== undefined) this.#whenOver(handle, release);
      return handle;
    } catch (refusal) {
      await release();
      throw refusal;
    }
  }

  #whenOver(handle: RunHandle | undefined, release: () => Promise<void>): void {
    Promise.resolve(handle?.result())
      .then(release, async (defect: unknown) => {
        // the caller may have dropped its handle
        this.#warn(defect);
        await release();
      })
      .catch((thrown: unknown) => this.#warn(thrown));
  }

  async #legWorkflow(run: string, workflow: RunnableWorkflow | undefined): Promise<LegWorkflow> {
    await this.extensions.start();
    if (workflow === undefined) return {};
    const plan = await this.#planOf(workflow, { isReload: true });
    const { store } = await this.runs();
    return {
      plan: await namedAsStarted(store, run, plan),
      effects: this.#host.runnerOf(workflow),
    };
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

  async #planIn(run: string): Promise<WorkflowPlan> {
    const { record, events } = await this.stored(run);
    return latestPlan(planFrom(record.plan), events);
  }
}
