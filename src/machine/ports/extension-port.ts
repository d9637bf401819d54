/**
 * Port of an extension: what it adds to Errand, and its lifecycle. It is loaded when its parts are
 * needed, started before a run may use it, and stopped when nothing uses it any more. Only the
 * declaration: it is checked where it is loaded, so nothing here throws.
 */
import type { JsonObject } from '../../errors/support/safe-json.ts';
import type { Guard } from '../../workflow/authoring/guard.ts';
import type { AnyTool } from '../../workflow/authoring/define-tool.ts';
import type { RunEvent } from '../state/events.ts';
import type { RunStore } from './store-port.ts';

/** A registered symbol, so that an extension is recognised whichever copy of the package declared it. */
export const EXTENSION: unique symbol = Symbol.for('errand.extension') as never;

/** Raised by changes that break extensions. */
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
  /** Renders a run for `--format NAME`: turns the object of `--format json` into text. */
  readonly render?: (result: JsonObject) => string;
  /** Gets every event after it is stored, in order. Its failures do not affect the run. */
  readonly sink?: (event: RunEvent) => unknown;
  /** Checks each tool call; it can only deny the call or ask for a person. */
  readonly guard?: Guard;
}

export interface ExtensionOptions extends ExtensionParts {
  /** Lowercase; the prefix of everything that the extension adds. */
  readonly name: string;
  /** The contract it was written for: `1`. */
  readonly contract: number;
  /** Required extensions, which are loaded and started before this one. */
  readonly needs?: readonly string[];
  /** Called once before any of its parts is used, by `errand validate` too. The result is added to its parts. */
  readonly load?: () => ExtensionParts | undefined | PromiseLike<ExtensionParts | undefined>;
  /** Called before the first run that may use it. */
  readonly start?: () => unknown;
  /** Called when nothing uses it any more, in reverse order. */
  readonly stop?: () => unknown;
}

export interface Extension {
  readonly [EXTENSION]: true;
  readonly name: string;
}

/**
 * Declares an extension: tools, nodes, models, stores, renderers and sinks under one name.
 * @example
 * ```ts
 * import { extension, openErrand } from 'errand';
 *
 * const seen: string[] = [];
 * const acme = extension({
 *   name: 'acme',
 *   contract: 1,
 *   tools: { double: ({ value }: { value: number }) => value * 2 }, // the tool `acme.double`
 *   start: () => seen.push('started'),
 * });
 * const errand = await openErrand({ store: 'memory', extensions: [acme] });
 * console.log(acme.name, seen); // acme []
 * await errand.close();
 * ```
 */
export function extension(options: ExtensionOptions): Extension {
  return Object.freeze({ ...options, [EXTENSION]: true as const });
}
