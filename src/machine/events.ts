/**
 * What can happen in a run. An event is stored before anyone sees it, and a run is nothing but the
 * fold over its events; so whatever a decision rests on must be in one of them.
 */
import type { JsonObject, JsonValue } from '../errors/json.ts';
import type { ErrorReport } from '../errors/report.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import type { MoveType } from '../workflow/route.ts';
import type { InDoubt } from './doubt-details.ts';
import type { Amount } from './pricing.ts';
import type { Prompt } from './talk.ts';

export interface EffectRef {
  /** What the action is, the same for every try of it. */
  readonly key: string;
  readonly type: 'model' | 'tool' | 'script' | 'call' | 'transform';
  readonly target: string;
}

export interface Usage {
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  /** Of the input, what was read from a cache. */
  readonly cachedTokens?: number;
  /** Of the input, what was put in a cache. */
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
}

/** An answer of a gate that wants a text beside it. */
export interface PromptFor {
  readonly value: JsonValue;
  /** What the text is called. */
  readonly name: string;
}

export interface Wait {
  readonly reason: 'gate' | 'time' | 'budget' | 'outcome' | 'person';
  readonly gate?: string;
  readonly node?: string;
  readonly path?: string;
  readonly until?: string;
  readonly options?: readonly JsonValue[];
  /** Of an unknown outcome: what it is looked up by. */
  readonly inDoubt?: InDoubt;
  /** The options that are answered with `{"selected": …, "additional_input": "a text"}`. */
  readonly promptFor?: readonly PromptFor[];
}

export interface Waiting extends Wait {
  /** Every wait, the earliest first. */
  readonly all: readonly Wait[];
}

export interface Members {
  /** Names of a parallel group, keys or indexes of a list. */
  readonly keys: readonly string[];
  /** The items of a list, in the same order. */
  readonly items?: readonly JsonValue[];
}

export interface BudgetGate {
  /** The scope of the workflow whose budget it is. */
  readonly holder: string;
  readonly limit: number;
  readonly unit: 'usd' | 'tokens';
}

interface InNode {
  readonly node: string;
  readonly path: string;
}

/** What one leg of a run may ask of the world at most, as `errand validate` prints it. */
export interface Bound {
  /** Each attempt counted, lost ones that are made again too. Null: nothing bounds it. */
  readonly modelRequests: number | null;
}

/** A run goes on: what it goes on with is said here, because every later decision rests on it. */
export interface Resumed {
  readonly type: 'run:resumed';
  readonly by: string;
  /** Parks and backoffs are cut short. */
  readonly now?: boolean;
  /** The path of a node that is run again, with all that follows it. */
  readonly from?: string;
  /** Inputs that replace earlier ones. */
  readonly input?: JsonObject;
  readonly gates?: boolean;
  /** The file as it is from here on, when it changed. */
  readonly plan?: WorkflowPlan;
  /** Of that file, for this leg and those after it; absent: as it was. */
  readonly bound?: Bound;
  /** What changed since: finished nodes keep their results, all else takes the new text. */
  readonly drift?: { readonly kept: readonly string[]; readonly changed: readonly string[] };
  /** For how long no process ran the run, when it was interrupted: since its latest event. */
  readonly idleMs?: number;
}

export type RouteBucket = 'success' | 'error' | 'workflow' | 'default';

/** An event as the machine makes it; the driver adds number, run and time. */
export type EventBody =
  | {
      readonly type: 'run:started';
      readonly workflow: string;
      readonly input: JsonObject;
      /** False: nobody can be asked. */
      readonly gates?: boolean;
      /** Absent in runs of before there was one: they are not held to any. */
      readonly bound?: Bound;
    }
  | { readonly type: 'run:paused'; readonly waiting: Waiting }
  | Resumed
  | { readonly type: 'run:completed'; readonly output: JsonValue }
  | { readonly type: 'run:failed'; readonly error: ErrorReport; readonly output?: JsonValue }
  | { readonly type: 'run:cancelled'; readonly by: string; readonly error?: ErrorReport }
  | (InNode & {
      readonly type: 'node:started';
      readonly attempt: number;
      /** Of a group: its members, fixed when it starts. */
      readonly members?: Members;
    })
  | (InNode & {
      readonly type: 'node:completed';
      readonly output: JsonValue;
      /** Why the output is only a part of what was asked for. */
      readonly errors?: readonly ErrorReport[];
      /** What it wrote to the shared state, merged already. */
      readonly state?: JsonObject;
    })
  | (InNode & {
      readonly type: 'node:failed';
      readonly error: ErrorReport;
      readonly output?: JsonValue;
    })
  | (InNode & {
      readonly type: 'node:retrying';
      /** The number of the try to come; 1 is the first re-run. */
      readonly attempt: number;
      readonly delayMs: number;
      readonly error: ErrorReport;
    })
  | (InNode & { readonly type: 'node:skipped'; readonly reason: string })
  | (InNode & {
      readonly type: 'route:taken';
      readonly move: MoveType;
      readonly to?: string;
      /** Index in its table; absent for the default. */
      readonly rule?: number;
      readonly bucket: RouteBucket;
      readonly kind?: string;
      /** When a park ends by itself. */
      readonly until?: string;
    })
  | (InNode & {
      readonly type: 'effect:requested';
      readonly effect: EffectRef;
      readonly attempt: number;
      /** It was not asked about, because someone had granted it at that gate. */
      readonly grant?: { readonly gate: string; readonly by: string };
      /** What it may cost, set aside until it is known. */
      readonly reserves?: Amount;
      /** The answer before it was sent back, because it was off its schema. */
      readonly isCorrection?: true;
      /** The key was refused: it is made with a fresh one. */
      readonly refreshesKey?: true;
      /** What a conversation begins with: of its first request, and where it has changed since. */
      readonly prompt?: Prompt;
    })
  | (InNode & {
      readonly type: 'effect:succeeded';
      readonly effect: EffectRef;
      readonly output: JsonValue;
      /** Why the output is only a part of what was asked for. */
      readonly errors?: readonly ErrorReport[];
      /** It had finished before: the result is the one in the log, and nothing was executed. */
      readonly replayed?: true;
      /** It was in doubt, and a person has said that this is its result. */
      readonly given?: true;
      readonly usage?: Usage;
      readonly costUsdMicros?: number;
      readonly estimated?: boolean;
    })
  | (InNode & {
      readonly type: 'effect:failed';
      readonly effect: EffectRef;
      readonly error: ErrorReport;
      readonly output?: JsonValue;
      readonly usage?: Usage;
      readonly costUsdMicros?: number;
      readonly estimated?: boolean;
    })
  | (InNode & {
      readonly type: 'gate:opened';
      readonly gate: string;
      readonly prompt: string;
      readonly options: readonly JsonValue[];
      /** The options that want a text as well. */
      readonly promptFor?: readonly PromptFor[];
      readonly deadline?: string;
      /** Of a budget that may be raised. */
      readonly budget?: BudgetGate;
      /** Of an unknown outcome: what it is looked up by. */
      readonly inDoubt?: InDoubt;
    })
  | (InNode & {
      readonly type: 'gate:answered';
      readonly gate: string;
      readonly value: JsonValue;
      readonly by: string;
    })
  | (InNode & { readonly type: 'gate:expired'; readonly gate: string })
  | (InNode & {
      readonly type: 'child:started';
      readonly workflow: string;
      readonly input: JsonObject;
    })
  | (InNode & {
      readonly type: 'child:ended';
      readonly workflow: string;
      readonly status: 'completed' | 'failed' | 'cancelled';
    })
  | {
      readonly type: 'breaker:changed';
      readonly target: string;
      readonly from: string;
      readonly to: string;
    }
  | {
      readonly type: 'budget:warning' | 'budget:paused';
      /** In micro-dollars or tokens. */
      readonly limit: number;
      readonly spent: number;
      readonly unit: 'usd' | 'tokens';
      /** The path of the workflow whose budget it is; empty for the run. */
      readonly holder: string;
    }
  | {
      readonly type: 'error:suppressed';
      readonly error: ErrorReport;
      readonly reason: string;
      /** Nothing has failed: it is something to know. */
      readonly isWarning?: true;
    };

/** An event as it is stored and shown. */
export type RunEvent = EventBody & {
  /** Gap-free, from 1. */
  readonly seq: number;
  readonly run: string;
  /** ISO 8601. */
  readonly at: string;
};

export type RouteTaken = Extract<EventBody, { type: 'route:taken' }>;
