/** The graph of a workflow: its nodes with all routes, as pages and programs draw it. */
import type { NodePlan } from '../workflow/plan/node-plan.ts';
import type { FilePlan, WorkflowPlan } from '../workflow/plan/plan.ts';
import type { Move, Route } from '../workflow/plan/route-plan.ts';

export interface GraphRoute {
  /** Index in its table. */
  readonly rule: number;
  readonly bucket: 'success' | 'error' | 'workflow';
  readonly onError?: true | readonly string[];
  readonly when?: string;
  readonly move: Move['type'];
  readonly to?: string;
}

export interface GraphOption {
  readonly value: string | number | boolean;
  readonly to: string;
}

export interface GraphNode {
  readonly name: string;
  readonly type: NodePlan['type'];
  /** The group that it is a member of. */
  readonly group?: string;
  readonly routes: readonly GraphRoute[];
  /** For a human gate: the options that lead somewhere themselves, which goes before the routes. */
  readonly options?: readonly GraphOption[];
  /** For a supervisor: the nodes that it may choose. */
  readonly manages?: readonly string[];
  /** For a node that runs another workflow: its key among `children`. */
  readonly workflow?: string;
}

export interface WorkflowGraph {
  readonly nodes: readonly GraphNode[];
  readonly entryPoint: string;
}

/** The graph of a workflow with those of the workflows that it runs. */
export interface RunGraph extends WorkflowGraph {
  readonly children: Readonly<Record<string, WorkflowGraph>>;
}

export function runGraph(plan: WorkflowPlan): RunGraph {
  const children = Object.entries(plan.children).map(
    ([key, child]) => [key, workflowGraph(child)] as const,
  );
  return { ...workflowGraph(plan), children: Object.fromEntries(children) };
}

function workflowGraph({ nodes, entryPoint, onError }: FilePlan): WorkflowGraph {
  const groups = new Map(
    nodes.flatMap((node) =>
      node.type === 'parallel' ? node.members.map((member) => [member, node.name] as const) : [],
    ),
  );
  const shared = onError.map((route) => graphRoute(route, 'workflow'));
  return {
    nodes: nodes.flatMap((node) => graphNodes(node, groups.get(node.name), shared)),
    entryPoint,
  };
}

function graphNodes(
  node: NodePlan,
  group: string | undefined,
  shared: readonly GraphRoute[],
): readonly GraphNode[] {
  const { name, type, routes } = node;
  const own = routes.map((route) =>
    graphRoute(route, route.onError === undefined ? 'success' : 'error'),
  );
  const shown: GraphNode = {
    name,
    type,
    ...(group === undefined ? {} : { group }),
    routes: [...own, ...shared],
    ...optionsOf(node),
    ...(type === 'supervisor' ? { manages: node.manages } : {}),
    ...(type === 'workflow' ? { workflow: node.workflow } : {}),
  };
  return type === 'for_each' ? [shown, ...graphNodes(node.member, name, shared)] : [shown];
}

function optionsOf(node: NodePlan): Pick<GraphNode, 'options'> {
  if (node.type !== 'human_gate') return {};
  const options = node.options.flatMap(({ value, route: to }) =>
    to === undefined ? [] : [{ value, to }],
  );
  return options.length === 0 ? {} : { options };
}

function graphRoute(
  { index, onError, when, move }: Route,
  bucket: GraphRoute['bucket'],
): GraphRoute {
  return {
    rule: index,
    bucket,
    ...(onError === undefined ? {} : { onError }),
    ...(when === undefined ? {} : { when }),
    move: move.type,
    ...(move.type === 'to' ? { to: move.to } : {}),
  };
}
