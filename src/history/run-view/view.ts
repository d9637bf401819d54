/**
 * The view of a run: everything on its page, folded from its events. The server makes it from the
 * log, and the page continues from there. A view never changes; folding an event gives the next
 * one, which shares all unchanged parts.
 */
import type { PersonReport } from '../../errors/report/audiences.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import type { MoveType } from '../../workflow/plan/route-plan.ts';
import type { Estimate } from '../../machine/policy/pricing.ts';
import type { EffectRef, PromptFor, RouteBucket, Waiting } from '../../machine/state/events.ts';
import type { LedgerRow } from './ledger-row.ts';
import type { List } from './shared-list.ts';
import type { Places } from './places.ts';

/** Facts about a run beside its events. */
export interface ViewedRunFacts {
  readonly run: string;
  readonly workflow: string;
  readonly startedAt: string;
  /** Budgets of the whole run, from its plan. */
  readonly budget?: RunBudget;
  /** Default: as the first event has it. */
  readonly input?: JsonValue;
}

export interface RunBudget {
  readonly usdMicros?: number;
  readonly tokens?: number;
}

/** The status in the log; only the server knows that a process is gone (`interrupted`). */
export type LoggedStatus = 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';

export interface RunView extends Omit<ViewedRunFacts, 'input'> {
  /** Number of the last event in it; 0 before the first. An event that it has already changes nothing. */
  readonly seq: number;
  readonly status: LoggedStatus;
  /** Time of the last event. */
  readonly at: string;
  /** When it completed, failed or was cancelled; absent while it may still do something. */
  readonly endedAt?: string;
  /** Stretches in which the run was executed; between them it was paused, failed or interrupted. */
  readonly legs: readonly Leg[];
  /** As it is now: what a resumption replaced is part of it. */
  readonly input: JsonValue;
  readonly output?: JsonValue;
  /** The failure that the run ended with. */
  readonly error?: PersonReport;
  /** The waits of a paused run. */
  readonly waiting?: Waiting;
  /** The context of the trace of its latest leg. */
  readonly traceparent?: string;
  /** Who cancelled it, and why. */
  readonly cancelled?: { readonly by: string; readonly reason?: string };
  /** Every place in the run where a node has started, in the order of their first start. */
  readonly steps: List<StepView>;
  /** How many steps of a long run were not sent: they have ended and hold no others. */
  readonly leftOut?: number;
  /** Where in `steps` each path is. */
  readonly places: Places;
  /** How many steps have not ended. */
  readonly open: number;
  /** Routes in the order in which each was first taken. */
  readonly routes: readonly TakenRoute[];
  /** Questions that nobody has answered yet, in the order in which they were asked. */
  readonly gates: readonly OpenGate[];
  /** Answers that were given, in their order. */
  readonly answers: List<GivenAnswer>;
  readonly costs: ViewCosts;
  /** Warnings and failures that changed nothing. */
  readonly notes: List<ViewNote>;
}

/** One stretch of execution. */
export interface Leg {
  readonly from: string;
  /** Absent while it is executed. */
  readonly to?: string;
  readonly cause: 'started' | 'resumed';
  /** Who resumed it. */
  readonly by?: string;
  /** Number of the event that began it. */
  readonly seq: number;
}

/** As `nodes[].status` of `errand show`. */
export type StepStatus = 'running' | 'waiting' | 'completed' | 'failed' | 'skipped' | 'cancelled';

/** A field that says nothing is undefined, and absent in JSON. */
export interface StepView {
  readonly path: string;
  readonly node: string;
  readonly status: StepStatus;
  readonly startedAt: string;
  readonly endedAt?: string | undefined;
  /** First and last event of it. */
  readonly firstSeq: number;
  readonly lastSeq: number;
  /** How often it was started. */
  readonly attempts: number;
  /** Each start, the first one first. */
  readonly tries: List<TryView>;
  /** The failure that it ended with or waits with; a failure that was handled by a new try is in `failures`. */
  readonly error?: PersonReport | undefined;
  /** Every failure of the step and its calls, handled or not, the earliest first. */
  readonly failures: List<StepFailure>;
  /** Its stretches of time, for the time axis. */
  readonly bars: List<Bar>;
  /** Members of a group, by how they ended. */
  readonly members?: MemberCounts | undefined;
  /** The workflow of a `workflow` node. */
  readonly child?: string | undefined;
  /** Other steps run inside it. */
  readonly holds: boolean;
  /** How many of those have not ended. */
  readonly openInside: number;
  /** Ended calls of models, tools, scripts and functions so far. */
  readonly calls: number;
  readonly costUsdMicros: number;
  readonly tokens: number;
  /** The model or tool that was called last. */
  readonly target?: string | undefined;
  /** Calls under way, in the order in which they began. */
  readonly pending: readonly PendingCall[];
  /** Text of its model while it comes. */
  readonly live?: LiveText | undefined;
  /** How it counts among the members of its group, once its branch has ended with it. */
  readonly counted?: 'succeeded' | 'failed' | undefined;
  /** The row of its latest reply without tool calls, which may still be sent back. */
  readonly answerRow?: number | undefined;
  /** The row of the latest output that its judge may still refuse. */
  readonly judgedRow?: number | undefined;
}

export interface TryView {
  /** 0 for the first one since it was last entered anew. */
  readonly attempt: number;
  readonly startedAt: string;
  readonly endedAt?: string;
  readonly seq: number;
  readonly status: 'running' | 'completed' | 'failed' | 'skipped' | 'cancelled';
  /** The failure that it ended with. */
  readonly error?: PersonReport;
  readonly calls: number;
  readonly costUsdMicros: number;
}

export interface StepFailure {
  readonly seq: number;
  readonly at: string;
  /** Which of `tries` it happened in. */
  readonly inTry: number;
  /** Whether a call failed (a model, a tool, …) or the node itself. */
  readonly layer: 'call' | 'node';
  readonly target?: string;
  readonly costUsdMicros?: number;
  readonly error: PersonReport;
  /** The route that took it, once one has. */
  readonly route?: TakenRoute;
  /** `handled`, or `open` while nothing has handled it and when it ended the run. */
  readonly fate: 'open' | 'handled';
}

/** A stretch of time in the life of a step. */
export interface Bar {
  /** `wait`: for a time; `person`: for an answer or a person who resumes it. */
  readonly kind: 'work' | 'backoff' | 'wait' | 'person';
  readonly from: string;
  /** Absent while it lasts. */
  readonly to?: string;
  /** When a wait ends by itself. */
  readonly until?: string;
  /** Which of `tries` it belongs to. */
  readonly inTry: number;
}

export interface MemberCounts {
  readonly all: number;
  readonly succeeded: number;
  readonly failed: number;
}

export interface PendingCall {
  readonly node: string;
  readonly path: string;
  readonly key: string;
  readonly type: EffectRef['type'];
  readonly target: string;
  readonly attempt: number;
  readonly at: string;
  readonly seq: number;
  /** The amount that the budget counts for it until its cost is known. */
  readonly reserves?: Estimate;
  /** It asks the model that judges the output of the agent. */
  readonly judges?: true;
}

export interface LiveText {
  readonly attempt: number;
  readonly text: string;
}

/** A route at its place in the graph, as it was last taken there. */
export interface TakenRoute {
  readonly seq: number;
  readonly at: string;
  /** How often it was taken, in all members of a group together. */
  readonly count: number;
  readonly node: string;
  readonly path: string;
  readonly move: MoveType;
  /** The node that runs next, or `$end`. */
  readonly to?: string;
  readonly rule?: number;
  readonly bucket: RouteBucket;
  /** The kind of the failure that was routed. */
  readonly kind?: string;
  readonly until?: string;
}

export interface OpenGate {
  readonly gate: string;
  readonly node: string;
  readonly path: string;
  readonly seq: number;
  readonly openedAt: string;
  readonly prompt: string;
  readonly options: readonly JsonValue[];
  readonly promptFor?: readonly PromptFor[];
  readonly deadline?: string;
  /** A budget that an answer may raise. */
  readonly budget?: { readonly limit: number; readonly unit: 'usd' | 'tokens' };
}

export interface GivenAnswer {
  readonly gate: string;
  readonly path: string;
  readonly at: string;
  readonly seq: number;
  /** Absent where its time was over. */
  readonly value?: JsonValue;
  readonly by?: string;
}

export interface ViewNote {
  readonly seq: number;
  readonly at: string;
  readonly type: 'warning' | 'suppressed' | 'budget' | 'breaker';
  readonly text: string;
  readonly error?: PersonReport;
}

export interface CostSum {
  readonly calls: number;
  readonly usdMicros: number;
  /** Cost of calls that failed, were given up or whose reply was sent back. */
  readonly failedUsdMicros: number;
  readonly tokens: number;
  /** Some of it is an estimate. */
  readonly estimated?: true;
  /** Some of it was charged by a model without a known price. */
  readonly unpriced?: true;
}

export interface ViewCosts {
  /** Calls that have ended; those under way are in `open`. */
  readonly total: CostSum;
  /** By the node's name, in the order of their first call. */
  readonly byNode: readonly (CostSum & { readonly name: string })[];
  /** By what was called. */
  readonly byTarget: readonly (CostSum & { readonly name: string; readonly type: string })[];
  /** Every call that has ended, the first one first. */
  readonly rows: List<LedgerRow>;
  /** Calls that have not ended, in the order in which they began. */
  readonly open: readonly PendingCall[];
  /** Rows whose reply did not fit its schema and was sent back. */
  readonly sentBack: readonly number[];
}
