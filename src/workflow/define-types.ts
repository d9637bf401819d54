/**
 * The types of a workflow written in code: the file format with camelCase keys, where a `call` may
 * hold its function, and where the compiler knows which kinds and which nodes there are.
 */
import type { RuntimeKind } from '../errors/catalog.ts';
import type { JsonObject, JsonValue } from '../errors/json.ts';
import type { AuthorKind, ReservedPrefix } from '../errors/kinds.ts';
import type { AmbientSignal } from './ambient-signal.ts';
import type { WorkflowPlan } from './model.ts';
import type { CallFile } from './nodes/call.ts';
import type { EXTENSION_NODE, ExtensionFile } from './nodes/extension.ts';
import type { ParallelFile } from './nodes/groups.ts';
import type { ChildFile } from './nodes/workflow.ts';
import type { HeaderFile } from './schema/header.ts';
import type { ForEachFile, NodeFile } from './schema/file.ts';

export interface CallContext {
  readonly signal: AmbientSignal;
  /** 0 for the first try. */
  readonly attempt: number;
  /** The same for every retry of the same action. */
  readonly idempotencyKey: string;
  readonly progress: (message: string) => void;
}

/** A function may say more exactly what it takes; what the node passes is JSON. */
export type NodeFunction = {
  call(input: JsonObject, context: CallContext): unknown;
}['call'];

/** What `workflow()` gives: the plan, and the functions that the plan names. */
export interface WorkflowDefinition<N extends readonly Named[] = readonly Named[]> {
  readonly plan: WorkflowPlan;
  readonly functions: Readonly<Record<string, NodeFunction>>;
  /** For types only: the nodes as they were written. */
  readonly nodes: N;
}

export interface Named {
  readonly name: string;
}

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S;

/** Keys in camelCase all the way down; maps whose keys the author chooses stay as they are. */
type CamelKeys<T> = JsonValue extends T
  ? T
  : T extends readonly (infer Item)[]
    ? readonly CamelKeys<Item>[]
    : T extends object
      ? {
          readonly [
            K in keyof T as K extends string ? (string extends K ? K : Camel<K>) : K
          ]: CamelKeys<T[K]>;
        }
      : T;

interface CallNode extends Omit<CamelKeys<CallFile>, 'function'> {
  /** The function itself, or the name of one that the host or the module has. */
  readonly function: string | NodeFunction;
}

interface ChildNode extends Omit<CamelKeys<ChildFile>, 'workflow'> {
  readonly workflow: WorkflowDefinition | WorkflowPlan;
}

type PlainNode = Exclude<
  NodeFile,
  { type: 'call' | 'workflow' | 'for_each' | typeof EXTENSION_NODE }
>;

/** A node type of an extension: `acme.thing`. */
interface ExtensionNode extends Omit<CamelKeys<ExtensionFile>, 'type' | 'nodeType'> {
  readonly type: `${string}.${string}`;
}

export interface ForEachNode extends Omit<CamelKeys<Omit<ForEachFile, 'agent'>>, 'agent'> {
  readonly agent: NodeDefinition;
}

export type NodeDefinition =
  | CamelKeys<PlainNode>
  | CallNode
  | ChildNode
  | ExtensionNode
  | (ForEachNode & { readonly type: 'for_each' });

export type ParallelNode = CamelKeys<ParallelFile>;

export interface HeaderDefinition extends Omit<
  CamelKeys<HeaderFile>,
  'module' | 'extensions' | 'entryPoint'
> {}

/** The kinds that a node says it raises; `never` where it says nothing. */
export type Raised<T> =
  | (T extends { readonly raises: readonly (infer K extends string)[] } ? K : never)
  | (T extends { readonly assert: readonly (infer A)[] }
      ? A extends { readonly raise: infer K extends string }
        ? K
        : never
      : never);

type Declares<T> = T extends { readonly raises: readonly string[] } ? true : false;

type Wildcard = `${string}.*`;

/** What the compiler shows for a kind that the node does not raise. */
export interface NotRaised<Kinds> {
  readonly raisedByThisNode: Kinds;
}

/** What the compiler shows for a kind that neither the catalog nor the grammar has. */
export interface NoSuchKind {
  readonly kindsAre: 'dotted lowercase words such as order.missing, or kinds of the catalog';
}

/** What the compiler shows for a target that does not exist. */
export interface NoSuchNode<Names> {
  readonly nodesAre: Names;
}

/** `K` where a route of the node may name it, and what is wrong where it may not. */
type CheckKind<K, T> = K extends RuntimeKind | Wildcard | Raised<T>
  ? K
  : Declares<T> extends true
    ? NotRaised<Raised<T>>
    : K extends `${ReservedPrefix}.${string}`
      ? NoSuchKind
      : K extends `${string}.${string}`
        ? K
        : NoSuchKind;

type CheckOnError<E, T> = E extends true | undefined
  ? E
  : E extends readonly unknown[]
    ? { readonly [I in keyof E]: CheckKind<E[I], T> }
    : CheckKind<E, T>;

type CheckRoute<R, T, Names extends string> = {
  readonly [K in keyof R]: K extends 'onError'
    ? CheckOnError<R[K], T>
    : K extends 'to'
      ? R[K] extends Names | '$end'
        ? R[K]
        : NoSuchNode<Names | '$end'>
      : R[K];
};

/** The node as it was written, except where it is wrong: there, what is. */
type CheckNode<T, Names extends string> = {
  readonly [K in keyof T]: K extends 'routes'
    ? { readonly [I in keyof T[K]]: CheckRoute<T[K][I], T, Names> }
    : K extends 'raises'
      ? { readonly [I in keyof T[K]]: T[K][I] extends string ? AuthorKind<T[K][I]> : T[K][I] }
      : K extends 'agent'
        ? CheckNode<T[K], Names>
        : T[K];
};

/** Intersected with the nodes: the same again, or something that they are not. */
export type CheckNodes<N extends readonly Named[], Names extends string> = {
  readonly [I in keyof N]: CheckNode<N[I], Names>;
};

export type NamesOf<N extends readonly Named[]> = N[number]['name'];
