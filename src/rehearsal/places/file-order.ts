/** The order of nodes in their file, by where each is written. */
import type { NodePlan } from '../../workflow/plan/node-plan.ts';

/** A node of an included text, or of a workflow in code, follows the one before it in the plan. */
export function inFileOrder(nodes: readonly NodePlan[]): readonly NodePlan[] {
  let line = 0;
  let column = 0;
  const placed = nodes.map((node, index) => {
    const { location } = node;
    if (location.file === undefined && location.line !== undefined) {
      line = location.line;
      column = location.column ?? 0;
    }
    return { node, line, column, index };
  });
  return placed
    .sort((a, b) => a.line - b.line || a.column - b.column || a.index - b.index)
    .map(({ node }) => node);
}
