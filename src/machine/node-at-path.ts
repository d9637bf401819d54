/** The node of a plan that a path of a run names: `each[42]/one/fetch` through groups and children. */
import { allNodes } from '../workflow/all-nodes.ts';
import type { FilePlan, WorkflowPlan } from '../workflow/model.ts';
import type { NodePlan } from '../workflow/node-model.ts';

export interface PlacedNode {
  readonly file: FilePlan;
  readonly node: NodePlan;
}

/** Undefined where the plan has no such place, as after the file changed. */
export function nodeAtPath(plan: WorkflowPlan, path: string): PlacedNode | undefined {
  let file: FilePlan = plan;
  let rest = path;
  for (;;) {
    const found = longestNode(file, rest);
    if (found === undefined) return undefined;
    const { node, after } = found;
    if (after === '') return { file, node };
    if (node.type === 'workflow') {
      const child: FilePlan | undefined = plan.children[node.workflow];
      if (child === undefined) return undefined;
      file = child;
    }
    rest = after;
  }
}

/** The key of a member holds no bracket and no slash, see `path-key.ts`. */
function longestNode(
  file: FilePlan,
  path: string,
): { readonly node: NodePlan; readonly after: string } | undefined {
  for (const node of allNodes(file)) {
    if (path === node.name) return { node, after: '' };
    if (path.startsWith(`${node.name}/`)) return { node, after: path.slice(node.name.length + 1) };
    const end = path.startsWith(`${node.name}[`) ? path.indexOf(']/') : -1;
    if (end >= 0) return { node, after: path.slice(end + 2) };
  }
  return undefined;
}
