/** Decides for a group: which members start, when it has enough results, and its own result. */
import type { JsonObject, JsonValue } from '../../errors/support/safe-json.ts';
import type { GroupPlan } from '../../workflow/plan/node-plan.ts';
import { completeNode } from './complete-node.ts';
import { startAttempt } from './start-attempt.ts';
import type { EventBody } from '../state/events.ts';
import { nodeFailed, failureAt } from './failure-reports.ts';
import { asJson } from './template-context.ts';
import { fileOf, visitOf } from '../state/plan-lookup.ts';
import { branchId, newBranch } from '../state/scopes.ts';
import type { MemberCounts, RunState, Scope, Visit } from '../state/state.ts';

/** Limit of member reports in the report of a group. */
const MAX_REPORTED = 20;

export function decideGroup(state: RunState, scope: Scope, node: GroupPlan): readonly EventBody[] {
  const visit = visitOf(scope);
  const { members } = visit;
  if (members === undefined) return [];
  const status = groupStatus(node, members);
  if (status === 'open') return openMembers(state, scope, node, members);
  const results = resultsOf(state, visit, node);
  return status === 'success'
    ? completeNode(state, scope, results)
    : [groupFailed(state, scope, node, results)];
}

function groupStatus(node: GroupPlan, counts: MemberCounts): 'open' | 'success' | 'failure' {
  const { keys, succeeded, failed } = counts;
  const isOver = succeeded + failed === keys.length;
  switch (node.failureMode) {
    case 'fail_fast':
      if (failed > 0) return 'failure';
      return isOver ? 'success' : 'open';
    case 'all_or_nothing':
      if (!isOver) return 'open';
      return failed > 0 ? 'failure' : 'success';
    case 'continue_on_error':
      if (!isOver) return 'open';
      return failed > 0 && succeeded === 0 ? 'failure' : 'success';
    case 'quorum': {
      const needed = node.quorum ?? keys.length;
      if (succeeded >= needed) return 'success';
      return keys.length - failed < needed ? 'failure' : 'open';
    }
  }
}

function runningMembers({ opened, succeeded, failed }: MemberCounts): number {
  return opened - succeeded - failed;
}

function openMembers(
  state: RunState,
  scope: Scope,
  node: GroupPlan,
  counts: MemberCounts,
): readonly EventBody[] {
  const room = Math.min(
    node.maxConcurrent - runningMembers(counts),
    counts.keys.length - counts.opened,
  );
  const events: EventBody[] = [];
  for (let index = counts.opened; index < counts.opened + room; index++) {
    const key = counts.keys[index] ?? '';
    const first = node.type === 'parallel' ? key : node.member.name;
    const branch = newBranch(state, scope, visitOf(scope), index);
    events.push(...startAttempt(state, branch, first, 0));
  }
  return events;
}

/** Keeps outputs and errors apart. */
function resultsOf(state: RunState, visit: Visit, node: GroupPlan): JsonObject {
  const list: JsonValue[] = [];
  const outputs: [string, JsonValue][] = [];
  const errors: [string, JsonValue][] = [];
  for (const key of visit.members?.keys ?? []) {
    const result = state.scopes.get(branchId(visit.path, key))?.result;
    const hasOutput = result !== undefined && result.error === undefined;
    list.push(hasOutput ? (result.output ?? null) : null);
    if (hasOutput) outputs.push([key, result.output ?? null]);
    else if (result?.error !== undefined) errors.push([key, asJson(result.error)]);
  }
  const isList = node.type === 'for_each' && node.keyBy === undefined;
  return {
    outputs: isList ? list : Object.fromEntries(outputs),
    errors: Object.fromEntries(errors),
  };
}

function messageOf(node: GroupPlan, { members }: Visit, failures: number): string {
  const of = `of ${members?.keys.length ?? 0} members of ${node.name}`;
  return node.failureMode === 'quorum'
    ? `${members?.succeeded ?? 0} ${of} succeeded, and ${node.quorum ?? 0} are needed`
    : `${failures} ${of} failed`;
}

function groupFailed(
  state: RunState,
  scope: Scope,
  node: GroupPlan,
  results: JsonObject,
): EventBody {
  const visit = visitOf(scope);
  const failures = (visit.members?.keys ?? []).flatMap((key) => {
    const error = state.scopes.get(branchId(visit.path, key))?.result?.error;
    return error === undefined ? [] : [[key, error] as const];
  });
  const counts: Record<string, number> = {};
  for (const [, { kind }] of failures) counts[kind] = (counts[kind] ?? 0) + 1;
  const first =
    failures.find(([key]) => key === visit.members?.firstFailed)?.[1] ?? failures[0]?.[1];
  const plan = fileOf(state.plan, scope.file);
  // the cause is the failure that came first, which differs between runs; the action must not
  // differ
  const action = failures[0]?.[1].action;
  const error = failureAt(state, scope, visit.node, {
    kind: node.failureMode === 'quorum' ? 'group.quorum' : 'group.failed',
    message: messageOf(node, visit, failures.length),
    details: { members: Object.fromEntries(failures.slice(0, MAX_REPORTED)), counts },
    // its own frame, not those of the failed member
    frames: [{ workflow: plan.name, node: node.name, path: visit.path }],
    ...(first === undefined ? {} : { cause: first }),
    ...(action === undefined ? {} : { action }),
  });
  return { ...nodeFailed(visit, error), output: results };
}
