/** Every node of a plan, those that only a `for_each` holds included, however deep. */
import type { FilePlan } from './model.ts';
import type { NodePlan } from './node-model.ts';

export function allNodes({ nodes }: Pick<FilePlan, 'nodes'>): readonly NodePlan[] {
  return nodes.flatMap(withMembers);
}

function withMembers(node: NodePlan): readonly NodePlan[] {
  return node.type === 'for_each' ? [node, ...withMembers(node.member)] : [node];
}
