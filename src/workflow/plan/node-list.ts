/** Lists every node of a plan, members of `for_each` at any depth included. */
import type { FilePlan } from './plan.ts';
import type { NodePlan } from './node-plan.ts';

export function allNodes({ nodes }: Pick<FilePlan, 'nodes'>): readonly NodePlan[] {
  return nodes.flatMap(withMembers);
}

function withMembers(node: NodePlan): readonly NodePlan[] {
  return node.type === 'for_each' ? [node, ...withMembers(node.member)] : [node];
}
