/**
 * Compile-time checks of a workflow in code. Each check returns the type as written, or an interface
 * whose name and only field describe the problem, because an editor shows exactly that.
 */
import type { RuntimeKind } from '../../errors/catalog/catalog.ts';
import type { AuthorKind, ReservedPrefix } from '../../errors/catalog/kinds.ts';
import type { Named, NodeDefinition } from './define-types.ts';
import type { MoveType } from '../plan/route-plan.ts';

/** The kinds that a node declares; `never` where it declares none. */
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

/** Shown for a kind that is not in the catalog and does not fit the grammar. */
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

/** Shown for a value that the function does not take and that is not a template. */
export interface WrongArgument<Wanted> {
  readonly theFunctionTakes: Wanted;
}

/** Shown where a required argument of the function is missing. */
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

/** Kinds of every node: its templates, assertions, guards and limits can fail. */
type Common = Extract<RuntimeKind, `${'validation' | 'assert' | 'route' | 'limit'}.${string}`>;

type Under<Prefixes extends string> = Extract<RuntimeKind, `${Prefixes}.${string}`>;

/** Other types may raise any kind: functions, tools and children pass on the failures they get. */
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

/** Node types whose own work raises nothing, so that they raise only declared kinds. */
type Silent = 'set' | 'wait' | 'terminate' | 'human_gate' | 'transform' | 'parallel' | 'for_each';

/** `K` where a route of the node may name it, else a description of the problem. */
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

/** A mapped type without a condition around it, so that the other members of an array type pass through. */
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

/** Checks arguments only where the function declares specific ones. */
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

/** A template may render to any type; lists and objects may contain templates. */
type CheckValue<V, Wanted> = V extends `${string}{{${string}` | `${string}{%${string}`
  ? V
  : V extends string | number | boolean | null
    ? string extends V
      ? V
      : V extends Wanted
        ? V
        : WrongArgument<Wanted>
    : V;

/** Checked at the type, because a check at the function would prevent inference of its parameters. */
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

/** Agents may omit their type. */
type AgentDefinition = NodeDefinition extends infer D
  ? D extends { readonly prompt: unknown; readonly maxTurns?: unknown }
    ? D
    : never
  : never;

/** The keys of a node of its type; an extension defines those of its own nodes. */
type KeysFor<T> = [DefinitionOf<TypeOf<T>>] extends [never]
  ? keyof T
  : KeysOfUnion<DefinitionOf<TypeOf<T>>>;

/** The node as written, with each mistake replaced by its description. */
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

/** Intersected with the nodes: no change where they are valid, a type error where they are not. */
export type CheckNodes<N extends readonly Named[], Names extends string> = {
  readonly [I in keyof N]: CheckNode<N[I], Names>;
};
