/**
 * How a module or a host declares a tool. Only the declaration: it is checked when the module is
 * loaded, where the name of its export is known, so nothing here throws and nothing is imported.
 */
import type { JsonObject, JsonValue } from '../errors/json.ts';
import type { AmbientSignal } from './ambient-signal.ts';
import type { PartialResult } from './partial.ts';
import type { Backoff } from './route.ts';

/** Registered, so that a tool is known whichever copy of the package declared it. */
export const TOOL: unique symbol = Symbol.for('errand.tool') as never;

/** What zod and others have in common, from standardschema.dev; of their own types nothing is needed. */
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

/** What `run` gets: arguments have names, so it is an object. */
type InputOf<S> = S extends StandardSchema
  ? TypesOf<S> extends { readonly output: infer Output }
    ? Output
    : unknown
  : JsonObject;

/** What `run` may return: what the output schema takes. */
type OutputOf<S> = S extends StandardSchema
  ? TypesOf<S> extends { readonly input: infer Input }
    ? Input
    : unknown
  : unknown;

type Given<O> = OutputOf<O> | PartialResult<OutputOf<O>>;

/** What a function or a tool is given beside its input. */
export interface ToolContext {
  /** Aborted at the timeout, and when the work is no longer wanted. */
  readonly signal: AmbientSignal;
  /** 0 for the first try. */
  readonly attempt: number;
  /** The same for every retry of the same action. */
  readonly idempotencyKey: string;
  /** Tells those who watch; never fails. */
  readonly progress: (value: JsonValue) => void;
}

/** When the engine calls the tool again; nothing else retries it. */
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
  /** Kinds, or `prefix.*`. Default: what is transient. */
  readonly on?: readonly string[];
}

export interface ToolOptions<I extends ToolSchema = JsonObject, O extends ToolSchema = JsonObject> {
  /** What a model is told about it. */
  readonly description?: string;
  readonly input?: I;
  readonly output?: O;
  /** The kinds of its own that it raises. */
  readonly raises?: readonly string[];
  /** Whether it may be repeated when nobody knows how it ended. Default: false. */
  readonly idempotent?: boolean;
  /** Whether it changes something, so that an agent has it only where its node names it. Default: false. */
  readonly writes?: boolean;
  readonly retry?: ToolRetry;
  /** Of one call. */
  readonly timeoutMs?: number;
  /** May also give `partial(…)` of what it declares. */
  readonly run: (input: InputOf<I>, context: ToolContext) => Given<O> | PromiseLike<Given<O>>;
}

/** A declared tool. `run` is as it was written: a test may call it, and nothing is checked then. */
export type Tool<
  I extends ToolSchema = JsonObject,
  O extends ToolSchema = JsonObject,
> = ToolOptions<I, O> & { readonly [TOOL]: true };

/** Any declared tool, whatever it takes and gives. */
export interface AnyTool {
  readonly [TOOL]: true;
}

/** `export const lookup = tool({description, input, output, run})` in a workflow's module. */
export function tool<I extends ToolSchema = JsonObject, O extends ToolSchema = JsonObject>(
  options: ToolOptions<I, O>,
): Tool<I, O> {
  return Object.freeze({ ...options, [TOOL]: true as const });
}
