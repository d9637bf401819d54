/**
 * Messages between client, workflow and worker. JSON all through and versioned, because the three may
 * be of different versions: a run may outlive the deployment that started it.
 */
import { readProperty, type JsonObject, type JsonValue } from '../../errors/support/safe-json.ts';
import type { Suppressed } from '../../effects/effect-port.ts';
import type { Used } from '../../providers/pricing/counted-usage.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import type { TraceCarrier } from '../../machine/ports/trace-carrier.ts';
import type { Bound, KeptBackBy, RunEvent, Waiting } from '../../machine/state/events.ts';
import type { Snapshot } from '../../machine/state/snapshot.ts';
import type { RunStatus } from '../../machine/state/state.ts';
import type { RunStatusRow } from '../../machine/ports/store-port.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { BreakerChange } from '../run/breakers.ts';
import type { ResumeRequest } from '../run/resume.ts';
import type { SecretReferences } from './secrets/secret-marks.ts';
import type { PreparedAnswer } from '../run/prepared-answers.ts';

/** The name of the workflow as Temporal shows it. */
export const WORKFLOW_TYPE = 'errandRun';
/** The one activity: one call of one effect. */
export const ACTIVITY_TYPE = 'errandEffect';
/** Opens the span of a leg, so that its first event has the context. */
export const LEG_ACTIVITY = 'errandLeg';
/** Reads of the execution before what is too large to be handed over. */
export const STATE_ACTIVITY = 'errandState';

export const QUERIES = { events: 'errand_events', record: 'errand_record', state: 'errand_state' };
/** Who is about to cancel the run; Temporal's cancellation does not carry that. */
export const CANCELLED_BY = 'errand_cancelled_by';
export const UPDATES = { resume: 'errand_resume', answer: 'errand_answer' };

/** Search attributes for Temporal's own lists: workflow, status, and the kind of the failure. */
export const ATTRIBUTES = {
  workflow: 'ErrandWorkflow',
  status: 'ErrandStatus',
  kind: 'ErrandKind',
} as const;
/** The same facts in the memo, for namespaces without the search attributes. */
export const MEMO = 'errand';

/** Fixed when a run is started, so that a replay decides the same. */
export interface RunSettings {
  /** A worker that is silent for so long is taken for dead. */
  readonly heartbeatMs: number;
  /** Whether the namespace has our search attributes. */
  readonly hasAttributes: boolean;
  /** The client traces: a worker is asked for the context of each leg before it begins. */
  readonly isTraced?: true;
  /** Continue as new after so many events of the run. Default: when Temporal suggests so. */
  readonly maxHistoryEvents?: number;
}

export interface LegSettings {
  /** Waits of any length are waited out instead of pausing the run. */
  readonly wait?: boolean;
  readonly answers?: readonly PreparedAnswer[];
  /** How many of them each gate has had. */
  readonly answersUsed?: readonly [string, number][];
  /** The trace of the caller that began the leg. */
  readonly trace?: TraceCarrier | undefined;
  /** Only for a leg that continues in a new execution: what its span says of its beginning. */
  readonly begun?: { readonly startMs: number; readonly cause: string | undefined } | undefined;
}

export type Begin =
  /** Runs that an earlier version began have no bound. */
  | { readonly type: 'start'; readonly gates?: false; readonly bound?: Bound }
  | { readonly type: 'resume'; readonly how: ResumeRequest }
  | { readonly type: 'cancel'; readonly by: string }
  /** The same leg, in a new execution because the history grew long. */
  | { readonly type: 'continue' };

/** The constant part of a run. */
export interface RunIdentity {
  readonly run: string;
  readonly workflow: string;
  readonly file: string | null;
  /** The plan that it was started with. */
  readonly plan: WorkflowPlan;
  readonly input: JsonObject;
  readonly startedAt: string;
  /** Random, in the marks for its secrets. Runs that an earlier version began have none. */
  readonly seal?: string;
}

export interface RunInput {
  readonly v: 1;
  readonly identity: RunIdentity;
  readonly begin: Begin;
  readonly leg: LegSettings;
  readonly settings: RunSettings;
  /**
   * The state of the run; absent for a new one, and where it is too large and has to be read from
   * `before`.
   */
  readonly snapshot?: Snapshot;
  /** The execution that has the events before, and the number of the first event of this one. */
  readonly before?: { readonly execution: string; readonly nextSeq: number };
}

/** A piece of a text that may be larger than anything that Temporal carries. */
export interface TextPart {
  readonly text: string;
  /** How many there are. */
  readonly parts: number;
  /** The number of the latest event in a state. Parts of different states are never joined. */
  readonly seq?: number;
}

export interface StateTask {
  readonly run: string;
  readonly execution: string;
  readonly part: number;
  /** The number of the latest event of the state whose part it is. Default: the state as it is. */
  readonly seq?: number | undefined;
}

export interface EventsPage {
  readonly events: readonly RunEvent[];
  /** Instead of events: a piece of the text of one that no answer can hold as a whole. */
  readonly piece?: TextPart;
  /** Number of the latest event of this execution. */
  readonly lastSeq: number;
  readonly status: RunStatus;
  readonly firstSeq: number;
  /** The execution that has the events before the first. */
  readonly before?: string;
}

/** The summary of a run, without its events. */
export interface RunFacts extends RunIdentity {
  /** As in the memo, as far as what the run waits for is concerned. */
  readonly statusRow: RunStatusRow & Pick<RunMemo, 'isCut'>;
  readonly lastSeq: number;
}

/** In the memo of the execution, readable without a worker. */
export interface RunMemo {
  readonly workflow: string;
  readonly file: string | null;
  readonly status: RunStatus;
  readonly kind?: string;
  readonly message?: string;
  readonly waiting?: Waiting;
  /** Some of what the run waits for is left out; its last event has all of it. */
  readonly isCut?: true;
  readonly costUsdMicros: number;
  readonly startedAt: string;
}

export interface EffectTask {
  readonly v: 1;
  readonly run: string;
  /** The workflow's file, relative to the folder of the process that loaded it. */
  readonly file: string;
  /** Paths of modules with the extensions of the workflow, relative as the file is. */
  readonly extensions?: readonly string[];
  readonly request: EffectRequest;
  /** Absent for a run without secrets. */
  readonly secrets?: SecretReferences;
  /** The trace of the leg. */
  readonly trace?: TraceCarrier | undefined;
}

/** The result of a successful call. */
export interface EffectDone extends Used {
  readonly output: JsonValue;
  readonly suppressed?: readonly Suppressed[];
  readonly changes?: readonly BreakerChange[];
  readonly isReplayed?: true;
}

/** The details beside the report of a failed call. */
export interface EffectRest extends Used {
  readonly output?: JsonValue;
  readonly suppressed?: readonly Suppressed[];
  readonly changes?: readonly BreakerChange[];
  readonly isLost?: boolean;
  readonly isUnusable?: true;
  readonly keptBack?: KeptBackBy;
}

/** Stands where Temporal shows the output of a run, if that is too large to be shown. */
export const OUTPUT_IN_LOG = { errand: 'the output is in the last event of the run' } as const;

/**
 * Also true of an output that happens to be equal, which does no harm: the last event has every
 * output.
 */
export function isInLog(output: unknown): boolean {
  return readProperty(output, 'errand') === OUTPUT_IN_LOG.errand;
}
