/**
 * Nodes that a resume would come back to and that a changed file no longer has. They belong to
 * every scope that has not succeeded, even failed and frozen ones, because a resume reopens those.
 */
import type { WorkflowPlan } from '../../workflow/plan/plan.ts';
import { findVisited } from '../evolve/reopen.ts';
import { findNode, scopeAndAncestors } from '../state/plan-lookup.ts';
import { isOpenInside, scopesInside } from '../state/scopes.ts';
import { ROOT_SCOPE, type RunState, type Scope, type Visit } from '../state/state.ts';

export interface NodeName {
  readonly file: string;
  readonly name: string;
}

interface CurrentNode extends NodeName {
  /** Something in it has begun that only a node of the same type continues. */
  readonly isBegun?: boolean;
}

/** `from`: path of the node that the run is rewound to. */
export function missingNodes(
  state: RunState,
  plan: WorkflowPlan,
  from: string | undefined,
): readonly NodeName[] {
  const root = state.scopes.get(ROOT_SCOPE);
  if (root === undefined) return [];
  const rewound = from === undefined ? undefined : findVisited(state, from);
  const missing = new Map<string, NodeName>();
  for (const { file, name, isBegun } of currentNodes(state, root, rewound)) {
    const now = findNode(plan, file, name);
    const isKept = isBegun !== true || now?.type === findNode(state.plan, file, name)?.type;
    if (now === undefined || !isKept) missing.set(JSON.stringify([file, name]), { file, name });
  }
  return [...missing.values()];
}

type Rewound = ReturnType<typeof findVisited>;

function* currentNodes(state: RunState, scope: Scope, rewound: Rewound): Iterable<CurrentNode> {
  const { file, visit, result, kind } = scope;
  if (visit === undefined) return;
  if (rewound?.[0] === scope) {
    yield { file, name: rewound[1] };
    return;
  }
  const isAround =
    rewound !== undefined && [...scopeAndAncestors(state, rewound[0])].includes(scope);
  const hasSucceeded = result !== undefined && result.error === undefined && !isAround;
  if (hasSucceeded) {
    // the output of a workflow may be evaluated again, and depends on its last node
    if (kind === 'workflow') yield { file, name: visit.node };
    return;
  }
  const inside = isAround ? scopesInside(state, visit) : reopenedInside(state, visit);
  yield { file, name: visit.node, isBegun: inside.length > 0 || hasOpenWork(visit) };
  for (const name of membersToOpen(state, file, visit)) yield { file, name };
  for (const inner of inside) yield* currentNodes(state, inner, rewound);
}

/** It asks a person, or a call of its conversation has no result yet. */
function hasOpenWork({ phase, error, conversation, pending }: Visit): boolean {
  const isAsking = phase.type === 'asking' && error === undefined;
  return isAsking || (conversation !== undefined && pending.size > 0);
}

/** Also if a route has handled the failure: after a park or an answer the run continues inside. */
function reopenedInside(state: RunState, visit: Visit): readonly Scope[] {
  const { conversation } = visit;
  const inside = scopesInside(state, visit);
  // the rounds of a supervisor that have ended are results in its conversation
  return conversation === undefined ? inside : inside.filter(({ result }) => result === undefined);
}

/** The members of a parallel group that have not begun. */
function membersToOpen(state: RunState, file: string, visit: Visit): readonly string[] {
  const { members, node, phase } = visit;
  if (members === undefined) return [];
  // a node that has failed, is parked or asks also continues
  if (phase.type !== 'inside' && !isOpenInside(state, visit)) return [];
  const isParallel = findNode(state.plan, file, node)?.type === 'parallel';
  return isParallel ? members.keys.slice(members.opened) : [];
}
