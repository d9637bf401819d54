/**
 * Types of a workflow in code: the file format with camelCase keys, where a `call` may contain its
 * function, and where the compiler knows all kinds and nodes.
 */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { AbortSignalLike } from './abort-signal.ts';
import type { WorkflowPlan } from '../plan/plan.ts';
import type { CallFile } from '../nodes/call.ts';
import type { EXTENSION_NODE, ExtensionFile } from '../nodes/extension.ts';
import type { ParallelFile } from '../nodes/groups.ts';
import type { ChildFile } from '../nodes/workflow.ts';
import type { HeaderFile } from '../schema/header-schema.ts';
import type { ForEachFile, NodeFile } from '../schema/file-schema.ts';

export interface CallContext {
  readonly signal: AbortSignalLike;
  /** 0 for the first attempt. */
  readonly attempt: number;
  /** The same for every retry of the same action. */
  readonly idempotencyKey: string;
  readonly progress: (message: string) => void;
}

/** A function may declare more specific parameters; the node passes JSON. */
export type NodeFunction = {
  call(input: JsonObject, context: CallContext): unknown;
}['call'];

/** Result of `workflow()`: the plan, and the functions that the plan names. */
export interface WorkflowDefinition<N extends readonly Named[] = readonly Named[]> {
  readonly plan: WorkflowPlan;
  readonly functions: Readonly<Record<string, NodeFunction>>;
  /** For types only: the nodes as written. */
  readonly nodes: N;
}

export interface Named {
  readonly name: string;
}

type Camel<S extends string> = S extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : S;

/** Keys in camelCase all the way down; maps whose keys the author chooses stay as they are. */
export type CamelKeys<T> = JsonValue extends T
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

export interface CallNode extends Omit<CamelKeys<CallFile>, 'function'> {
  /** The function itself, or the name of one that the host or the module has. */
  readonly function: string | NodeFunction;
}

export interface ChildNode extends Omit<CamelKeys<ChildFile>, 'workflow'> {
  readonly workflow: WorkflowDefinition | WorkflowPlan;
}

export type PlainNode = Exclude<
  NodeFile,
  { type: 'call' | 'workflow' | 'for_each' | typeof EXTENSION_NODE }
>;

/** A node type of an extension: `acme.thing`. */
export interface ExtensionNode extends Omit<CamelKeys<ExtensionFile>, 'type' | 'nodeType'> {
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

export type NamesOf<N extends readonly Named[]> = N[number]['name'];
