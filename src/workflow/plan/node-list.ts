/** Lists every node of a plan, members of `for_each` at any depth included. */
import type { FilePlan } from './plan.ts';
import type { NodePlan } from './node-plan.ts';

/** A plan never changes, and every event of a run looks for a node. */
const LISTS = new WeakMap<readonly NodePlan[], readonly NodePlan[]>();

export function allNodes({ nodes }: Pick<FilePlan, 'nodes'>): readonly NodePlan[] {
  let list = LISTS.get(nodes);
  if (list === undefined) {
    list = nodes.flatMap(withMembers);
    LISTS.set(nodes, list);
  }
  return list;
}

function withMembers(node: NodePlan): readonly NodePlan[] {
  return node.type === 'for_each' ? [node, ...withMembers(node.member)] : [node];
}
