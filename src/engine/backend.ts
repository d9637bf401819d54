/**
 * The backend under the facade: where runs are executed and kept. `local/` executes them in this
 * process over a store, `temporal/` has Temporal's workers execute them, `remote/` an Errand
 * server. All have one interface.
 */
import type { ErrorReport } from '../errors/report/report.ts';
import type { JsonObject, JsonValue } from '../errors/support/safe-json.ts';
import type { Answer } from '../machine/gates/gate-answer.ts';
import type {
  ListQuery,
  ReadableStore,
  RunStatusName,
  RunSummary,
  RemovedRun,
  StoredCommit,
  Tombstone,
} from '../machine/ports/store-port.ts';
import type { TraceCarrier } from '../machine/ports/trace-carrier.ts';
import type { DueQuery, DueRun, SharedWork } from '../machine/ports/shared-work-port.ts';
import type { Bound, RunEvent, Waiting } from '../machine/state/events.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import type { EffectRunner } from './run/effect-runner.ts';
import type { PreparedAnswer } from './run/prepared-answers.ts';
import type { ResumeRequest } from './run/resume.ts';
import type { Progress } from './run/running-effects.ts';
import type { LogWitness } from './run/lost-log.ts';
import type { ImportedRun } from './run-file.ts';

export type { PreparedAnswer } from './run/prepared-answers.ts';

export interface RunOptions {
  readonly onEvent?: (event: RunEvent) => void;
  /** Called with streamed text and with progress that functions report; nothing of it is stored. */
  readonly onProgress?: (progress: Progress) => void;
  /** Waits in this process for any length of time instead of pausing the run. */
  readonly wait?: boolean;
  /** False: no person can be asked. */
  readonly gates?: boolean;
  /** Answers for gates as they open, by name or path; each answer is used once. */
  readonly answers?: readonly PreparedAnswer[];
}

/** The trace of the caller that begins a leg. */
export interface LegOrigin {
  /**
   * The trace context of a request, a message or the environment. Null: nobody has asked for the
   * leg. Default: the active span.
   */
  readonly trace?: TraceCarrier | null | undefined;
}

export type RunResult =
  | { readonly status: 'completed'; readonly output: JsonValue }
  | { readonly status: 'failed'; readonly error: ErrorReport; readonly output?: JsonValue }
  | { readonly status: 'cancelled' }
  | { readonly status: 'paused'; readonly waiting: Waiting }
  | { readonly status: 'interrupted'; readonly error?: ErrorReport };

export interface RunHandle {
  readonly id: string;
  /** The events of this leg, each once and in order, to its end. */
  events(): AsyncIterable<RunEvent>;
  /** Never rejects for a failed run. */
  result(): Promise<RunResult>;
  /** Cancels the run, whichever leg it is in and whether it runs or rests, unless it has ended. */
  cancel(by?: string): void;
  /** Ends the leg; the run stays resumable, and no server continues it before somebody resumes it. */
  stop(): void;
}

/** The workflow of a leg as it is now; without a plan the run keeps its own. */
export interface LegWorkflow {
  readonly plan?: WorkflowPlan;
  /** Runs the effects of the leg. Default: the backend's. Workers have their own. */
  readonly effects?: EffectRunner;
}

export interface BackendStartOptions extends RunOptions, LegOrigin, Pick<LegWorkflow, 'effects'> {
  /** File of the workflow, to find it again when the run is resumed. */
  readonly file?: string;
  /** The bound of a leg. Default: what `errand validate` prints for the plan. */
  readonly bound?: Bound;
  /**
   * Id of the run. When a run of this id exists with the same workflow and input, its handle is
   * returned and nothing is started; with another workflow or input it throws `validation.input`.
   * Default: a random id.
   */
  readonly id?: string;
  /** Called with the id of a new run, before anything of it happens. */
  readonly onCreated?: (run: string) => void;
  /**
   * Fingerprint of the request that the id stands for, and the only thing compared: when another
   * request started the run of this id, it throws `request.key_reused`.
   */
  readonly request?: string;
  /** Behaviour when the store stays away before the run exists. Default: as for existing runs. */
  readonly onOutage?: 'halt' | 'wait';
  /** Whether the run is only stored, for another process to execute. Default: false. */
  readonly isLeft?: boolean;
  /** Whether `answers` are stored with the run, for later legs too. Default: false. */
  readonly keepsAnswers?: boolean;
}

export interface BackendResumeOptions
  extends RunOptions, LegOrigin, Omit<ResumeRequest, 'traceparent'>, Pick<LegWorkflow, 'effects'> {
  /** Loads the workflow. Called only when the leg begins here, and before the run is claimed. */
  readonly workflow?: () => Promise<LegWorkflow>;
  /** Events of the run that the caller has read, from the first on; only later ones are read. */
  readonly known?: readonly RunEvent[];
  /** How many processes in a row died with the run. */
  readonly lostBefore?: number;
  /** Whether the resumption is only stored, for another process to execute. Default: false. */
  readonly isLeft?: boolean;
}

export interface CancelOptions extends Pick<RunOptions, 'onEvent'>, LegOrigin {
  /** Why, for the audit. */
  readonly reason?: string;
}

/** The part of a run that is followed. */
export interface FollowRequest {
  /** Number of the first event that is wanted. Default: 1. */
  readonly fromSeq?: number;
  /** Whether a run that is paused is followed until someone resumes it. */
  readonly throughPauses?: boolean;
}

/** A workflow as a server has it. */
export interface ServedPlan {
  readonly plan: WorkflowPlan;
  /** Changes with the text of its file. */
  readonly etag: string;
}

export interface Backend {
  /** The runs, for reading. */
  readonly store: ReadableStore;
  /** The log of a run as its own process reads it. Absent where the store does. */
  read?(run: string, fromSeq?: number): AsyncIterable<StoredCommit>;
  /** Absent where a server keeps the runs. */
  readonly archive?: RunArchive;
  start(plan: WorkflowPlan, input: JsonObject, options?: BackendStartOptions): Promise<RunHandle>;
  /** Resumes a run that is paused, interrupted or failed; or runs it again from a finished node. */
  resume(run: string, options?: BackendResumeOptions): Promise<RunHandle>;
  /** Answers a gate. Returns undefined when another process executes the run and has received the answer. */
  answer(
    run: string,
    answer: Answer,
    options?: BackendResumeOptions,
  ): Promise<RunHandle | undefined>;
  /** Cancels a run. Returns undefined when another process executes the run and has received the message. */
  cancel(run: string, by: string, options?: CancelOptions): Promise<RunHandle | undefined>;
  /** Follows the latest leg of a run, wherever it is executed. Rejects with `run.not_found`. */
  attach(run: string): Promise<RunHandle>;
  /** Every event of the latest leg as it is stored. Absent where the log is polled instead. */
  followed?(
    run: string,
    request?: FollowRequest,
  ): AsyncGenerator<readonly RunEvent[], void, undefined>;
  /** Rejects with `workflow.not_found`. Absent where workflows are files of this machine. */
  workflow?(name: string): Promise<ServedPlan>;
  /** Lists runs, newest first, with their current status. */
  list(query?: ListQuery): Promise<readonly RunSummary[]>;
  /** Says `interrupted` for a run whose row says `running` and whose process is gone. */
  statusOf(found: RunSummary): RunStatusName;
  /**
   * Leaves an answer for the process that executes the run, now or later. Refuses as `answer` does.
   * Resolves to the name of the gate.
   */
  leaveAnswer?(run: string, answer: Answer): Promise<string>;
  /** Absent where a server takes care of it. */
  readonly sharing?: RunSharing;
  /** Absent where runs keep their plans in another form than files have them. */
  readonly plans?: PlanComparison;
  /** Adds secrets of a workflow that was loaded after this backend was made. */
  learn(secrets: readonly string[]): void;
  close(): Promise<void>;
}

export interface PlanComparison {
  /** A plan as a run would store it, without these secrets of its own; nothing is stored or learned. */
  compared(plan: WorkflowPlan, secrets: readonly string[]): WorkflowPlan;
}

/** How processes on one store share its runs. */
export interface RunSharing {
  readonly work: SharedWork;
  /** Differs from that of every other process. */
  readonly id: string;
  /** Runs that can continue and that no live process has, those due for longest first. */
  due(query: Pick<DueQuery, 'workflows' | 'limit' | 'onDamage'>): Promise<readonly DueRun[]>;
  /** How many runs this process executes. */
  executing(): number;
  /**
   * Lets no run of this process begin a node or an effect. Stops what is still under way when `isOver`
   * resolves. Resolves when no run is executed here; the runs stay resumable.
   */
  drain(isOver: Promise<unknown>): Promise<void>;
}

/** Removes runs from a store for good, and takes over runs from files. */
export interface RunArchive {
  /** Rejects with `run.already_active` for a run that a process executes, and with `run.not_found`. */
  remove(run: string, by: string, at: string): Promise<RemovedRun>;
  /** The record of a removed run; null where none was removed. */
  tombstone(run: string): Promise<Tombstone | null>;
  /** Compacts the store. Returns false where runs are active: the long write would block theirs. */
  compact(): Promise<boolean>;
  /**
   * Adds a run in one commit, because a partial run would repeat its work. Rejects with
   * `store.corrupt` when the run lacks events that were exported.
   */
  add(run: ImportedRun, exported: LogWitness): Promise<void>;
}

/** The result by the last event of a log; `interrupted` when the latest leg has not ended. */
export function resultAt(last: RunEvent | undefined): RunResult {
  switch (last?.type) {
    case 'run:completed':
      return { status: 'completed', output: last.output };
    case 'run:failed':
      return { status: 'failed', error: last.error };
    case 'run:cancelled':
      return { status: 'cancelled' };
    case 'run:paused':
      return { status: 'paused', waiting: last.waiting };
    default:
      return { status: 'interrupted' };
  }
}

/** Whether a leg ends with this event. */
export function isRest(event: RunEvent | undefined): boolean {
  return resultAt(event).status !== 'interrupted';
}

/** The events from the latest start or resumption on. */
export function latestLeg(events: readonly RunEvent[]): readonly RunEvent[] {
  const begin = events.findLastIndex(
    ({ type }) => type === 'run:started' || type === 'run:resumed',
  );
  return events.slice(Math.max(0, begin));
}
