/**
 * The workflow of each leg: the one that was given, else one that is registered, else the file as it is now.
 * When the leg is over, this closes everything that the file opened.
 */
import { latestPlan } from '../../history/latest-plan.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { IN_CODE, type WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { Backend, LegWorkflow, RunHandle } from '../backend.ts';
import type { RunnableWorkflow } from '../errand-options.ts';
import { checkedRunName } from './checked-input.ts';
import type { Extensions } from './extensions.ts';
import type { LoadedWorkflow } from './load-file.ts';
import { namedAsStarted } from './named-as-started.ts';
import type { StoredRun } from '../read-runs.ts';
import { RegisteredWorkflows } from './registered-workflows.ts';
import { planFrom } from '../run/plan-text.ts';
import type { WorkflowHost } from '../workflow-host.ts';

interface LegWorkflowsParts {
  readonly host: Pick<WorkflowHost, 'reload' | 'release' | 'runnerOf'>;
  readonly extensions: Pick<Extensions, 'start'>;
  readonly runs: () => Promise<Backend>;
  readonly stored: (run: string) => Promise<StoredRun>;
  /** The plan of a workflow with which a run continues. */
  readonly planOf: (workflow: RunnableWorkflow) => Promise<WorkflowPlan>;
  readonly onWarning: (thrown: unknown) => void;
}

interface NamedWorkflow {
  readonly workflow?: RunnableWorkflow | undefined;
  /** Default: the file that the run was started with. */
  readonly file?: string | undefined;
}

export class LegWorkflows {
  readonly #parts: LegWorkflowsParts;
  readonly #registered: RegisteredWorkflows;

  constructor(registered: readonly RunnableWorkflow[], parts: LegWorkflowsParts) {
    this.#parts = parts;
    this.#registered = new RegisteredWorkflows(registered, (run) => this.#planIn(run));
  }

  /** Keeps a workflow in code for later legs of its run; a file is read again for each leg. */
  remember(run: string, workflow: RunnableWorkflow): void {
    if (workflow.file === undefined) this.#registered.remember(run, workflow);
  }

  /** Forgets the workflow of a run that has ended. */
  noteEvent(event: RunEvent): void {
    if (event.type === 'run:completed' || event.type === 'run:cancelled')
      this.#registered.forget(event.run);
  }

  /**
   * Begins a leg with its workflow. What a file opened is not kept until the host is closed: a host may
   * answer thousands of times before.
   */
  async begin<H extends RunHandle | undefined>(
    run: string,
    { workflow: given, file }: NamedWorkflow,
    begin: (workflow: () => Promise<LegWorkflow>) => Promise<H>,
  ): Promise<H> {
    checkedRunName(run);
    let loaded: LoadedWorkflow | undefined;
    const find = async (): Promise<RunnableWorkflow | undefined> => {
      if (given !== undefined) return given;
      const { store } = await this.#parts.runs();
      const summary = await store.summary(run);
      if (summary.file?.startsWith(IN_CODE) === true)
        return this.#registered.find(run, summary.workflow);
      if (loaded !== undefined) return loaded;
      const { standIn } = planFrom((await store.get(run)).plan);
      return (loaded = await this.#parts.host.reload(file ?? summary.file, standIn));
    };
    return this.#closing(
      () => loaded,
      async () => {
        const handle = await begin(async () => this.#legWorkflow(run, await find()));
        if (given !== undefined) this.remember(run, given);
        return handle;
      },
    );
  }

  /** Begins the first leg of a file that was loaded for it alone. */
  releasing(workflow: LoadedWorkflow, begin: () => Promise<RunHandle>): Promise<RunHandle> {
    return this.#closing(() => workflow, begin);
  }

  /** Closes what a file opened when the leg is over, or at once where it could not begin. */
  async #closing<H extends RunHandle | undefined>(
    loaded: () => LoadedWorkflow | undefined,
    begin: () => Promise<H>,
  ): Promise<H> {
    const release = async (): Promise<void> => {
      const workflow = loaded();
      if (workflow !== undefined) await this.#parts.host.release(workflow);
    };
    try {
      const handle = await begin();
      if (loaded() !== undefined) this.#whenOver(handle, release);
      return handle;
    } catch (refusal) {
      await release();
      throw refusal;
    }
  }

  #whenOver(handle: RunHandle | undefined, release: () => Promise<void>): void {
    const { onWarning } = this.#parts;
    Promise.resolve(handle?.result())
      .then(release, async (defect: unknown) => {
        // the caller may have dropped its handle
        onWarning(defect);
        await release();
      })
      .catch((thrown: unknown) => onWarning(thrown));
  }

  async #legWorkflow(run: string, workflow: RunnableWorkflow | undefined): Promise<LegWorkflow> {
    const { extensions, host, planOf, runs } = this.#parts;
    await extensions.start();
    if (workflow === undefined) return {};
    const plan = await planOf(workflow);
    const { store } = await runs();
    return { plan: await namedAsStarted(store, run, plan), effects: host.runnerOf(workflow) };
  }

  async #planIn(run: string): Promise<WorkflowPlan> {
    const { record, events } = await this.#parts.stored(run);
    return latestPlan(planFrom(record.plan), events);
  }
}
