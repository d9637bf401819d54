/** Finds the node at a path of a run: `each[42]/one/fetch` goes through groups and children. */
import { allNodes } from '../workflow/plan/node-list.ts';
import type { FilePlan, WorkflowPlan } from '../workflow/plan/plan.ts';
import type { NodePlan } from '../workflow/plan/node-plan.ts';

export interface NodeAtPath {
  readonly file: FilePlan;
  readonly node: NodePlan;
}

/** Undefined when the plan has no such node, for example after the file changed. */
export function nodeAtPath(plan: WorkflowPlan, path: string): NodeAtPath | undefined {
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

/** The key of a member contains no bracket and no slash, see `path-key.ts`. */
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
