/** Failure reports of the machine: id, time and location come from the log, so that a replay is equal. */
import { buildReport, crossBoundary } from '../../errors/report/build.ts';
import type { Redactor } from '../../errors/redaction/redact.ts';
import { isReservedKind } from '../../errors/catalog/kinds.ts';
import type { ErrorReport, Location, ReportDraft, Stamp } from '../../errors/report/report.ts';
import { thrownDraft } from '../../errors/thrown/to-report.ts';
import { hashText } from '../../workflow/plan/stable-hash.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import type { PlanLocation } from '../../workflow/plan/route-plan.ts';
import type { EventBody } from '../state/events.ts';
import { fileOf, nodeOf, pathOf, visitOf } from '../state/plan-lookup.ts';
import type { RunState, Scope, Visit } from '../state/state.ts';

/** The event that fails the current attempt of a node. */
export function nodeFailed(
  { node, path }: Visit,
  error: ErrorReport,
): Extract<EventBody, { type: 'node:failed' }> {
  return { type: 'node:failed', node, path, error };
}

/**
 * The engine's own breaker refused the call: it was not made, so it does not count as an attempt. An
 * effect that fails with `breaker.open` was called, because that breaker is somebody else's.
 */
export function isTurnedAway({
  keptBack,
}: Pick<Extract<EventBody, { type: 'effect:failed' }>, 'keptBack'>): boolean {
  return keptBack === 'breaker';
}

export function failureAt(
  state: RunState,
  scope: Scope,
  node: string,
  draft: ReportDraft,
): ErrorReport {
  return recordedFailure({ state, scope, node }, draft);
}

interface NodePlace {
  readonly state: RunState;
  readonly scope: Scope;
  readonly node: string;
}

/**
 * The same for a failed effect. Its failure may name configured secrets, which the redactor
 * removes.
 */
export function recordedFailure(
  { state, scope, node }: NodePlace,
  draft: ReportDraft,
  redactor?: Redactor,
): ErrorReport {
  const path = pathOf(scope, node);
  const plan = fileOf(state.plan, scope.file);
  const { location = locationOf(state, scope, node) } = draft;
  return buildReport(
    { ...draft, location, ...undeclared(nodeOf(plan, node), draft) },
    {
      stamp: stampAt(state, path, draft.kind),
      redactor,
      defaults: {
        frames: [{ workflow: plan.name, node, path }],
        attempt: { number: attemptNumber(scope, node) },
      },
    },
  );
}

/** From 1. */
function attemptNumber({ visit }: Scope, node: string): number {
  return visit?.node === node ? visit.attempt + 1 : 1;
}

/** Makes the node's failure from what a template or a schema threw. */
export function thrownAt(
  state: RunState,
  scope: Scope,
  node: string,
  thrown: unknown,
): ErrorReport {
  const stamp = stampAt(state, pathOf(scope, node), 'thrown');
  return failureAt(state, scope, node, { ...stamp, ...thrownDraft(thrown, { stamp }) });
}

/**
 * The same for a text with a place of its own in the file: a route of the current node, a field of
 * the output.
 */
export function thrownByText(
  state: RunState,
  scope: Scope,
  writtenAt: PlanLocation | undefined,
  thrown: unknown,
): ErrorReport {
  const { node } = visitOf(scope);
  const stamp = stampAt(state, pathOf(scope, node), 'thrown');
  const location = locationOf(state, scope, node, writtenAt);
  return failureAt(state, scope, node, { location, ...stamp, ...thrownDraft(thrown, { stamp }) });
}

/**
 * Marks the failure of a text that is evaluated after the work, so that no caller takes it for work
 * that never began.
 */
export function afterWork(error: ErrorReport): ErrorReport {
  return error.outcome === 'not_started' ? Object.freeze({ ...error, outcome: 'failed' }) : error;
}

/** A child's failure as its caller sees it: the same report with one more frame. */
export function crossedAt(
  state: RunState,
  scope: Scope,
  node: string,
  error: ErrorReport,
): ErrorReport {
  const plan = fileOf(state.plan, scope.file);
  return crossBoundary(error, { workflow: plan.name, node, path: pathOf(scope, node) });
}

export function stampAt(state: RunState, path: string, kind: string): Stamp {
  const id = hashText([state.run, path, kind, state.seq].join('\u0000'));
  return { id: `err_${id}`, at: new Date(state.nowMs).toISOString() };
}

function locationOf(
  state: RunState,
  scope: Scope,
  node: string,
  writtenAt = nodeOf(fileOf(state.plan, scope.file), node).location,
): Location {
  const plan = fileOf(state.plan, scope.file);
  const { pointer, line, column, file } = writtenAt;
  return {
    workflow: plan.name,
    node,
    path: pathOf(scope, node),
    file: file ?? plan.file,
    pointer,
    ...(line === undefined ? {} : { line }),
    ...(column === undefined ? {} : { column }),
  };
}

/** Marks a kind that the node raised without declaring it; the kind stays. */
function undeclared(node: NodePlan, { kind }: ReportDraft): Partial<ReportDraft> {
  const isOwn = node.raises?.includes(kind) ?? true;
  return isOwn || isReservedKind(kind) ? {} : { undeclared: true };
}
