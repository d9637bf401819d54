/**
 * What an extension adds to Errand, and the life it has: loaded when somebody wants to know what it
 * has, started before a run may use it, stopped when nothing will use it any more. Only the
 * declaration: it is read and checked where it is loaded, so nothing here throws.
 */
import type { JsonObject } from '../errors/json.ts';
import type { Guard } from '../workflow/guard.ts';
import type { AnyTool } from '../workflow/tool.ts';
import type { RunEvent } from './events.ts';
import type { RunStore } from './store-port.ts';

/** Registered, so that an extension is known whichever copy of the package declared it. */
export const EXTENSION: unique symbol = Symbol.for('errand.extension') as never;

/** Raised when something that extensions rely on is no longer so. */
export const EXTENSION_CONTRACT = 1;

/** A plain function, or what `tool` declares. */
export type ExtensionCallable = AnyTool | ((input: never, context: never) => unknown);

export interface ExtensionParts {
  /** `lookup` is the tool `NAME.lookup`, for agents and `tool` nodes. */
  readonly tools?: Readonly<Record<string, ExtensionCallable>>;
  /** `thing` makes `type: NAME.thing`: a node that calls it with its `arguments`, and fails as a `call` does. */
  readonly nodes?: Readonly<Record<string, ExtensionCallable>>;
  /** AI SDK models by the name that workflows use, such as `house/small`. */
  readonly models?: Readonly<Record<string, unknown>>;
  /** AI SDK providers by name: `house` makes `house/any-model`. */
  readonly providers?: Readonly<Record<string, unknown>>;
  /** Opens `NAME:address`, where runs are kept. */
  readonly store?: (address: string) => RunStore | PromiseLike<RunStore>;
  /** What `--format NAME` prints of a run: the object of `--format json` as text. */
  readonly render?: (result: JsonObject) => string;
  /** Gets every event after it is stored, in order. What it does or fails to do changes no run. */
  readonly sink?: (event: RunEvent) => unknown;
  /** Is asked about each call of a tool, and can only deny it or ask for a person. */
  readonly guard?: Guard;
}

export interface ExtensionOptions extends ExtensionParts {
  /** Lowercase; it stands before everything that the extension adds. */
  readonly name: string;
  /** What it was written for: `1`. */
  readonly contract: number;
  /** Extensions that must be there, and are loaded and started before this one. */
  readonly needs?: readonly string[];
  /** Once, before anything of it is used, by `errand validate` too. What it gives is added to its parts. */
  readonly load?: () => ExtensionParts | undefined | PromiseLike<ExtensionParts | undefined>;
  /** Before the first run that may use it. */
  readonly start?: () => unknown;
  /** When nothing will use it any more; in the opposite order. */
  readonly stop?: () => unknown;
}

export interface Extension {
  readonly [EXTENSION]: true;
  readonly name: string;
}

/** `export const acme = extension({name: 'acme', contract: 1, tools: {…}})`. */
export function extension(options: ExtensionOptions): Extension {
  return Object.freeze({ ...options, [EXTENSION]: true as const });
}
