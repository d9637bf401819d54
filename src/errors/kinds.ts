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

/** What the compiler shows for a kind that belongs to the runtime. */
export interface OwnedByTheRuntime<Prefix> {
  readonly kindsUnderThisPrefixCannotBeRaised: Prefix;
}

/** What the compiler shows for a kind that does not fit the grammar. */
export interface NotAKind {
  readonly kindsAre: 'dotted lowercase words such as order.missing';
}

/**
 * `K` where an author may raise it, and what is wrong where it is reserved or does not fit the grammar.
 * Of a kind that is only known at run time nothing can be said; `raise` looks at it then.
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

/** The kinds that a pattern stands for: `provider.*` for all under the prefix, others for themselves. */
export type MatchedBy<P extends string> = P extends `${infer Prefix}.*` ? `${Prefix}.${string}` : P;

export const KIND_PATTERN: RegExp = /^[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+$/;

/** Longer names are refused: a kind is matched, listed and counted by, never read as prose. */
export const MAX_KIND_CHARS = 200;

export function isKindName(value: unknown): value is string {
  return typeof value === 'string' && value.length <= MAX_KIND_CHARS && KIND_PATTERN.test(value);
}

export function isRuntimeKind(value: unknown): value is RuntimeKind {
  return typeof value === 'string' && Object.hasOwn(CATALOG, value);
}

/** True when the runtime owns the prefix: an author may match such a kind but not raise it. */
export function isReservedKind(kind: string): boolean {
  const dot = kind.indexOf('.');
  return RESERVED_PREFIXES.has(dot < 0 ? kind : kind.slice(0, dot));
}

/** `provider.*` matches everything under `provider.`; any other pattern matches itself. */
export function matchesKind(kind: string, pattern: string): boolean {
  return pattern.endsWith('.*') ? kind.startsWith(pattern.slice(0, -1)) : kind === pattern;
}
