/** The nodes that a run is at, or can still come to. */
import { fileOf } from '../../machine/state/plan-lookup.ts';
import type { RunState } from '../../machine/state/state.ts';
import { buildFlow, reachable } from '../../workflow/check/flow-graph.ts';

/** By file, as in the plan; the run's own file is ``. */
export function upcomingNodes({
  plan,
  scopes,
}: Pick<RunState, 'plan' | 'scopes'>): ReadonlyMap<string, ReadonlySet<string>> {
  const coming = new Map<string, Set<string>>();
  const open: (readonly [file: string, node: string])[] = [...scopes.values()].flatMap(
    ({ file, visit, result }) =>
      visit === undefined || result !== undefined ? [] : [[file, visit.node] as const],
  );
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const [file, start] = next;
    const known = coming.get(file) ?? new Set();
    coming.set(file, known);
    const flow = buildFlow(fileOf(plan, file));
    for (const name of reachable(flow, [start])) {
      if (known.has(name)) continue;
      known.add(name);
      const node = flow.nodes.get(name);
      if (node?.type === 'workflow')
        open.push([node.workflow, fileOf(plan, node.workflow).entryPoint]);
    }
  }
  return coming;
}
