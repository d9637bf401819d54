/**
 * State of a run: the result of folding its events. Plain data that only `evolve` changes.
 *
 * A run is a tree of scopes. A scope is one line of control through one file: the workflow itself, a
 * sub-workflow, or the branch of a group member. It is at one node at a time, and its visit records
 * the progress at that node.
 */
import type { PreparedAnswer } from '../gates/prepared-answer.ts';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import type { AttemptSummary, ErrorReport } from '../../errors/report/report.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { InterferencePort } from '../ports/interference-port.ts';
import type { EffectInput } from '../decide/effect-input.ts';
import type { UnendedEffect } from '../policy/unended-effects.ts';
import type { UnknownOutcome } from '../policy/unknown-outcome.ts';
import type { FinishedCall } from '../conversation/finished-calls.ts';
import type {
  BudgetGate,
  EffectRef,
  KeptBackBy,
  Members,
  ModuleDigests,
  PromptFor,
  Waiting,
} from './events.ts';
import { LazyMap, LazySet } from './lazy-collections.ts';
import type { Amount, Estimate } from '../policy/pricing.ts';
import type { Ending } from '../decide/stop-effects.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Phase } from './visit-phase.ts';
import { newTimers, type Timers } from './timer-heap.ts';

/** The result of a node, as templates see it. */
export interface NodeResult {
  readonly output?: JsonValue;
  readonly error?: ErrorReport;
  /** Only for a group. */
  readonly outputs?: JsonValue;
  readonly errors?: JsonValue;
}

export interface Visit {
  readonly node: string;
  readonly path: string;
  /** How often the scope has been at this node, including this visit. */
  readonly number: number;
  /** Number of the current or the next attempt; 0 is the first. */
  attempt: number;
  phase: Phase;
  output: JsonValue | undefined;
  error: ErrorReport | undefined;
  /** The failed attempts of this visit. */
  attempts: AttemptSummary[];
  /** How often each retry or park route was taken in this visit, by table and index. */
  readonly routeUses: LazyMap<string, number>;
  /** Error routes before this position have already been tried for the current failure. */
  routesTried: number;
  startedAtMs: number;
  /** Number of the event that started the current attempt; absent in older snapshots. */
  startedSeq: number | undefined;
  /** Deadline of the current attempt; moved on by the time spent waiting for people. */
  deadlineMs: number | undefined;
  /** Time left for the current attempt while its clock is stopped; `deadlineMs` is then undefined. */
  leftMs: number | undefined;
  /** When to decide again, by the latest decision. Not in the log: it follows from it. */
  wakeAtMs: number | undefined;
  /** How often each effect was requested in this visit, by key. */
  readonly requestCounts: LazyMap<string, number>;
  /** The keys of the running effects. */
  readonly pending: LazySet<string>;
  /** Input of its effect, once that is requested. Not in the log: it follows from it. */
  input: EffectInput | undefined;
  /** Result that a failed check leaves to a resume, which repeats the check and nothing else. */
  checked: CheckedResult | undefined;
  /** A refused result, which this attempt checks again before it executes; absent in older snapshots. */
  recorded: Extract<CheckedResult, { type: 'refused' }> | undefined;
  /** The failed calls of its effect in the current attempt. */
  failedCalls: AttemptSummary[];
  /** Calls of the current attempt that an open breaker refused; absent in older snapshots. */
  turnedAway: number | undefined;
  /** Only for an agent or a supervisor. */
  conversation: Conversation | undefined;
  /** Spent by all attempts of the visit. */
  spent: Amount;
  /** A person has refused to raise the budget. */
  isBudgetRefused: boolean;
  /** Only for a tool: a person has approved the call that a guard asked about, for this attempt. */
  isApproved: boolean;
  /** Only for a group or a supervisor. */
  members: MemberCounts | undefined;
}

export type CheckedResult =
  /** An assertion failed on the result of the effect with this key. */
  | { readonly type: 'effect'; readonly key: string; readonly result: ScopeResult }
  /** The effect with this key was executed, and its result was refused. */
  | { readonly type: 'refused'; readonly key: string; readonly output: JsonValue }
  /** The node completed with this result, and none of its routes could be taken. */
  | { readonly type: 'node'; readonly result: NodeResult };

export interface MemberCounts extends Members {
  opened: number;
  succeeded: number;
  failed: number;
  /** Key of the first member that failed. */
  firstFailed: string | undefined;
}

export interface KeptResult extends Pick<ScopeResult, 'output' | 'errors'> {
  /**
   * The effect succeeded while an enclosing node stopped it; every retry of that node uses this
   * result.
   */
  readonly isStopped?: true;
}

export interface ScopeResult {
  readonly output?: JsonValue;
  /** Only for a scope: values of the route that ended it, over those of its output. */
  readonly over?: JsonObject;
  /** Only for a scope: a `terminate` node ended it, at any depth of its groups. */
  readonly isTerminated?: true;
  /** Only for an effect: why its output is partial. */
  readonly errors?: readonly ErrorReport[];
  readonly error?: ErrorReport;
  /** Only for an effect: the engine refused the call. */
  readonly keptBack?: KeptBackBy;
  /** Only for an effect: it was executed, and its output was refused. */
  readonly unusable?: true;
}

export interface Scope {
  /** Prefix of all paths in it: empty for the run, `one` for a child, `each[42]` for a branch. */
  readonly id: string;
  readonly kind: 'workflow' | 'branch';
  /** The key of its plan; empty for the run's own file. */
  readonly file: string;
  /** The scope whose node runs this one. */
  readonly parent: string | undefined;
  /** Only for a branch: the key of its member. */
  readonly key: string | undefined;
  /** Results of the nodes that ran here. A branch sees outer results through its parent. */
  readonly nodeResults: LazyMap<string, NodeResult>;
  readonly loop: JsonObject;
  readonly visits: LazyMap<string, number>;
  /** Input of the workflow; a branch shares input and state with its workflow. */
  readonly input: JsonObject;
  readonly state: LazyMap<string, JsonValue>;
  /** The latest failure that an error route handled. */
  failing:
    | { readonly node: string; readonly error: ErrorReport; readonly output: JsonValue }
    | undefined;
  /** The node that led to the current one, in every attempt of it. */
  last: string | undefined;
  starts: number;
  /** Only for a workflow: re-runs of nodes in it and in its sub-workflows. */
  retries: number;
  /** Only for a workflow: start of its clock, moved on by the time it was stopped. */
  clockFromMs: number;
  /** Open gates inside it: how many, and since when they stop the clocks of attempts. */
  held: { count: number; sinceMs: number };
  /** Spent in it and in everything that it runs. */
  spent: Amount;
  /** Sum of what people have added to its budgets. */
  raised: Amount;
  /** A budget in `audit` mode was exceeded, and the warning was given. */
  isWarned: boolean;
  /** True inside a failed node: nothing runs here until the run is resumed. */
  isFrozen: boolean;
  /**
   * Id of the scope whose decision ends this one: its effects are being stopped, and nothing else
   * happens here. Not in the log: it follows from it.
   */
  stoppedFor: string | undefined;
  /** The nodes it has been at, so that it can be rewound. */
  readonly visitLog: VisitEntry[];
  visit: Visit | undefined;
  result: ScopeResult | undefined;
}

/** The state of a scope when it entered a node, so that the visit can be undone. */
export interface VisitEntry {
  readonly node: string;
  readonly result: NodeResult | undefined;
  readonly last: string | undefined;
  readonly failing: Scope['failing'];
  /** In a workflow: the shared values before the visit, of the keys that were written in it. */
  state: (readonly [key: string, before: JsonValue | undefined])[];
  /** In a workflow: what the branches inside the visit wrote, in order, until it completes. */
  writes?: StateWrite[];
  /** In a branch: numbers of the events in which it, or what ran inside it, wrote. */
  wroteAt: number[];
  /** The node completed: its changed text is drift. */
  isFinished?: true;
  /** The nodes that completed in scopes inside the visit that are gone. */
  finishedInside?: FinishedNodes;
}

/** Names of nodes by their file. */
export type FinishedNodes = Map<string, Set<string>>;

/** A write into the shared state, before it was merged. */
export type StateWrite = readonly [seq: number, key: string, value: JsonValue];

export type RunStatus = 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';

export interface PendingEffect {
  readonly scope: string;
  readonly effect: EffectRef;
  readonly attempt: number;
  /** Its input, where the file or the input of the run has changed since. */
  readonly input?: EffectInput | undefined;
}

export interface OpenGate {
  readonly scope: string;
  /** Number of the event that opened it; a snapshot of an earlier version has none. */
  readonly opening?: number;
  readonly options: readonly JsonValue[];
  /** The options that also require a text. */
  readonly promptFor?: readonly PromptFor[];
  readonly deadlineMs: number | undefined;
  /** The budget that this gate may raise. */
  readonly budget: BudgetGate | undefined;
}

/** An approval of more than one call of a tool. */
export interface Grant {
  readonly gate: string;
  readonly by: string;
}

/** Pause of a model or a provider, for all calls of the run. */
export interface Cooldown {
  readonly untilMs: number;
  /** Key of the effect that calls first when the pause is over. */
  probe: string | undefined;
}

/** A member of a running group, opened or not. */
export interface BranchLocation {
  readonly group: string;
  readonly index: number;
}

/** The legs of a run so far, with the context of their traces. */
export interface Legs {
  readonly count: number;
  readonly first?: string | undefined;
  /** The context of the leg before the latest. */
  readonly previous?: string | undefined;
  readonly last?: string | undefined;
}

export interface RunState {
  readonly run: string;
  /** Replaced when a run is resumed with a file that changed. */
  plan: WorkflowPlan;
  status: RunStatus;
  readonly scopes: Map<string, Scope>;
  /** The branches of the groups that are running, opened or not, by the id of their scope. */
  readonly branches: LazyMap<string, BranchLocation>;
  /** Scopes with something to decide, oldest first. */
  readonly ready: LazySet<string>;
  readonly effects: LazyMap<string, PendingEffect>;
  /** Effects that may have happened, by key, until a person or a route decides about them. */
  readonly unknownOutcomes: LazyMap<string, UnknownOutcome>;
  /** Effects that are not known to have ended, by key. */
  readonly unendedEffects: LazyMap<string, UnendedEffect>;
  /** The keys of its effects have 16 digits, as before they were wide. */
  hasShortKeys?: true;
  /** Results that are used in place of an execution, by key of the effect. */
  readonly keptResults: LazyMap<string, KeptResult>;
  /** Ends that wait until all effects have stopped, by deciding scope. Not in the log, as above. */
  readonly endings: LazyMap<string, Ending>;
  /** Tool calls that are not repeated, by their hash, until the run has moved past them. */
  readonly finishedCalls: LazyMap<string, readonly FinishedCall[]>;
  readonly gates: LazyMap<string, OpenGate>;
  /** How many conversations asked for approvals, by path: keeps the names of their gates distinct. */
  readonly approvals: LazyMap<string, number>;
  /** Lasting approvals, by node or run and tool. */
  readonly grants: LazyMap<string, Grant>;
  /** How often each node has called each model, by path and model. */
  readonly modelRequests: LazyMap<string, number>;
  /** Model requests of this leg so far, and the most it may make; null: unbounded. */
  readonly legRequests: { made: number; most: number | null };
  /** Only for traces: nothing is decided by it. Absent in older snapshots. */
  legs?: Legs;
  /** Digests of the files of its modules, as they were last loaded for it. */
  modules?: ModuleDigests;
  /** Pauses of models and providers that every call of the run observes. */
  readonly cooldowns: LazyMap<string, Cooldown>;
  /** Estimated cost of running calls, by key. */
  readonly reservations: LazyMap<string, Estimate & { readonly scope: string }>;
  /** Conversations that wait for another call to end: for its probe, or for its reserved budget. */
  readonly heldBack: LazySet<string>;
  readonly timers: Timers;
  /** The time of the latest event or of the current step. */
  nowMs: number;
  /** Number of the latest event. */
  seq: number;
  /** When the run was paused or ended, and its clocks stopped. */
  stoppedAtMs: number | undefined;
  /** False when no person can be asked. */
  hasPeople: boolean;
  /** Answers that were given with the start, and how often each gate has opened. */
  prepared?: {
    readonly answers: readonly PreparedAnswer[];
    readonly openings: LazyMap<string, number>;
  };
  /** Not in the log until the run has ended. */
  cancelledBy: string | undefined;
  /** Given with the cancellation, and not in the log until the run has ended. */
  cancelReason?: string | undefined;
  waiting: Waiting | undefined;
  output: JsonValue | undefined;
  error: ErrorReport | undefined;
  /** Knows the secret values that no event may contain. Set by the engine; in no snapshot. */
  redactor?: Redactor | undefined;
  /** Only in a rehearsal. Set by the engine; in no snapshot. */
  interference?: InterferencePort | undefined;
}

export const ROOT_SCOPE = '';

export const ZERO_AMOUNT: Amount = { usdMicros: 0, tokens: 0 };

export function newRunState(run: string, plan: WorkflowPlan): RunState {
  return {
    run,
    plan,
    status: 'running',
    scopes: new Map(),
    branches: new LazyMap(),
    ready: new LazySet(),
    effects: new LazyMap(),
    unknownOutcomes: new LazyMap(),
    unendedEffects: new LazyMap(),
    keptResults: new LazyMap(),
    endings: new LazyMap(),
    finishedCalls: new LazyMap(),
    gates: new LazyMap(),
    approvals: new LazyMap(),
    grants: new LazyMap(),
    modelRequests: new LazyMap(),
    legRequests: { made: 0, most: null },
    cooldowns: new LazyMap(),
    reservations: new LazyMap(),
    heldBack: new LazySet(),
    timers: newTimers(),
    nowMs: 0,
    seq: 0,
    stoppedAtMs: undefined,
    hasPeople: true,
    cancelledBy: undefined,
    waiting: undefined,
    output: undefined,
    error: undefined,
  };
}

export function newVisit(node: string, path: string, number: number): Visit {
  return {
    node,
    path,
    number,
    attempt: 0,
    phase: { type: 'entering' },
    output: undefined,
    error: undefined,
    attempts: [],
    routeUses: new LazyMap(),
    routesTried: 0,
    startedAtMs: 0,
    startedSeq: undefined,
    deadlineMs: undefined,
    leftMs: undefined,
    wakeAtMs: undefined,
    requestCounts: new LazyMap(),
    pending: new LazySet(),
    input: undefined,
    checked: undefined,
    recorded: undefined,
    failedCalls: [],
    turnedAway: undefined,
    conversation: undefined,
    spent: ZERO_AMOUNT,
    isBudgetRefused: false,
    isApproved: false,
    members: undefined,
  };
}
