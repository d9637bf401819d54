/**
 * Facts that spans need besides the events: the leg's number in the run, a node's type, and the
 * nodes that a later leg finds open. Plain data, from the state alone.
 */
import type { RunEvent } from '../machine/state/events.ts';
import { fileOf, nodeOf, scopeIdOf } from '../machine/state/plan-lookup.ts';
import type { RunState, Scope, Visit } from '../machine/state/state.ts';
import type { FailureMode, NodePlan, NodeType } from '../workflow/plan/node-plan.ts';
import type { FilePlan } from '../workflow/plan/plan.ts';
import { nodeAtPath } from './node-at-path.ts';

export interface NodeFacts {
  readonly type: NodeType;
  /** The name of the workflow that the node is in. */
  readonly workflow: string;
  /** Only for a group. */
  readonly mode?: FailureMode;
}

/** A node whose attempt continues in a later leg. */
export interface OpenNode extends NodeFacts {
  readonly node: string;
  readonly path: string;
  readonly attempt: number;
  /** When the attempt started. */
  readonly sinceMs: number;
  /** Number of the event that started it; 0 if an earlier version did not keep it. */
  readonly seq: number;
  /** How many members a group has. */
  readonly members?: number;
  /** The name of the sub-workflow that runs inside it. */
  readonly child?: string;
}

export interface LegFacts {
  readonly run: string;
  readonly workflow: string;
  /** 1 for the first. */
  readonly number: number;
  readonly startMs: number;
  /** `traceparent` of the first leg, and of the one before this. */
  readonly first?: string | undefined;
  readonly previous?: string | undefined;
  /** Why it began, for a process that has not seen its first event. */
  readonly cause?: string | undefined;
}

/** The facts of a node that has just started; undefined for any other event. */
export function startedFacts(state: RunState, event: RunEvent): NodeFacts | undefined {
  if (event.type !== 'node:started') return undefined;
  const scope = state.scopes.get(scopeIdOf(event.path, event.node));
  if (scope !== undefined) return nodeFacts(state, scope, event.node);
  // it has started and ended in one commit
  const found = nodeAtPath(state.plan, event.path);
  return found === undefined ? undefined : factsOf(found.file, found.node);
}

/** The leg that begins now, or with `isApplied` the one that the state is in. */
export function legFacts(
  { run, plan, legs }: RunState,
  startMs: number,
  { isApplied = false }: { readonly isApplied?: boolean } = {},
): LegFacts {
  const { count = 0, first, previous, last } = legs ?? {};
  return {
    run,
    workflow: plan.name,
    number: isApplied ? Math.max(1, count) : count + 1,
    startMs,
    first: isApplied && count <= 1 ? undefined : first,
    previous: isApplied ? previous : last,
  };
}

/** The nodes whose attempt has started and has not ended, from the outside in. */
export function openNodes(state: RunState): readonly OpenNode[] {
  const found: OpenNode[] = [];
  for (const scope of state.scopes.values()) {
    const { visit } = scope;
    if (scope.isFrozen || scope.result !== undefined || visit === undefined) continue;
    if (!isOpen(visit)) continue;
    const facts = nodeFacts(state, scope, visit.node);
    if (facts === undefined) continue;
    const inner = state.scopes.get(visit.path);
    found.push({
      ...facts,
      node: visit.node,
      path: visit.path,
      attempt: visit.attempt,
      sinceMs: visit.startedAtMs,
      seq: visit.startedSeq ?? 0,
      ...(visit.members === undefined ? {} : { members: visit.members.keys.length }),
      ...(inner === undefined ? {} : { child: fileOf(state.plan, inner.file).name }),
    });
  }
  return found.toSorted((a, b) => a.path.length - b.path.length);
}

/** Between two attempts nothing is open: the failed one has ended, and the next has not started. */
function isOpen({ phase, error }: Visit): boolean {
  switch (phase.type) {
    case 'working':
    case 'effect':
    case 'conversation':
    case 'result':
    case 'inside':
      return true;
    case 'asking':
    case 'answered':
    case 'expired':
      return error === undefined;
    case 'waiting':
      return phase.why === 'wait';
    case 'entering':
    case 'parked':
    case 'succeeded':
    case 'failed':
    case 'cancelled':
    case 'ended':
      return false;
  }
}

function nodeFacts(state: RunState, scope: Scope, name: string): NodeFacts | undefined {
  try {
    const file = fileOf(state.plan, scope.file);
    return factsOf(file, nodeOf(file, name));
  } catch {
    // a changed file may lack the node; the run says so itself
    return undefined;
  }
}

function factsOf(file: FilePlan, node: NodePlan): NodeFacts {
  const { type } = node;
  const workflow = file.name;
  return 'failureMode' in node ? { type, workflow, mode: node.failureMode } : { type, workflow };
}
