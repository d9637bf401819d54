/** Routes of a node, and the six moves, as data. */
import type { JsonObject } from '../../errors/support/safe-json.ts';

/** A location in the workflow's document; workflows in code have no line and column. */
export interface PlanLocation {
  /** The file that contains the text, when it is an included one (`!file`). */
  readonly file?: string;
  /** JSON Pointer into the workflow's document, after includes. */
  readonly pointer: string;
  readonly line?: number;
  readonly column?: number;
}

/** A Jinja template, or text without one. */
export type TemplateText = string;

/** The target of a route that ends the workflow, or the branch of a member. */
export const END = '$end';

/** The choice of a supervisor when nothing is left to do; so no node that it manages has this name. */
export const DONE = 'done';

export const BACKOFFS = ['none', 'fixed', 'linear', 'exponential'] as const;
export type Backoff = (typeof BACKOFFS)[number];

export const ASK_OPTIONS = ['retry', 'edit', 'skip', 'abort'] as const;
export type AskOption = (typeof ASK_OPTIONS)[number];

export const MOVES = ['to', 'retry', 'ask', 'park', 'halt', 'propagate'] as const;
/** The move of a route. */
export type MoveType = (typeof MOVES)[number];

export interface RetryMove {
  readonly type: 'retry';
  /** Re-runs, the first run not counted. */
  readonly max: number;
  readonly backoff: Backoff;
  readonly initialMs: number;
  /** No wait is longer than this, except a server's hint. */
  readonly maxMs: number;
  /** 0.2 spreads a wait by up to 20 % either way. */
  readonly jitter: number;
}

export type Move =
  /** `to` is a node, a group or `$end`, which may have an output. */
  | { readonly type: 'to'; readonly to: string; readonly output?: JsonObject }
  | RetryMove
  | { readonly type: 'ask'; readonly options: readonly AskOption[]; readonly timeoutMs?: number }
  /** Without `forMs`: until someone resumes the run. Without `max`: without a limit. */
  | { readonly type: 'park'; readonly forMs?: number; readonly max?: number }
  | { readonly type: 'halt'; readonly message?: TemplateText }
  | { readonly type: 'propagate' };

export interface Route extends PlanLocation {
  /** Its index in its table, success and error routes counted together. */
  readonly index: number;
  readonly when?: TemplateText;
  /** Absent: a success route. `true`: any kind. Else kinds and `prefix.*` patterns. */
  readonly onError?: true | readonly string[];
  readonly move: Move;
}

export interface Assertion extends PlanLocation {
  readonly index: number;
  readonly that: TemplateText;
  /** `assert.failed` unless the file says otherwise. */
  readonly raise: string;
  readonly message?: TemplateText;
}
