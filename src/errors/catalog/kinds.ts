/** The grammar of kinds, who may raise which, and how a route's pattern matches one. */
import { CATALOG, RESERVED_PREFIXES, type RuntimeKind } from './catalog.ts';

/** A kind of the catalog, or one that an author raises under a prefix of their own. */
export type Kind = RuntimeKind | (string & {});

/** The first words that belong to the runtime, as a type. */
export type ReservedPrefix = RuntimeKind extends infer K
  ? K extends `${infer First}.${string}`
    ? First
    : never
  : never;

/** Shown by the compiler for a kind that belongs to the runtime. */
export interface OwnedByTheRuntime<Prefix> {
  readonly kindsUnderThisPrefixCannotBeRaised: Prefix;
}

/** Shown by the compiler for a kind that does not fit the grammar. */
export interface NotAKind {
  readonly kindsAre: 'dotted lowercase words such as order.missing';
}

/**
 * `K` if an author may raise it; otherwise the reason why not: it is reserved or does not fit the
 * grammar. A kind that is known only at run time passes; `raise` checks it then.
 */
export type AuthorKind<K extends string> = string extends K
  ? K
  : K extends `${infer Prefix extends ReservedPrefix}.${string}`
    ? OwnedByTheRuntime<Prefix>
    : K extends `${string}.${string}`
      ? Lowercase<K> extends K
        ? K
        : NotAKind
      : NotAKind;

/** The kinds that a pattern covers: `provider.*` all under the prefix, any other pattern itself. */
export type MatchedBy<P extends string> = P extends `${infer Prefix}.*` ? `${Prefix}.${string}` : P;

const WORD = '[a-z][a-z0-9_]*';

/** The grammar as the text of a pattern, for patterns that contain it. */
export const KIND_GRAMMAR: string = `${WORD}(\\.${WORD})+`;
export const KIND_PREFIX_GRAMMAR: string = `${WORD}(\\.${WORD})*`;

export const KIND_PATTERN: RegExp = new RegExp(`^${KIND_GRAMMAR}$`);

/** Longer names are refused: kinds are for matching, listing and counting, not prose. */
export const MAX_KIND_CHARS = 200;

/**
 * True for dotted lowercase words.
 * @example
 * ```ts
 * import { isKindName } from 'errand/errors';
 *
 * console.log(isKindName('order.missing'), isKindName('Order')); // true false
 * ```
 */
export function isKindName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_KIND_CHARS && KIND_PATTERN.test(value);
}

/**
 * True for a kind of the catalog.
 * @example
 * ```ts
 * import { isRuntimeKind } from 'errand/errors';
 *
 * console.log(isRuntimeKind('limit.budget'), isRuntimeKind('order.missing')); // true false
 * ```
 */
export function isRuntimeKind(value: unknown): value is RuntimeKind {
  return typeof value === 'string' && Object.hasOwn(CATALOG, value);
}

/**
 * True when the runtime owns the prefix: an author may match such a kind but not raise it.
 * @example
 * ```ts
 * import { isReservedKind } from 'errand/errors';
 *
 * console.log(isReservedKind('provider.mine'), isReservedKind('order.missing')); // true false
 * ```
 */
export function isReservedKind(kind: string): boolean {
  const dot = kind.indexOf('.');
  return RESERVED_PREFIXES.has(dot < 0 ? kind : kind.slice(0, dot));
}

/**
 * `provider.*` matches everything under `provider.`; any other pattern matches itself.
 * @example
 * ```ts
 * import { matchesKind } from 'errand/errors';
 *
 * console.log(matchesKind('provider.timeout', 'provider.*')); // true
 * ```
 */
export function matchesKind(kind: string, pattern: string): boolean {
  return pattern.endsWith('.*') ? kind.startsWith(pattern.slice(0, -1)) : kind === pattern;
}
