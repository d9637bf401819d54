/** The engine as an application holds it: a store, what the application registers, and its runs. */
import { dirname, join, resolve } from 'node:path';
import { MACHINE_CLOCK, type EffectClock } from '../effects/clock.ts';
import type { McpServers } from '../effects/mcp/mcp.ts';
import type { JsonObject, JsonValue } from '../errors/json.ts';
import { keyValuesIn, storeSecrets } from '../effects/model/key-values.ts';
import type { Callables } from '../effects/module/find-callable.ts';
import type { RunEvent } from '../machine/events.ts';
import { costsOf, type Costs } from '../machine/ledger.ts';
import type { ListQuery, RunStore, RunSummary } from '../machine/store-port.ts';
import type { ErrorReport } from '../errors/report.ts';
import { toReport } from '../errors/to-report.ts';
import { completeInput } from '../workflow/inputs.ts';
import { FETCH_TOOL, IN_CODE, type WorkflowPlan } from '../workflow/model.ts';
import type { WorkflowVerdict } from '../workflow/verdict.ts';
import { Adoption } from './adoption.ts';
import { createEffectRunner, type EffectRunner } from './effect-runner.ts';
import type { ErrandOptions, RunnableWorkflow } from './errand-options.ts';
import { LocalDriver, type ResumeOptions, type RunHandle, type RunOptions } from './local.ts';
import { loadWorkflowFile, reloadWorkflow, serversFor, type LoadedWorkflow } from './load-file.ts';
import { Extensions } from './extensions.ts';
import { givenJson, givenWorkflow } from './given.ts';
import { exportsIn } from './exported-events.ts';
import { witnessed } from './lost-log.ts';
import { openStore, sqlitePath } from './open-store.ts';
import { RegisteredWorkflows } from './registered-workflows.ts';
import { runView, type RunView } from './run-view.ts';
import { asEvent } from './subscription.ts';
import { Verdicts } from './verdicts.ts';

export interface StartOptions extends RunOptions {
  readonly input?: JsonObject;
  /**
   * A name of your own for the run: 1 to 128 letters, digits, dots, hyphens and underscores. With the
   * same workflow and input again, the run that is there is given back, running or ended, and nothing
   * is started; with another input or workflow `start` rejects with `validation.input`. Default: a
   * random name.
   */
  readonly id?: string;
}

export interface GateAnswer {
  readonly gate?: string;
  readonly value: JsonValue;
  readonly by?: string;
}

export interface Errand {
  /** Reads and checks a workflow file. Rejects with `validation.*` for one that cannot run. */
  load(file: string): Promise<LoadedWorkflow>;
  /**
   * What can be proved of a workflow, or of a file by its path, before it runs: what
   * `errand validate --format json` prints. In a workflow made in code, `path` says where a problem
   * is: `nodes[0].prompt`.
   */
  validate(workflow: RunnableWorkflow | string): Promise<WorkflowVerdict>;
  /**
   * Rejects with `validation.*` when nothing could run: a workflow in code is checked as files are,
   * its templates too.
   */
  start(workflow: RunnableWorkflow, options?: StartOptions): Promise<RunHandle>;
  /**
   * Continues a run. A workflow made in code is the one given here, or one of `workflows`. Rejects
   * with `run.resume_mismatch` where something that the run needs is not here.
   */
  resume(
    run: string,
    options?: ResumeOptions & { readonly workflow?: RunnableWorkflow },
  ): Promise<RunHandle>;
  /** Answers a gate, wherever the run is; undefined when another process will hear of it. */
  signal(run: string, answer: GateAnswer): Promise<RunHandle | undefined>;
  /** Ends a run for good, wherever it is. */
  cancel(run: string, by?: string): Promise<void>;
  /** How a run stands, of whichever process: what `errand show` tells. Rejects with `run.not_found`. */
  get(run: string): Promise<RunView>;
  /** Newest first. What is not carried on by a living process is `interrupted`, not `running`. */
  list(query?: ListQuery): Promise<readonly RunSummary[]>;
  /** Everything that happened in a run so far. */
  history(run: string): AsyncIterable<RunEvent>;
  costs(run: string): Promise<Costs>;
  /** Parks what runs; nothing is cancelled. */
  close(): Promise<void>;
}

export async function createErrand(
  options: ErrandOptions = {},
  clock: EffectClock = MACHINE_CLOCK,
): Promise<Errand> {
  const directory = resolve(options.directory ?? '.');
  const extensions = await loadedExtensions(options, directory);
  const registered = await withFetch(options);
  const address = options.store ?? 'sqlite:.errand/errand.db';
  const opened = await openStore(address, directory, extensions);
  const home = homeOf(address, directory, options.env ?? process.env);
  const store = home === undefined ? opened : witnessed(opened, exportsIn(home));
  try {
    const errand = new LocalErrand(store, { directory, extensions, clock }, registered);
    if (options.adopt === true) await errand.adopt();
    return errand;
  } catch (refusal) {
    await extensions.stop();
    // one that the host has opened is the host's to close
    if (typeof address === 'string') await opened.close();
    throw refusal;
  }
}

/** Where the command exports the runs of that store to; undefined where nobody knows. */
function homeOf(
  address: string | RunStore,
  directory: string,
  env: NonNullable<ErrandOptions['env']>,
): string | undefined {
  if (typeof address !== 'string' || address === 'memory') return undefined;
  const path = sqlitePath(address, directory);
  return path === undefined ? resolve(directory, env['ERRAND_HOME'] || '.errand') : dirname(path);
}

async function loadedExtensions(
  { extensions: registered = [], onWarning = warn }: ErrandOptions,
  base: string,
): Promise<Extensions> {
  const extensions = new Extensions({ registered, base, onWarning });
  await extensions.load([]);
  return extensions;
}

function configuredSecrets({
  secrets = [],
  store,
  env = process.env,
}: ErrandOptions): readonly string[] {
  const ofStore = typeof store === 'string' ? storeSecrets(store, env) : [];
  return [...secrets, ...keyValuesIn(env), ...ofStore];
}

function warn({ message }: ErrorReport): void {
  process.emitWarning(message, { code: 'ERRAND' });
}

async function withFetch({ fetch, ...options }: ErrandOptions): Promise<ErrandOptions> {
  if (fetch === undefined) return options;
  // HTTP is a good part of what a process loads, and few workflows fetch
  const { createFetchTool } = await import('../effects/fetch/fetch-tool.ts');
  return { ...options, tools: { [FETCH_TOOL]: createFetchTool(fetch), ...options.tools } };
}

/** What a leg is run with. */
type Carrying = Pick<ResumeOptions, 'plan' | 'effects'>;

type GoOn = (carrying: Carrying) => Promise<RunHandle>;

interface Surroundings {
  readonly clock: EffectClock;
  readonly directory: string;
  readonly extensions: Extensions;
}

class LocalErrand implements Errand {
  readonly #store: RunStore;
  readonly #directory: string;
  readonly #extensions: Extensions;
  readonly #options: ErrandOptions;
  readonly #driver: LocalDriver;
  readonly #adoption: Adoption;
  readonly #runners = new Map<object, EffectRunner>();
  /** Of workflows that were loaded and perhaps never run. */
  readonly #servers = new Map<object, McpServers>();
  readonly #verdicts: Verdicts;
  readonly #inCode: RegisteredWorkflows<RunnableWorkflow>;

  constructor(
    store: RunStore,
    { directory, extensions, clock }: Surroundings,
    options: ErrandOptions,
  ) {
    this.#store = store;
    this.#directory = directory;
    this.#extensions = extensions;
    this.#options = options;
    this.#inCode = new RegisteredWorkflows(store, options.workflows ?? []);
    this.#verdicts = new Verdicts({
      place: this.#place(),
      host: options,
      extensions,
      serversOf: (workflow) => this.#serversOf(workflow),
    });
    this.#driver = new LocalDriver({
      store,
      clock,
      effects: this.#newRunner({}),
      onOutage: 'wait',
      onEvent: (event) => this.#heard(event),
      ...(options.onWarning === undefined ? {} : { onWarning: options.onWarning }),
      ...(options.onInternal === undefined ? {} : { onInternal: options.onInternal }),
      secrets: configuredSecrets(options),
    });
    this.#adoption = new Adoption({
      clock,
      orphans: () => this.#driver.orphans(),
      take: (run) => this.resume(run, { by: 'adoption' }),
      onWarning: (thrown) => this.#warn(thrown),
    });
  }

  async load(file: string): Promise<LoadedWorkflow> {
    const loaded = await loadWorkflowFile(file, this.#place(), this.#verdicts.registered);
    this.#servers.set(loaded, this.#serversOf(loaded));
    return loaded;
  }

  validate(workflow: RunnableWorkflow | string): Promise<WorkflowVerdict> {
    return this.#verdicts.on(workflow);
  }

  async start(
    workflow: RunnableWorkflow,
    { input = {}, ...options }: StartOptions = {},
  ): Promise<RunHandle> {
    const plan = await this.#planOf(workflow);
    const { file } = workflow;
    await this.#extensions.start();
    const given = completeInput(plan, givenJson(input, 'The input'));
    const isInCode = file === undefined;
    return this.#driver.start(plan, given, {
      ...options,
      effects: this.#runnerOf(workflow),
      ...(isInCode ? { onCreated: (run) => this.#inCode.remember(run, workflow) } : { file }),
    });
  }

  async resume(
    run: string,
    options: ResumeOptions & { readonly workflow?: RunnableWorkflow } = {},
  ): Promise<RunHandle> {
    const { workflow, input, ...rest } = options;
    const how = {
      ...rest,
      ...(input === undefined ? {} : { input: givenJson(input, 'The input') }),
    };
    const goOn = (carrying: Carrying): Promise<RunHandle> =>
      this.#driver.resume(run, { ...how, ...carrying });
    if (workflow === undefined) return this.#withWorkflowOf(run, goOn);
    const handle = await goOn(await this.#carrying(workflow));
    if (workflow.file === undefined) this.#inCode.remember(run, workflow);
    return handle;
  }

  async signal(run: string, answer: GateAnswer): Promise<RunHandle | undefined> {
    const value = givenJson(answer.value, 'The answer');
    const given = { by: 'library', ...answer, value };
    return this.#driver.tellGate(run, given, (goOn) => this.#withWorkflowOf(run, goOn));
  }

  async cancel(run: string, by = 'library'): Promise<void> {
    const handle = await this.#driver.cancel(run, by);
    await handle?.result();
  }

  async get(run: string): Promise<RunView> {
    const record = await this.#store.get(run);
    const events = await this.#events(run);
    const status = this.#driver.statusOf(record);
    return runView({ record, events, status, directory: this.#directory });
  }

  list(query?: ListQuery): Promise<readonly RunSummary[]> {
    return this.#driver.list(query);
  }

  async *history(run: string): AsyncIterable<RunEvent> {
    for await (const { events } of this.#store.read(run)) yield* events.map(asEvent);
  }

  async costs(run: string): Promise<Costs> {
    return costsOf(await this.#events(run));
  }

  async #events(run: string): Promise<readonly RunEvent[]> {
    const events: RunEvent[] = [];
    for await (const event of this.history(run)) events.push(event);
    return events;
  }

  /** From now on, until it is closed. */
  async adopt(): Promise<void> {
    await this.#extensions.start();
    await this.#adoption.begin();
  }

  #warn(thrown: unknown): void {
    const { onWarning = warn } = this.#options;
    onWarning(toReport(thrown));
  }

  async close(): Promise<void> {
    await this.#adoption.stop();
    await this.#driver.close();
    for (const runner of this.#runners.values()) await runner.close();
    for (const servers of this.#servers.values()) await servers.close();
    await this.#extensions.stop();
  }

  #place(): { readonly base: string; readonly env: NonNullable<ErrandOptions['env']> } {
    return { base: this.#directory, env: this.#options.env ?? process.env };
  }

  /** A run that is over needs no workflow any more. */
  #heard(event: RunEvent): void {
    if (event.type === 'run:completed' || event.type === 'run:cancelled')
      this.#inCode.forget(event.run);
    this.#extensions.tell(event);
  }

  /** By what is known of its workflow here; without anything, by what was stored. */
  async #withWorkflowOf(run: string, goOn: GoOn): Promise<RunHandle> {
    const { file, workflow: name } = await this.#store.summary(run);
    if (file?.startsWith(IN_CODE) !== true) return this.#withFile(file, goOn);
    return goOn(await this.#carrying(await this.#inCode.find(run, name)));
  }

  /**
   * By its file as it is now. What was opened for that is closed when the leg is over: a host may
   * answer thousands of times before it is closed.
   */
  async #withFile(file: string | null, goOn: GoOn): Promise<RunHandle> {
    const workflow = await reloadWorkflow(file, this.#place(), this.#verdicts.registered);
    const letGo = async (): Promise<void> => {
      if (workflow !== undefined) await this.#letGo(workflow);
    };
    try {
      const handle = await goOn(await this.#carrying(workflow));
      handle
        .result()
        .then(letGo, async (defect: unknown) => {
          // whoever resumed it may have let its handle go
          this.#warn(defect);
          await letGo();
        })
        .catch((thrown: unknown) => this.#warn(thrown));
      return handle;
    } catch (refusal) {
      await letGo();
      throw refusal;
    }
  }

  /** In the books until it is closed, so that whoever closes everything waits for it. */
  async #letGo(workflow: LoadedWorkflow): Promise<void> {
    await this.#runners.get(workflow)?.close();
    await workflow.servers?.close();
    this.#runners.delete(workflow);
    this.#servers.delete(workflow);
  }

  async #carrying(workflow: RunnableWorkflow | undefined): Promise<Carrying> {
    await this.#extensions.start();
    if (workflow === undefined) return {};
    return {
      plan: await this.#planOf(workflow, { isReload: true }),
      effects: this.#runnerOf(workflow),
    };
  }

  /** Whatever runs is known by its secrets first. Rejects with `validation.input` for no workflow. */
  async #planOf(
    workflow: RunnableWorkflow,
    how: { readonly isReload?: boolean } = {},
  ): Promise<WorkflowPlan> {
    this.#driver.learn(givenWorkflow(workflow).secrets ?? []);
    return this.#verdicts.planOf(workflow, how);
  }

  /** Those that were asked what they have are the ones that are called. */
  #serversOf(workflow: Partial<LoadedWorkflow>): McpServers {
    const { servers, file = join(this.#directory, 'code') } = workflow;
    const known = servers ?? this.#servers.get(workflow) ?? serversFor(file, this.#place());
    this.#servers.set(workflow, known);
    return known;
  }

  /** A workflow's functions are its own, and its scripts run beside its file. */
  #runnerOf(workflow: RunnableWorkflow): EffectRunner {
    const known = this.#runners.get(workflow) ?? this.#newRunner(workflow);
    this.#runners.set(workflow, known);
    return known;
  }

  #newRunner(workflow: Partial<RunnableWorkflow>): EffectRunner {
    const { file, functions } = workflow;
    const { tools, models, providers, credentials, guard } = this.#options;
    return createEffectRunner({
      extensions: this.#extensions,
      servers: this.#serversOf(workflow),
      ...(guard === undefined ? {} : { guards: [{ name: 'the host', check: guard }] }),
      ...(credentials === undefined ? {} : { credentials }),
      ...(models === undefined ? {} : { models }),
      ...(providers === undefined ? {} : { providers }),
      env: this.#options.env ?? process.env,
      directory: file === undefined ? this.#directory : dirname(file),
      base: this.#directory,
      // what a node passes is JSON, and what the function says of it is the author's word
      functions: { ...this.#options.functions, ...(functions as Callables | undefined) },
      ...(tools === undefined ? {} : { tools }),
    });
  }
}
