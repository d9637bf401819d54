/**
 * Declares a tool in a module or a host. The declaration is checked when the module is loaded and the
 * name of its export is known, so nothing here throws and nothing is imported.
 */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { AbortSignalLike } from './abort-signal.ts';
import type { PartialResult } from './partial.ts';
import type { Backoff } from '../plan/route-plan.ts';

/** A registered symbol, so that a tool is recognised whichever copy of the package declared it. */
export const TOOL: unique symbol = Symbol.for('errand.tool') as never;

/** Standard Schema (standardschema.dev), which zod and others implement. */
export interface StandardSchema<Input = unknown, Output = Input> {
  readonly '~standard': {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => unknown;
    readonly types?: { readonly input: Input; readonly output: Output } | undefined;
  };
}

/** A zod schema (version 4), or JSON Schema as an object. */
export type ToolSchema = StandardSchema | JsonObject;

type TypesOf<S> = S extends { readonly '~standard': { readonly types?: infer T } }
  ? NonNullable<T>
  : never;

/** Input of `run`: arguments have names, so it is an object. */
export type InputOf<S> = S extends StandardSchema
  ? TypesOf<S> extends { readonly output: infer Output }
    ? Output
    : unknown
  : JsonObject;

/** Return type of `run`: the input of the output schema. */
export type OutputOf<S> = S extends StandardSchema
  ? TypesOf<S> extends { readonly input: infer Input }
    ? Input
    : unknown
  : unknown;

export type Given<O> = OutputOf<O> | PartialResult<OutputOf<O>>;

/** Second parameter of a function or a tool, after its input. */
export interface ToolContext {
  /** Aborted at the timeout, and when the work is no longer wanted. */
  readonly signal: AbortSignalLike;
  /** 0 for the first attempt. */
  readonly attempt: number;
  /** The same for every retry of the same action. */
  readonly idempotencyKey: string;
  /** Sends progress to observers; never fails. */
  readonly progress: (value: JsonValue) => void;
}

/** When the engine retries the tool; nothing else retries it. */
export interface ToolRetry {
  /** Calls after the first, 1 to 100. */
  readonly max: number;
  /** Default: exponential. */
  readonly backoff?: Backoff;
  /** Default: 1. */
  readonly initialSeconds?: number;
  /** No wait is longer, except a server's hint. Default: 60. */
  readonly maxSeconds?: number;
  /** 0.2, the default, spreads a wait by up to 20 % either way. */
  readonly jitter?: number;
  /** Kinds, or `prefix.*`. Default: transient kinds. */
  readonly on?: readonly string[];
}

export interface ToolOptions<I extends ToolSchema = JsonObject, O extends ToolSchema = JsonObject> {
  /** Shown to models. */
  readonly description?: string;
  readonly input?: I;
  readonly output?: O;
  /** The kinds of its own that it raises. */
  readonly raises?: readonly string[];
  /** Whether it may be repeated after an unknown outcome. Default: false. */
  readonly idempotent?: boolean;
  /** Whether it changes something, so that an agent gets it only where its node names it. Default: false. */
  readonly writes?: boolean;
  readonly retry?: ToolRetry;
  /** Limit for one call. */
  readonly timeoutMs?: number;
  /** May also return `partial(…)` of its declared output. */
  readonly run: (input: InputOf<I>, context: ToolContext) => Given<O> | PromiseLike<Given<O>>;
}

/** A declared tool. A test may call `run` directly, which skips all checks. */
export type Tool<
  I extends ToolSchema = JsonObject,
  O extends ToolSchema = JsonObject,
> = ToolOptions<I, O> & { readonly [TOOL]: true };

/** Any declared tool, whatever its input and output. */
export interface AnyTool {
  readonly [TOOL]: true;
}

/**
 * Declares a tool, in a workflow's module or for `openErrand({ tools })`.
 * @example
 * ```ts
 * import { raise, tool } from 'errand';
 *
 * export const lookup = tool({
 *   description: 'Finds an order',
 *   input: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
 *   raises: ['order.missing'],
 *   idempotent: true,
 *   run: ({ id }) => (id === 'A-1' ? { total: 42 } : raise('order.missing', 'No such order')),
 * });
 * console.log(lookup.description); // Finds an order
 * ```
 */
export function tool<I extends ToolSchema = JsonObject, O extends ToolSchema = JsonObject>(
  options: ToolOptions<I, O>,
): Tool<I, O> {
  return Object.freeze({ ...options, [TOOL]: true as const });
}
