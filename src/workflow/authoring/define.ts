/**
 * Defines a workflow in code, as a typed value. It is converted to the document of a file and goes through
 * the same schema and rules, so that code and files can express exactly the same.
 */
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { toFileKeys } from './define-keys.ts';
import type { CheckNodes } from './define-checks.ts';
import type {
  ForEachNode,
  HeaderDefinition,
  NamesOf,
  NodeDefinition,
  NodeFunction,
  ParallelNode,
  WorkflowDefinition,
} from './define-types.ts';
import { codeRefusal } from './code-refusal.ts';
import { hasErrors, toDiagnostic } from '../diagnostics/diagnostics.ts';
import { IN_CODE, type FilePlan, type WorkflowPlan } from '../plan/plan.ts';
import { toPointer } from '../plan/pointer.ts';
import { planFile } from '../plan/plan-file.ts';
import { providerOf } from '../plan/plan-runtime.ts';
import { defaultsOf, type Planner } from '../plan/planner.ts';
import { checkDocument } from '../schema/check-document.ts';
import type { WorkflowFile } from '../schema/file-schema.ts';

export type { Raised } from './define-checks.ts';
export type {
  CallContext,
  CallNode as CallDefinition,
  ChildNode as ChildDefinition,
  ExtensionNode as ExtensionDefinition,
  ForEachNode as ForEachDefinition,
  HeaderDefinition,
  NamesOf,
  NodeDefinition,
  NodeFunction,
  ParallelNode as ParallelDefinition,
  WorkflowDefinition,
} from './define-types.ts';

/** The header of a file, its nodes and its output, with camelCase keys. */
export type WorkflowInput<
  N extends readonly NodeDefinition[],
  P extends readonly ParallelNode[],
  F extends readonly ForEachNode[],
> = HeaderDefinition & {
  readonly nodes?: N & CheckNodes<N, NamesOf<N> | NamesOf<P> | NamesOf<F>>;
  readonly parallel?: P & CheckNodes<P, NamesOf<N> | NamesOf<P> | NamesOf<F>>;
  readonly forEach?: F & CheckNodes<F, NamesOf<N> | NamesOf<P> | NamesOf<F>>;
  readonly entryPoint: NoInfer<NamesOf<N> | NamesOf<P> | NamesOf<F>>;
  readonly output?: JsonObject;
};

interface Collected {
  readonly workflow: string;
  readonly functions: Map<string, NodeFunction>;
  readonly children: Map<string, FilePlan>;
}

/**
 * Makes a workflow in code. Throws an `ErrandError` of kind `validation.*` when the workflow is not valid.
 * @example
 * ```ts
 * import { workflow } from 'errand/workflow';
 *
 * const greet = workflow({
 *   name: 'greet',
 *   entryPoint: 'hello',
 *   input: { name: { type: 'string' } },
 *   nodes: [{ name: 'hello', type: 'set', value: 'Hello {{ workflow.input.name }}' }],
 * });
 * console.log(greet.plan.name); // greet
 * ```
 */
export function workflow<
  const N extends readonly NodeDefinition[] = [],
  const P extends readonly ParallelNode[] = [],
  const F extends readonly ForEachNode[] = [],
>(definition: WorkflowInput<N, P, F>): WorkflowDefinition<N> {
  const { nodes, parallel, forEach, output, ...header } = definition;
  const collected: Collected = {
    workflow: definition.name,
    functions: new Map(),
    children: new Map(),
  };
  const document = toJson({
    workflow: toFileKeys(header),
    nodes: (nodes ?? []).map((node: object) => toFileKeys(withoutCode(node, collected))),
    parallel: toFileKeys(parallel),
    for_each: (forEach ?? []).map((group: object) => toFileKeys(withoutCode(group, collected))),
    output,
  });
  const file = `${IN_CODE}${definition.name}`;
  const plan = planFile(accept(document, file), file, plannerFor(document));
  return {
    plan: { ...plan, children: Object.fromEntries(collected.children) },
    functions: Object.fromEntries(collected.functions),
    // true: the nodes are a const type parameter, and the argument has that type
    nodes: (nodes ?? []) as unknown as N,
  };
}

/** Replaces functions and workflows by their names. */
function withoutCode(node: object, collected: Collected): object {
  const taken: Record<string, unknown> = { ...node };
  if ('function' in node && typeof node.function === 'function' && 'name' in node) {
    const name = `${collected.workflow}.${String(node.name)}`;
    // its parameters are the business of its author
    collected.functions.set(name, node.function as NodeFunction);
    taken['function'] = name;
  }
  if ('workflow' in node && typeof node.workflow === 'object' && node.workflow !== null) {
    taken['workflow'] = addChild(node.workflow as WorkflowDefinition | WorkflowPlan, collected);
  }
  if ('agent' in node && typeof node.agent === 'object' && node.agent !== null) {
    taken['agent'] = withoutCode(node.agent, collected);
  }
  return taken;
}

function addChild(
  child: WorkflowDefinition | WorkflowPlan,
  { functions, children }: Collected,
): string {
  const whole = 'plan' in child ? child.plan : child;
  const { children: below, ...plan } = whole;
  for (const [file, each] of Object.entries(below)) children.set(file, each);
  const other = children.get(plan.file);
  if (other !== undefined && other.fingerprint !== plan.fingerprint) {
    throw new ErrandError({
      kind: 'validation.workflow',
      message: `Two different workflows are called ${plan.name}`,
      details: { code: 'duplicate-name' },
    });
  }
  children.set(plan.file, plan);
  if ('functions' in child) {
    for (const [name, each] of Object.entries(child.functions)) functions.set(name, each);
  }
  return plan.file;
}

function accept(document: unknown, file: string): WorkflowFile {
  const { problems, file: accepted } = checkDocument(document);
  const diagnostics = problems.map((problem) => toDiagnostic(problem, undefined, file));
  if (accepted !== undefined && !hasErrors(diagnostics)) return accepted;
  throw new ErrandError(codeRefusal(diagnostics));
}

function plannerFor(document: unknown): Planner {
  const { workflow: header } = document as Partial<WorkflowFile>;
  return {
    location: (path) => ({ pointer: toPointer(path) }),
    written: String,
    resolve: (path) => path,
    provider: providerOf(header?.runtime),
    defaults: defaultsOf(document as Partial<WorkflowFile>),
  };
}

/** A plan is JSON; other values, such as a date in an argument, are converted as JSON does it. */
function toJson(document: object): unknown {
  try {
    return JSON.parse(JSON.stringify(document));
  } catch (cause) {
    throw new ErrandError(
      { kind: 'validation.workflow', message: 'The workflow contains a value that is not JSON' },
      { cause },
    );
  }
}
