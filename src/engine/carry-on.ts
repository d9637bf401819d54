/**
 * The interface of what a server does beside the requests it answers: `engine.carryOn(…)` continues runs,
 * `engine.keepSchedules(…)` starts runs by the clock, and `engine.outbox()` has what is to be sent. The
 * option `adopt: true` of the library is `carryOn` for all workflows.
 */
import type { ErrorReport } from '../errors/report/report.ts';
import type { JsonObject } from '../errors/support/safe-json.ts';
import type {
  Delivery,
  DeliveryResult,
  Endpoint,
  EndpointState,
} from '../machine/ports/shared-work-port.ts';
import type { RunEvent } from '../machine/state/events.ts';
import type { RunnableWorkflow } from './errand-options.ts';

export type {
  Delivery,
  DeliveryResult,
  Endpoint,
  EndpointState,
} from '../machine/ports/shared-work-port.ts';

export interface CarryOnOptions {
  /** The names of the workflows whose runs are resumed, asked at every poll. Default: all. */
  readonly workflows?: () => readonly string[];
  /**
   * The file that is served under this name, whatever its path was where the run was started. Default:
   * the file that the run was started with; a workflow in code is found among `workflows` of the engine.
   */
  readonly fileOf?: (name: string) => string | undefined;
  /** The most runs that this process executes at a time, started ones too. Default: no limit. */
  readonly maxRuns?: number;
  /** Default: that of the engine. */
  readonly onWarning?: (error: ErrorReport) => void;
}

export interface CarryingOn {
  /** False while this process executes as many runs as it may: starting and resuming are refused with 429. */
  hasRoom(): boolean;
  /**
   * Reserves a place for a run that is about to start, so that requests at the same moment do not go
   * over the limit together; undefined when there is none. Call the result when the run has begun, or
   * was refused.
   */
  reserve(): (() => void) | undefined;
  /**
   * Takes no more runs, and lets no run of this process begin a node or an effect. Effects under way have
   * `graceMs` to end (default 8000); then they are stopped. The runs stay resumable, and any server may
   * continue them. Resolves when all of them are over; a second call ends the grace.
   */
  stop(options?: { readonly graceMs?: number }): Promise<void>;
}

export interface ScheduleOptions {
  /** The workflows that are served, asked at every poll. Those without a schedule are passed over. */
  readonly workflows: () => Promise<readonly RunnableWorkflow[]> | readonly RunnableWorkflow[];
  /** Starts the run of a tick. Default: `engine.start`. */
  readonly start?: (workflow: RunnableWorkflow, options: TickRun) => Promise<unknown>;
  /** Reserves a place for a run; a tick waits while there is none. */
  readonly carrying: Pick<CarryingOn, 'reserve'>;
  readonly onWarning?: (error: ErrorReport) => void;
}

/** The input of a scheduled run, and the id that makes it one run for its tick. */
export interface TickRun {
  readonly input: JsonObject;
  readonly id: string;
  /** Nobody asks for the run of a schedule, so it belongs to no trace. */
  readonly trace: null;
}

export interface KeepingSchedules {
  stop(): Promise<void>;
}

/** One entry of `workflow.schedule`, and its latest result. */
export interface ScheduleState {
  readonly cron: string;
  readonly timezone: string;
  readonly overlap: 'skip' | 'queue';
  readonly input?: JsonObject;
  /** ISO 8601; null when it never comes again. */
  readonly next: string | null;
  /** The latest tick that a server saw. */
  readonly last?: ScheduleTick;
  /** Ticks that wait for the run before them. */
  readonly queued?: number;
}

export interface ScheduleTick {
  /** ISO 8601: the time that the expression names. */
  readonly at: string;
  /** The run that it started; absent where it was skipped or refused. */
  readonly run?: string;
  readonly outcome: 'started' | 'skipped' | 'refused';
  /** Why it was refused. */
  readonly error?: { readonly kind: string; readonly message: string };
}

/** A schedule as servers have noted it in the store. */
export interface KeptSchedule extends ScheduleState {
  readonly workflow: string;
  /** ISO 8601: a tick that came while no server served the workflow. */
  readonly missed?: string;
  /** Whether `last` is later than the clock of the store, which was ahead then or is behind now. */
  readonly isAhead?: boolean;
}

/** Notes of servers in the store. */
export interface ServerNotes {
  readonly schedules: readonly KeptSchedule[];
  readonly endpoints: readonly EndpointState[];
}

/** Messages that wait to be sent to endpoints, in the store that all servers share. */
export interface Outbox {
  /** From the first call on, notices of all runs of the store are kept for it. */
  add(endpoint: Endpoint): Promise<void>;
  state(): Promise<readonly EndpointState[]>;
  take(endpoints: readonly string[], limit: number): Promise<readonly OutgoingNotice[]>;
  settle(notice: OutgoingNotice, result: DeliveryResult): Promise<void>;
}

/** A delivery with the event that it is about; null when the run was removed. */
export interface OutgoingNotice extends Delivery {
  readonly workflow: string;
  readonly event: RunEvent | null;
}
