/**
 * The state of a run: what its events add up to. Plain data, owned and changed by `evolve` alone.
 *
 * A run is a tree of scopes. A scope is one line of control through one file: the workflow itself, a
 * sub-workflow, or the branch of a group's member. It is at one node at a time, and that visit says
 * how far it has got.
 */
import type { JsonObject, JsonValue } from '../errors/json.ts';
import type { AttemptSummary, ErrorReport } from '../errors/report.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import type { EffectWork } from './effect-work.ts';
import type { Doubt } from './doubt.ts';
import type { FinishedCall } from './finished-calls.ts';
import type { BudgetGate, EffectRef, Members, PromptFor, Waiting } from './events.ts';
import { LazyMap, LazySet } from './lazy.ts';
import type { Amount } from './pricing.ts';
import type { Ending } from './stopping.ts';
import type { Talk } from './talk.ts';
import { newTimers, type Timers } from './timers.ts';

/** What templates see of a node that ran. */
export interface Slot {
  readonly output?: JsonValue;
  readonly error?: ErrorReport;
  /** Of a group. */
  readonly outputs?: JsonValue;
  readonly errors?: JsonValue;
}

export type Phase =
  /** A try is due. */
  | { readonly at: 'entering' }
  /** The try has begun and nothing was asked of the world yet. */
  | { readonly at: 'working' }
  | { readonly at: 'effect' }
  /** In conversation with a model. */
  | { readonly at: 'talking' }
  /** Until a time: a `wait`, a backoff, a park that ends by itself. */
  | { readonly at: 'waiting'; readonly untilMs: number; readonly why: 'wait' | 'backoff' | 'park' }
  /** Until someone resumes the run. */
  | { readonly at: 'parked' }
  | { readonly at: 'asking'; readonly gate: string }
  /** A person has answered, or nobody did in time. */
  | { readonly at: 'answered'; readonly value: JsonValue }
  | { readonly at: 'expired' }
  /** The effect is back. */
  | {
      readonly at: 'result';
      readonly result: ScopeResult;
      readonly atMs: number;
      readonly effect: EffectRef;
    }
  /** Its branches or its sub-workflow are running. */
  | { readonly at: 'inside' }
  /** The result is known; the next move is not. */
  | { readonly at: 'succeeded' }
  | { readonly at: 'failed' }
  /** Its effect was stopped from outside, because what it is part of has ended without it. */
  | { readonly at: 'cancelled' }
  /** Nothing more happens here in this leg: the scope has ended with this visit. */
  | { readonly at: 'ended' };

export interface Visit {
  readonly node: string;
  readonly path: string;
  /** How often the scope has been at this node, this time included. */
  readonly number: number;
  /** Of the current or the coming try; 0 is the first. */
  attempt: number;
  phase: Phase;
  output: JsonValue | undefined;
  error: ErrorReport | undefined;
  /** The failed tries of this visit. */
  attempts: AttemptSummary[];
  /** How often each retry or park route was taken in this visit, by table and index. */
  readonly used: LazyMap<string, number>;
  /** Error routes before this one have been tried for the present failure. */
  routesTried: number;
  startedAtMs: number;
  /** When the present try has used its time; it stands still while people are waited for. */
  deadlineMs: number | undefined;
  /** What the present try has left while its clock stands still; the deadline is then not set. */
  leftMs: number | undefined;
  /** When to look again, as the latest decision said. Not in the log: it follows from it. */
  wakeAtMs: number | undefined;
  /** How often each effect was asked for in this visit, by key. */
  readonly asked: LazyMap<string, number>;
  /** The effects that are under way, by key. */
  readonly pending: LazySet<string>;
  /** What its effect is to do, once that is requested. Not in the log: it follows from it. */
  work: EffectWork | undefined;
  /** The failed attempts of its effect in the present try. */
  tries: AttemptSummary[];
  /** Of an agent or a supervisor. */
  talk: Talk | undefined;
  /** By all tries of the visit. */
  spent: Amount;
  /** A person has said that the budget stays as it is. */
  isBudgetRefused: boolean;
  /** Of a tool: a person has approved what a guard asked about, for this try. */
  isApproved: boolean;
  /** Of a group. */
  members: MemberCounts | undefined;
}

export interface MemberCounts extends Members {
  opened: number;
  succeeded: number;
  failed: number;
  /** The key of the first that failed. */
  firstFailed: string | undefined;
}

export interface ScopeResult {
  readonly output?: JsonValue;
  /** Of an effect: why its output is only a part. */
  readonly errors?: readonly ErrorReport[];
  readonly error?: ErrorReport;
}

export interface Scope {
  /** The path of everything in it: empty for the run, `one` for a child, `each[42]` for a branch. */
  readonly id: string;
  readonly kind: 'workflow' | 'branch';
  /** The key of its plan; empty for the run's own file. */
  readonly file: string;
  /** The scope whose node runs this one. */
  readonly parent: string | undefined;
  /** Of a member in its group. */
  readonly key: string | undefined;
  /** What ran here. Branches see their surroundings through their parent. */
  readonly slots: LazyMap<string, Slot>;
  readonly loop: JsonObject;
  readonly visits: LazyMap<string, number>;
  /** Of a workflow; a branch has those of the workflow around it. */
  readonly input: JsonObject;
  readonly state: LazyMap<string, JsonValue>;
  /** The latest failure that an error route led away from. */
  failing:
    | { readonly node: string; readonly error: ErrorReport; readonly output: JsonValue }
    | undefined;
  last: string | undefined;
  starts: number;
  /** Of a workflow: re-runs of nodes in it and in all that it called. */
  retries: number;
  /** Of a workflow: when its clock began, moved on by all the time for which it stood still. */
  clockFromMs: number;
  /** Of the waits for people inside it: how many, and since when time stands still. */
  held: { count: number; sinceMs: number };
  /** In it and in all that it runs. */
  spent: Amount;
  /** What people have let its budgets grow by. */
  raised: Amount;
  /** A budget that is only watched has been overspent, and that was said. */
  isWarned: boolean;
  /** What is inside a node that has failed: it rests until the run is resumed. */
  isFrozen: boolean;
  /**
   * The scope that has decided the end of what this one is part of: its effects are being stopped, and
   * nothing else happens here. Not in the log: it follows from it.
   */
  stoppedFor: string | undefined;
  /** The way the scope took, so that it can go back. */
  readonly trail: Footprint[];
  visit: Visit | undefined;
  result: ScopeResult | undefined;
}

/** What a scope was like when it came to a node. */
export interface Footprint {
  readonly node: string;
  readonly slot: Slot | undefined;
  readonly last: string | undefined;
  readonly failing: Scope['failing'];
  /** The shared values that the visit replaced. */
  state: readonly (readonly [string, JsonValue | undefined])[];
}

export type RunStatus = 'running' | 'paused' | 'completed' | 'failed' | 'cancelled';

export interface PendingEffect {
  readonly scope: string;
  readonly effect: EffectRef;
  readonly attempt: number;
}

export interface OpenGate {
  readonly scope: string;
  readonly options: readonly JsonValue[];
  /** The options that want a text as well. */
  readonly promptFor?: readonly PromptFor[];
  readonly deadlineMs: number | undefined;
  /** Of a budget that may be raised. */
  readonly budget: BudgetGate | undefined;
}

/** Someone has approved more than one call of a tool. */
export interface Grant {
  readonly gate: string;
  readonly by: string;
}

/** A model, a key or a provider that is left alone. */
export interface Cooldown {
  readonly untilMs: number;
  /** The effect that asks first when the time is over. */
  probe: string | undefined;
}

/** A member that may still come, and where its group runs. */
export interface BranchPlace {
  readonly group: string;
  readonly index: number;
}

export interface RunState {
  readonly run: string;
  /** Replaced when a run is resumed with a file that changed. */
  plan: WorkflowPlan;
  status: RunStatus;
  readonly scopes: Map<string, Scope>;
  /** The branches of the groups that are running, opened or not, by the id of their scope. */
  readonly branches: LazyMap<string, BranchPlace>;
  /** Scopes with something to decide, oldest first. */
  readonly ready: LazySet<string>;
  /** The nodes that have completed, by file: their text is not to change under the run. */
  readonly finished: LazyMap<string, Set<string>>;
  readonly effects: LazyMap<string, PendingEffect>;
  /** Effects that may have happened, by key, until somebody has decided about them. */
  readonly doubts: LazyMap<string, Doubt>;
  /** Results of effects that were stopped from around them, by key: they are not done again. */
  readonly kept: LazyMap<string, ScopeResult>;
  /** Ends that wait for what they stop, by the scope that decided. Not in the log, as above. */
  readonly endings: LazyMap<string, Ending>;
  /** Calls of tools that are not made twice, by what they are, until the run has gone past them. */
  readonly finishedCalls: LazyMap<string, readonly FinishedCall[]>;
  readonly gates: LazyMap<string, OpenGate>;
  /** How many conversations have had approvals asked for, by path: their gates are told apart. */
  readonly approvals: LazyMap<string, number>;
  /** Approvals that last, by what they are for. */
  readonly grants: LazyMap<string, Grant>;
  /** How often each node has asked each model, by path and model. */
  readonly modelRequests: LazyMap<string, number>;
  /** What this leg has asked of models so far, and the most it may; null: as much as it takes. */
  readonly legRequests: { made: number; most: number | null };
  /** Until when models, keys and providers are left alone by every call of the run. */
  readonly cooldowns: LazyMap<string, Cooldown>;
  /** What calls under way may cost, by their keys. */
  readonly reservations: LazyMap<string, Amount & { readonly scope: string }>;
  /** Conversations that wait for what another call finds out or uses up. */
  readonly heldBack: LazySet<string>;
  readonly timers: Timers;
  /** The time of the latest event, or of whoever asks for a decision. */
  nowMs: number;
  /** Number of the latest event. */
  seq: number;
  /** Since when the run is paused or has ended, and its time stands still. */
  stoppedAtMs: number | undefined;
  /** False when nobody can be asked. */
  hasPeople: boolean;
  /** Not in the log until the run has ended by it. */
  cancelledBy: string | undefined;
  waiting: Waiting | undefined;
  output: JsonValue | undefined;
  error: ErrorReport | undefined;
}

export const ROOT_SCOPE = '';

export const NOTHING: Amount = { usdMicros: 0, tokens: 0 };

export function newRunState(run: string, plan: WorkflowPlan): RunState {
  return {
    run,
    plan,
    status: 'running',
    scopes: new Map(),
    branches: new LazyMap(),
    ready: new LazySet(),
    finished: new LazyMap(),
    effects: new LazyMap(),
    doubts: new LazyMap(),
    kept: new LazyMap(),
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
    phase: { at: 'entering' },
    output: undefined,
    error: undefined,
    attempts: [],
    used: new LazyMap(),
    routesTried: 0,
    startedAtMs: 0,
    deadlineMs: undefined,
    leftMs: undefined,
    wakeAtMs: undefined,
    asked: new LazyMap(),
    pending: new LazySet(),
    work: undefined,
    tries: [],
    talk: undefined,
    spent: NOTHING,
    isBudgetRefused: false,
    isApproved: false,
    members: undefined,
  };
}
