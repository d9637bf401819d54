/**
 * What the compiler refuses in a workflow written in code. Each check gives back what was written, or
 * an interface whose name and only field say what is wrong: that is what an editor shows.
 */
import type { RuntimeKind } from '../errors/catalog.ts';
import type { AuthorKind, ReservedPrefix } from '../errors/kinds.ts';
import type { Named, NodeDefinition } from './define-types.ts';
import type { MoveType } from './route.ts';

/** The kinds that a node says it raises; `never` where it says nothing. */
export type Raised<T> =
  | (T extends { readonly raises: readonly (infer K extends string)[] } ? K : never)
  | (T extends { readonly assert: readonly (infer A)[] }
      ? A extends { readonly raise: infer K extends string }
        ? K
        : never
      : never);

type Declares<T> = T extends { readonly raises: readonly string[] } ? true : false;

/** Shown for a kind that the node does not raise. */
export interface NotRaised<Kinds> {
  readonly raisedByThisNode: Kinds;
}

/** Shown for a kind that neither the catalog nor the grammar has. */
export interface NoSuchKind {
  readonly kindsAre: 'dotted lowercase words such as order.missing, or kinds of the catalog';
}

/** Shown for a kind of the catalog that no node of this type can fail with. */
export interface Impossible<Type> {
  readonly neverHappensTo: Type;
}

/** Shown for a target that does not exist. */
export interface NoSuchNode<Names> {
  readonly nodesAre: Names;
}

/** Shown for a route with no move, or with several. */
export interface OneMovePerRoute<Moves> {
  readonly movesOfThisRoute: Moves;
}

/** Shown for a key that a node or a route of this kind does not have. */
export interface NoSuchKey<Keys> {
  readonly keysAre: Keys;
}

/** Shown for an argument that the function does not take. */
export interface NoSuchArgument<Names> {
  readonly theFunctionTakes: Names;
}

/** Shown for a value that the function does not take, and that is no template. */
export interface WrongArgument<Wanted> {
  readonly theFunctionTakes: Wanted;
}

/** Shown where the function takes more than it is given. */
export interface MissingArguments<Names> {
  readonly missing: Names;
}

type TypeOf<T> = T extends { readonly type: infer Type extends string }
  ? Type
  : T extends { readonly agents: readonly string[] }
    ? 'parallel'
    : T extends { readonly agent: object }
      ? 'for_each'
      : 'agent';

/** Whatever a node is, its templates, assertions, guards and limits can fail. */
type Common = Extract<RuntimeKind, `${'validation' | 'assert' | 'route' | 'limit'}.${string}`>;

type Under<Prefixes extends string> = Extract<RuntimeKind, `${Prefixes}.${string}`>;

/** Of the types that are not here anything can come: functions, tools and children pass on what they got. */
interface KindsOfType {
  set: Common;
  wait: Common;
  terminate: Common;
  human_gate: Common | Under<'gate'>;
  transform: Common | Under<'sandbox' | 'effect' | 'cancelled' | 'internal'>;
  script: Common | Under<'internal' | 'effect' | 'cancelled' | 'breaker'>;
  agent:
    | Common
    | Under<'provider' | 'tool' | 'mcp' | 'agent' | 'effect' | 'cancelled' | 'breaker' | 'internal'>
    | Under<'gate' | 'call' | 'architect'>;
  supervisor:
    | Common
    | Under<'provider' | 'tool' | 'mcp' | 'agent' | 'effect' | 'cancelled' | 'breaker' | 'internal'>
    | Under<'gate' | 'supervisor'>;
  parallel: Common | Under<'group' | 'cancelled'>;
  for_each: Common | Under<'group' | 'cancelled'>;
}

type PossibleFor<T> = TypeOf<T> extends keyof KindsOfType ? KindsOfType[TypeOf<T>] : RuntimeKind;

/** Nodes whose own work raises nothing, so that what they do not declare cannot come. */
type Silent = 'set' | 'wait' | 'terminate' | 'human_gate' | 'transform' | 'parallel' | 'for_each';

/** `K` where a route of the node may name it, and what is wrong where it may not. */
type CheckKind<K, T> =
  K extends Raised<T>
    ? K
    : K extends RuntimeKind
      ? K extends PossibleFor<T>
        ? K
        : Impossible<TypeOf<T>>
      : K extends `${infer Prefix}.*`
        ? CheckPrefix<K, Prefix, T>
        : Declares<T> extends true
          ? NotRaised<Raised<T>>
          : K extends `${ReservedPrefix}.${string}`
            ? NoSuchKind
            : K extends `${string}.${string}`
              ? TypeOf<T> extends Silent
                ? NotRaised<Raised<T>>
                : K
              : NoSuchKind;

type CheckPrefix<K, Prefix extends string, T> = Prefix extends ReservedPrefix
  ? [Extract<PossibleFor<T>, `${Prefix}.${string}`>] extends [never]
    ? Impossible<TypeOf<T>>
    : K
  : K;

type CheckOnError<E, T> = E extends true | undefined
  ? E
  : E extends readonly unknown[]
    ? { readonly [I in keyof E]: CheckKind<E[I], T> }
    : CheckKind<E, T>;

type IsUnion<K, Whole = K> = K extends unknown ? ([Whole] extends [K] ? false : true) : never;

type RouteKey = MoveType | 'when' | 'onError';

/** A mapped type and no condition around one: what a list has beside its items passes through it. */
type CheckRoute<R, T, Names extends string> = {
  readonly [K in keyof R]: K extends 'onError'
    ? [Extract<keyof R, MoveType>] extends [never]
      ? OneMovePerRoute<never>
      : CheckOnError<R[K], T>
    : K extends 'to'
      ? R[K] extends Names | '$end'
        ? IsUnion<Extract<keyof R, MoveType>> extends true
          ? OneMovePerRoute<Extract<keyof R, MoveType>>
          : R[K]
        : NoSuchNode<Names | '$end'>
      : K extends MoveType
        ? IsUnion<Extract<keyof R, MoveType>> extends true
          ? OneMovePerRoute<Extract<keyof R, MoveType>>
          : R[K]
        : K extends RouteKey
          ? R[K]
          : [Extract<keyof R, RouteKey>] extends [never]
            ? R[K]
            : NoSuchKey<RouteKey>;
};

type FunctionInput<T> = T extends { readonly function: (input: infer I, ...rest: never) => unknown }
  ? I
  : unknown;

/** What can be said of arguments: a function that takes anything, or nothing, says nothing. */
type Takes<T> =
  FunctionInput<T> extends infer I
    ? unknown extends I
      ? unknown
      : I extends object
        ? string extends keyof I
          ? unknown
          : I
        : unknown
    : never;

type RequiredKeys<I> = {
  [K in keyof I]-?: undefined extends I[K] ? never : K;
}[keyof I];

type CheckArguments<A, I> = unknown extends I
  ? A
  : [Exclude<RequiredKeys<I>, keyof A>] extends [never]
    ? {
        readonly [K in keyof A]: K extends keyof I
          ? CheckValue<A[K], I[K]>
          : NoSuchArgument<keyof I>;
      }
    : {
        readonly [K in keyof A]: K extends keyof I ? A[K] : NoSuchArgument<keyof I>;
      } & MissingArguments<Exclude<RequiredKeys<I>, keyof A>>;

/** A template becomes whatever it renders to; lists and objects may hold some. */
type CheckValue<V, Wanted> = V extends `${string}{{${string}` | `${string}{%${string}`
  ? V
  : V extends string | number | boolean | null
    ? string extends V
      ? V
      : V extends Wanted
        ? V
        : WrongArgument<Wanted>
    : V;

/** Said at the type, because what says it at the function keeps its parameters from being inferred. */
type CheckType<Type, T> = T extends { readonly arguments: object }
  ? Type
  : unknown extends Takes<T>
    ? Type
    : [RequiredKeys<Takes<T>>] extends [never]
      ? Type
      : MissingArguments<RequiredKeys<Takes<T>>>;

type KeysOfUnion<U> = U extends unknown ? keyof U : never;

type DefinitionOf<Type> = Type extends 'agent'
  ? Exclude<NodeDefinition, { readonly type: string }> | AgentDefinition
  : Extract<NodeDefinition, { readonly type: Type }>;

/** Agents may leave their type out. */
type AgentDefinition = NodeDefinition extends infer D
  ? D extends { readonly prompt: unknown; readonly maxTurns?: unknown }
    ? D
    : never
  : never;

/** The keys of a node of its type; those of an extension's nodes are the extension's business. */
type KeysFor<T> = [DefinitionOf<TypeOf<T>>] extends [never]
  ? keyof T
  : KeysOfUnion<DefinitionOf<TypeOf<T>>>;

/** The node as it was written, except where it is wrong: there, what is. */
type CheckNode<T, Names extends string> = {
  readonly [K in keyof T]: K extends 'routes'
    ? { readonly [I in keyof T[K]]: CheckRoute<T[K][I], T, Names> }
    : K extends 'raises'
      ? { readonly [I in keyof T[K]]: T[K][I] extends string ? AuthorKind<T[K][I]> : T[K][I] }
      : K extends 'agent'
        ? CheckNode<T[K], Names>
        : K extends 'arguments'
          ? CheckArguments<T[K], Takes<T>>
          : K extends 'function'
            ? T[K]
            : K extends 'type'
              ? CheckType<T[K], T>
              : K extends KeysFor<T>
                ? T[K]
                : NoSuchKey<KeysFor<T>>;
};

/** Intersected with the nodes: the same again, or something that they are not. */
export type CheckNodes<N extends readonly Named[], Names extends string> = {
  readonly [I in keyof N]: CheckNode<N[I], Names>;
};
