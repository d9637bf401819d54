/**
 * Events of a run. An event is stored before anyone sees it, and the state of a run is the fold over
 * its events; so everything that a decision depends on must be in one of them.
 */
import type { PreparedAnswer } from '../gates/prepared-answer.ts';
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { ErrorReport } from '../../errors/report/report.ts';
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import type { MoveType } from '../../workflow/plan/route-plan.ts';
import type { InDoubt } from '../policy/unknown-outcome-details.ts';
import type { Estimate } from '../policy/pricing.ts';
import type { Prompt } from '../conversation/conversation.ts';
import type { AskedQuestion, PromptFor, Waiting } from './waiting.ts';

export type { AskedQuestion, PromptFor, Wait, Waiting } from './waiting.ts';

/** Something that a node asks of the world. */
export interface EffectRef {
  /** Identifies the action: the same for every call that is made for it. */
  readonly key: string;
  /** The type of the target. */
  readonly type: 'model' | 'tool' | 'script' | 'call' | 'transform';
  /** The model, the tool, the program or the function. */
  readonly target: string;
}

/** The tokens of a model call, as its provider counts them. */
export interface Usage {
  /** All of the request. */
  readonly inputTokens?: number;
  /** All of the reply. */
  readonly outputTokens?: number;
  /** Part of the input tokens that was read from a cache. */
  readonly cachedTokens?: number;
  /** Part of the input tokens that was written to a cache. */
  readonly cacheWriteTokens?: number;
  /** Output tokens of reasoning that the model does not show. */
  readonly reasoningTokens?: number;
}

/** The members of a group. */
export interface Members {
  /** Names of a parallel group, keys or indexes of a list. */
  readonly keys: readonly string[];
  /** The items of a list, in the same order. */
  readonly items?: readonly JsonValue[];
}

/** A budget that the answer to a gate may raise. */
export interface BudgetGate {
  /** The scope of the workflow whose budget it is. */
  readonly holder: string;
  /** In micro-dollars or tokens. */
  readonly limit: number;
  /** The unit of the limit. */
  readonly unit: 'usd' | 'tokens';
  /** The amount that `raise` adds, where the call needs more than the limit again. */
  readonly raise?: number;
}

export interface InNode {
  /** The name of the node. */
  readonly node: string;
  /** Where it is in the run: through groups (`[key]`) and child workflows (`/`). */
  readonly path: string;
}

/** The most that one leg of a run may request, as `errand validate` prints it. */
export interface Bound {
  /** Counts every attempt, also those that are repeated after a crash. Null: unbounded. */
  readonly modelRequests: number | null;
}

/** Digests of the files of a workflow's modules, by path from the workflow file. */
export type ModuleDigests = Readonly<Record<string, string>>;

/** The changes between two legs, by name. */
export interface Drift {
  /** Changed nodes that keep their results. */
  readonly kept: readonly string[];
  /** Changed nodes that use the new text. */
  readonly changed: readonly string[];
  /** Changed files of modules: later calls run the new code. */
  readonly modules?: readonly string[];
}

/** Records everything that a run resumes with, because every later decision rests on it. */
export interface Resumed {
  /** Stored when a run resumes, before anything else of the new leg. */
  readonly type: 'run:resumed';
  /** Who resumed it. */
  readonly by: string;
  /** Ends parks and backoffs at once. */
  readonly now?: boolean;
  /** The path of a node that is run again, with all that follows it. */
  readonly from?: string;
  /** Inputs that replace earlier ones. */
  readonly input?: JsonObject;
  /** False: nobody can be asked. */
  readonly gates?: boolean;
  /** The plan from here on, when the file changed. */
  readonly plan?: WorkflowPlan;
  /** The most model requests of a leg from here on; absent: unchanged. */
  readonly bound?: Bound;
  /** The changes of the file: `kept` nodes keep their results, all others use the new text. */
  readonly drift?: Drift;
  /** Digests of the files of its modules from here on, when they changed. */
  readonly modules?: ModuleDigests;
  /** Time since the latest event, when the run was interrupted and no process ran it. */
  readonly idleMs?: number;
  /** The context of the leg's trace, as W3C writes it. */
  readonly traceparent?: string;
}

/** Who refused a call before it was made. */
export type KeptBackBy = 'breaker' | 'guard';

/** The table that a route was found in. */
export type RouteBucket = 'success' | 'error' | 'workflow' | 'default';

/** An event as the machine makes it; the engine adds number, run and time. */
export type EventBody =
  | {
      /** Stored first, when a run starts. */
      readonly type: 'run:started';
      /** The name of the workflow. */
      readonly workflow: string;
      /** The inputs, with defaults filled in. */
      readonly input: JsonObject;
      /** False: no person can be asked. */
      readonly gates?: boolean;
      /** The most model requests of a leg; absent in runs that are older than this field. */
      readonly bound?: Bound;
      /** Fingerprint of the request that started it, where its id stands for that request. */
      readonly request?: string;
      /** Answers that were given with the start, for gates as they open. */
      readonly answers?: readonly PreparedAnswer[];
      /** Digests of the files of its modules, as the first leg has loaded them. */
      readonly modules?: ModuleDigests;
      /** The context of the leg's trace, as W3C writes it. */
      readonly traceparent?: string;
    }
  | {
      /** Stored when nothing can run until a person answers or a time comes; it ends the leg. */
      readonly type: 'run:paused';
      /** Every wait, the earliest on top. */
      readonly waiting: Waiting;
    }
  | Resumed
  | {
      /** Stored when the workflow has ended well. */
      readonly type: 'run:completed';
      /** The result. */
      readonly output: JsonValue;
    }
  | {
      /** Stored when a failure ends the run; it can be resumed. */
      readonly type: 'run:failed';
      /** The failure. */
      readonly error: ErrorReport;
      /** The partial result, if there was one. */
      readonly output?: JsonValue;
    }
  | {
      /** Stored when a person or a program has ended the run for good. */
      readonly type: 'run:cancelled';
      /** Who did it. */
      readonly by: string;
      /** Why, in the words of who did it. */
      readonly reason?: string;
      /** The failure behind it; this version writes none. */
      readonly error?: ErrorReport;
    }
  | (InNode & {
      /** Stored when a node starts, each attempt anew. */
      readonly type: 'node:started';
      /** 0 for the first attempt. */
      readonly attempt: number;
      /** For a group: its members, fixed when it starts. */
      readonly members?: Members;
    })
  | (InNode & {
      /** Stored when a node has its output and its assertions hold. */
      readonly type: 'node:completed';
      /** The result. */
      readonly output: JsonValue;
      /** Why the output is only a part of what was asked for. */
      readonly errors?: readonly ErrorReport[];
      /** Values it wrote to the shared state, already merged. */
      readonly state?: JsonObject;
      /** In a branch: its writes, where the merged values do not show them. */
      readonly wrote?: JsonObject;
    })
  | (InNode & {
      /** Stored when an attempt of a node has failed, before a route is chosen. */
      readonly type: 'node:failed';
      /** The failure. */
      readonly error: ErrorReport;
      /** The partial result, if there was one. */
      readonly output?: JsonValue;
    })
  | (InNode & {
      /** Stored when a route or the default runs the node again, before the wait. */
      readonly type: 'node:retrying';
      /** The number of the attempt to come; 1 is the first re-run. */
      readonly attempt: number;
      /** How long the run waits before it. */
      readonly delayMs: number;
      /** The failure. */
      readonly error: ErrorReport;
    })
  | (InNode & {
      /** Stored when a person continues without a failed node. */
      readonly type: 'node:skipped';
      /** Why. */
      readonly reason: string;
    })
  | (InNode & {
      /** Stored when a node has ended and what follows is decided. */
      readonly type: 'route:taken';
      /** The move that follows. */
      readonly move: MoveType;
      /** The node that runs next, or `$end`. */
      readonly to?: string;
      /** Index in its table; absent for the default. */
      readonly rule?: number;
      /** Which table the route is in: that of the node for successes or failures, or that of the workflow. */
      readonly bucket: RouteBucket;
      /** The kind of the failure that was routed. */
      readonly kind?: string;
      /** End of a park that has one. */
      readonly until?: string;
      /** Values that a route to `$end` lays over the output of the workflow. */
      readonly output?: JsonObject;
    })
  | (InNode & {
      /** Stored before an effect is executed, so that a crash cannot hide it. */
      readonly type: 'effect:requested';
      /** Which effect. */
      readonly effect: EffectRef;
      /** 0 for the first attempt. */
      readonly attempt: number;
      /** No person was asked, because someone granted the tool at this gate. */
      readonly grant?: { readonly gate: string; readonly by: string };
      /** Estimated cost, reserved until the real one is known. */
      readonly reserves?: Estimate;
      /** The reply before it was sent back, because it did not fit its schema. */
      readonly isCorrection?: true;
      /** It asks the model that judges the output of the agent. */
      readonly judges?: true;
      /** The output before it was refused by its judge, whose words go with this request. */
      readonly isRejected?: true;
      /** The API key was refused: this call uses a fresh one. */
      readonly refreshesKey?: true;
      /** The opening of the conversation: in its first request, and in each request that changes it. */
      readonly prompt?: Prompt;
    })
  | (InNode & {
      /** Stored when an effect has returned its result. */
      readonly type: 'effect:succeeded';
      /** Which effect. */
      readonly effect: EffectRef;
      /** The result. */
      readonly output: JsonValue;
      /** Why the output is only a part of what was asked for. */
      readonly errors?: readonly ErrorReport[];
      /** The effect had finished before: the result is from the log, and nothing was executed. */
      readonly replayed?: true;
      /** Its outcome was unknown, and a person has given this as its result. */
      readonly given?: true;
      /** The tokens it took. */
      readonly usage?: Usage;
      /** The cost, in millionths of a dollar. */
      readonly costUsdMicros?: number;
      /** True: the provider did not count, so tokens and cost are estimates. */
      readonly estimated?: boolean;
    })
  | (InNode & {
      /** Stored when an effect has failed, or its outcome stays unknown. */
      readonly type: 'effect:failed';
      /** Which effect. */
      readonly effect: EffectRef;
      /** The failure. */
      readonly error: ErrorReport;
      /** The engine refused the call, so it was not made. A kind alone never says that. */
      readonly keptBack?: KeptBackBy;
      /** The partial result, if there was one. */
      readonly output?: JsonValue;
      /** It was executed, and its result was refused; a resume checks `output` again before it executes. */
      readonly unusable?: true;
      /** The effect had failed like this before: nothing was executed. */
      readonly replayed?: true;
      /** The tokens it took. */
      readonly usage?: Usage;
      /** The cost, in millionths of a dollar. */
      readonly costUsdMicros?: number;
      /** True: the provider did not count, so tokens and cost are estimates. */
      readonly estimated?: boolean;
    })
  | (InNode & {
      /** Stored when a person is asked. */
      readonly type: 'gate:opened';
      /** The id of the gate. */
      readonly gate: string;
      /** The question. */
      readonly prompt: string;
      /** The answers to choose from. */
      readonly options: readonly JsonValue[];
      /** The options that also require a text. */
      readonly promptFor?: readonly PromptFor[];
      /** When the gate expires, in ISO 8601. */
      readonly deadline?: string;
      /** The budget that an answer may raise. */
      readonly budget?: BudgetGate;
      /** For an unknown outcome: what to look it up by. */
      readonly inDoubt?: InDoubt;
      /** For a list of questions: each of them, as the prompt lists them. */
      readonly questions?: readonly AskedQuestion[];
    })
  | (InNode & {
      /** Stored when a person or a program has answered. */
      readonly type: 'gate:answered';
      /** The id of the gate. */
      readonly gate: string;
      /** The answer. */
      readonly value: JsonValue;
      /** Who did it. */
      readonly by: string;
      /** Number of the message that brought it from another process. */
      readonly message?: number;
    })
  | (InNode & {
      /** Stored when the deadline of a gate has passed without an answer. */
      readonly type: 'gate:expired';
      /** The id of the gate. */
      readonly gate: string;
    })
  | (InNode & {
      /** Stored when a `workflow` node starts its workflow. */
      readonly type: 'child:started';
      /** The name of the workflow. */
      readonly workflow: string;
      /** Its inputs. */
      readonly input: JsonObject;
    })
  | (InNode & {
      /** Stored when the workflow of a `workflow` node has ended. */
      readonly type: 'child:ended';
      /** The name of the workflow. */
      readonly workflow: string;
      /** How it ended. */
      readonly status: 'completed' | 'failed' | 'cancelled';
    })
  | {
      /** Stored when the circuit breaker of a target opens, half opens or closes. */
      readonly type: 'breaker:changed';
      /** The target that the breaker guards. */
      readonly target: string;
      /** Its state before. */
      readonly from: string;
      /** Its state now. */
      readonly to: string;
    }
  | {
      /** Stored when a budget is spent: a warning in mode `audit`, a pause in mode `ask`. */
      readonly type: 'budget:warning' | 'budget:paused';
      /** In micro-dollars or tokens. */
      readonly limit: number;
      /** In the same unit. */
      readonly spent: number;
      /** The unit of the budget. */
      readonly unit: 'usd' | 'tokens';
      /** The path of the workflow whose budget it is; empty for the run. */
      readonly holder: string;
    }
  | {
      /** Stored when a failure changes nothing and must not be lost, or as a warning. */
      readonly type: 'error:suppressed';
      /** The failure. */
      readonly error: ErrorReport;
      /** Why. */
      readonly reason: string;
      /** A warning: nothing has failed. */
      readonly isWarning?: true;
    };

/** An event as it is stored and shown. */
export type RunEvent = EventBody & {
  /** The number of the event in its run: from 1, without a gap. */
  readonly seq: number;
  /** The id of the run. */
  readonly run: string;
  /** When it was stored, in ISO 8601. */
  readonly at: string;
};

export type RouteTaken = Extract<EventBody, { type: 'route:taken' }>;
