/** The interface of an Errand as an application holds it. */
import type { JsonObject, JsonValue } from '../errors/support/safe-json.ts';
import type { Costs } from '../history/cost-ledger.ts';
import type { ListQuery, RunSummary } from '../machine/ports/store-port.ts';
import type { RunEvent } from '../machine/state/events.ts';
import type { WorkflowVerdict } from '../workflow/check/validation-json.ts';
import type { RunHandle, RunOptions } from './backend.ts';
import type { RunnableWorkflow } from './errand-options.ts';
import type { LoadedWorkflow } from './loading/load-file.ts';
import type { ResumeRequest } from './run/resume.ts';
import type { RunView } from './shown-run.ts';

export type { FetchOptions } from '../workflow/plan/plan.ts';
export type { Callables } from '../effects/module/find-callable.ts';
export type { Costs } from '../history/cost-ledger.ts';
export type { LedgerRow as CostRow } from '../history/run-view/ledger-row.ts';
export type { NodeTimeline } from '../history/node-timeline.ts';

export interface StartOptions extends RunOptions {
  readonly input?: JsonObject;
  /**
   * A name of your own for the run: 1 to 128 letters, digits, dots, hyphens and underscores. With
   * the same workflow and input again, `start` returns the existing run, running or ended, and
   * starts nothing; with another input or workflow it rejects with `validation.input`. Default: a
   * random name.
   */
  readonly id?: string;
}

export interface ResumeOptions extends RunOptions, Omit<ResumeRequest, 'traceparent'> {}

export interface GateAnswer {
  /** The gate's name or path. Default: the one that is open. */
  readonly gate?: string | undefined;
  readonly value: JsonValue;
  /** Who answers. Default: `library`. */
  readonly by?: string;
  /**
   * The opening that is answered, as `waiting` has it: the `seq` of its `gate:opened`. A gate that asks
   * something else by then refuses the answer. Default: the opening that is open at the call.
   */
  readonly opening?: number | undefined;
}

export interface Errand {
  /** Reads and checks a workflow file. Rejects with `validation.*` for one that cannot run. */
  load(file: string): Promise<LoadedWorkflow>;
  /**
   * Checks a workflow, or a file by its path, before it runs. Resolves to the object that
   * `errand validate --format json` prints. In a workflow made in code, `path` says where a problem
   * is: `nodes[0].prompt`.
   */
  validate(workflow: RunnableWorkflow | string): Promise<WorkflowVerdict>;
  /**
   * Rejects with `validation.*` for an invalid workflow: one made in code is checked as files are,
   * templates included.
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
  /**
   * Answers a gate, whichever process has the run. Resolves when the answer is stored: to the handle
   * where the run continues here, to undefined where another process continues it (`attach` follows
   * it there).
   */
  answer(run: string, answer: GateAnswer): Promise<RunHandle | undefined>;
  /**
   * Follows a run, whichever process has it: `events()` and `result()` are those of its latest leg,
   * `cancel` ends it, and `stop` only stops following, unless this process executes the run.
   * Rejects with `run.not_found`.
   */
  attach(run: string): Promise<RunHandle>;
  /** Ends a run for good, whichever process has it. */
  cancel(run: string, by?: string): Promise<void>;
  /** The view that `errand show` prints, whichever process has the run. Rejects with `run.not_found`. */
  get(run: string): Promise<RunView>;
  /** Newest first. A run whose process is gone is `interrupted`, not `running`. */
  list(query?: ListQuery): Promise<readonly RunSummary[]>;
  /** Everything that happened in a run so far. */
  history(run: string): AsyncIterable<RunEvent>;
  costs(run: string): Promise<Costs>;
  /** Stops the runs of this process, which stay resumable: nothing is cancelled. */
  close(): Promise<void>;
}
