/**
 * What client, workflow and worker say to one another. JSON all through and versioned, because they
 * need not be of one version: a run may outlive the deployment that began it.
 */
import type { JsonObject, JsonValue } from '../../errors/json.ts';
import type { Suppressed, Used } from '../../effects/effect.ts';
import type { EffectRequest } from '../../machine/effect-request.ts';
import type { Bound, RunEvent, Waiting } from '../../machine/events.ts';
import type { Snapshot } from '../../machine/snapshot.ts';
import type { RunStatus } from '../../machine/state.ts';
import type { RunStanding } from '../../machine/store-port.ts';
import type { WorkflowPlan } from '../../workflow/model.ts';
import type { BreakerChange } from '../breakers.ts';
import type { GoingOn } from '../going-on.ts';
import type { PreparedAnswer } from '../prepared-answers.ts';

/** The name of the workflow as Temporal shows it. */
export const WORKFLOW_TYPE = 'errandRun';
/** The one activity: one try of one effect. */
export const ACTIVITY_TYPE = 'errandEffect';
/** Reads of the execution before what is too large to be handed over. */
export const STATE_ACTIVITY = 'errandState';

export const QUERIES = { events: 'errand_events', record: 'errand_record', state: 'errand_state' };
/** Who is about to cancel the run, which a cancellation itself does not say. */
export const CANCELLED_BY = 'errand_cancelled_by';
export const UPDATES = { resume: 'errand_resume', answer: 'errand_answer' };

/** Of Temporal's own lists: what a run is of, how it stands, and the kind that it failed with. */
export const ATTRIBUTES = {
  workflow: 'ErrandWorkflow',
  status: 'ErrandStatus',
  kind: 'ErrandKind',
} as const;
/** Where the same stands without search attributes, which a namespace has to be given first. */
export const MEMO = 'errand';

/** Fixed when a run is started, so that a replay decides the same. */
export interface RunSettings {
  /** A worker that is silent for so long is taken for dead. */
  readonly heartbeatMs: number;
  /** Whether the namespace has our search attributes. */
  readonly hasAttributes: boolean;
  /** Continue as new after so many events of Temporal's history. Default: when it suggests so. */
  readonly maxHistoryEvents?: number;
}

export interface LegSettings {
  /** Waits of any length are waited out instead of pausing the run. */
  readonly wait?: boolean;
  readonly answers?: readonly PreparedAnswer[];
  /** How many of them each gate has had. */
  readonly answersUsed?: readonly [string, number][];
}

export type Begin =
  /** Runs that an earlier version began have no bound. */
  | { readonly type: 'start'; readonly gates?: false; readonly bound?: Bound }
  | { readonly type: 'resume'; readonly how: GoingOn }
  | { readonly type: 'cancel'; readonly by: string }
  /** The same leg, in a new execution because the history grew long. */
  | { readonly type: 'continue' };

/** What does not change in the life of a run. */
export interface RunIdentity {
  readonly run: string;
  readonly workflow: string;
  readonly file: string | null;
  /** As it was started with it. */
  readonly plan: WorkflowPlan;
  readonly input: JsonObject;
  readonly startedAt: string;
}

export interface RunInput {
  readonly v: 1;
  readonly identity: RunIdentity;
  readonly begin: Begin;
  readonly leg: LegSettings;
  readonly settings: RunSettings;
  /** Where the run stands, unless it begins; absent also where it is too large, and read of `before`. */
  readonly snapshot?: Snapshot;
  /** The execution that has the events before, and the number of the first event of this one. */
  readonly before?: { readonly execution: string; readonly nextSeq: number };
}

/** A piece of the text of a snapshot, which may be larger than anything that Temporal carries. */
export interface StatePart {
  readonly text: string;
  /** How many there are. */
  readonly parts: number;
}

export interface StateTask {
  readonly run: string;
  readonly execution: string;
  readonly part: number;
}

export interface EventsPage {
  readonly events: readonly RunEvent[];
  /** Number of the latest event of this execution. */
  readonly lastSeq: number;
  readonly status: RunStatus;
  readonly firstSeq: number;
  /** The execution that has the events before the first. */
  readonly before?: string;
}

/** What is known of a run without its events. */
export interface RunFacts extends RunIdentity {
  readonly standing: RunStanding;
  readonly lastSeq: number;
}

/** In the memo of the execution, readable without any worker. */
export interface RunMemo {
  readonly workflow: string;
  readonly file: string | null;
  readonly status: RunStatus;
  readonly kind?: string;
  readonly message?: string;
  readonly waiting?: Waiting;
  readonly costUsdMicros: number;
  readonly startedAt: string;
}

export interface EffectTask {
  readonly v: 1;
  readonly run: string;
  /** The workflow's file, relative to the folder of whoever loaded it. */
  readonly file: string;
  /** Paths of modules with the extensions of the workflow, relative as the file is. */
  readonly extensions?: readonly string[];
  readonly request: EffectRequest;
}

/** What a successful try gives back. */
export interface EffectDone extends Used {
  readonly output: JsonValue;
  readonly suppressed?: readonly Suppressed[];
  readonly changes?: readonly BreakerChange[];
}

/** What goes with the report of a try that failed. */
export interface EffectRest extends Used {
  readonly output?: JsonValue;
  readonly suppressed?: readonly Suppressed[];
  readonly changes?: readonly BreakerChange[];
  readonly isLost?: boolean;
}
