/** Reports that the machine makes: stamped and located from what happened, so that a replay is equal. */
import { buildReport, crossBoundary, rebuild } from '../errors/build.ts';
import { isReservedKind } from '../errors/kinds.ts';
import type { ErrorReport, Location, ReportDraft, Stamp } from '../errors/report.ts';
import { toReport } from '../errors/to-report.ts';
import { hashText } from '../workflow/hash.ts';
import type { NodePlan } from '../workflow/node-model.ts';
import type { EventBody } from './events.ts';
import { fileOf, nodeOf, pathOf } from './plan-lookup.ts';
import type { RunState, Scope, Visit } from './state.ts';

/** The present try of a node fails with it. */
export function failed(
  { node, path }: Visit,
  error: ErrorReport,
): Extract<EventBody, { type: 'node:failed' }> {
  return { type: 'node:failed', node, path, error };
}

/** An open breaker turns a call away: nobody was asked, so it is no attempt. */
export function isTurnedAway({ kind }: Pick<ErrorReport, 'kind'>): boolean {
  return kind === 'breaker.open';
}

export function failureAt(
  state: RunState,
  scope: Scope,
  node: string,
  draft: ReportDraft,
): ErrorReport {
  const path = pathOf(scope, node);
  const plan = fileOf(state.plan, scope.file);
  const report = buildReport(draft, { stamp: stampAt(state, path, draft.kind) });
  return rebuild(report, {
    ...(draft.location === undefined ? { location: locationOf(state, scope, node) } : {}),
    ...(report.frames === undefined ? { frames: [{ workflow: plan.name, node, path }] } : {}),
    ...(report.attempt === undefined ? { attempt: { number: tryOf(scope, node) } } : {}),
    ...undeclared(nodeOf(plan, node), report),
  });
}

/** From 1. */
function tryOf({ visit }: Scope, node: string): number {
  return visit?.node === node ? visit.attempt + 1 : 1;
}

/** What a template or a schema threw, as the node's failure. */
export function thrownAt(
  state: RunState,
  scope: Scope,
  node: string,
  thrown: unknown,
): ErrorReport {
  const stamp = stampAt(state, pathOf(scope, node), 'thrown');
  return failureAt(state, scope, node, toReport(thrown, { stamp }));
}

/** A child's failure as its caller sees it: the same, one boundary further out. */
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

function locationOf(state: RunState, scope: Scope, node: string): Location {
  const plan = fileOf(state.plan, scope.file);
  const { pointer, line, column, file } = nodeOf(plan, node).location;
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

/** A kind that the node raised without declaring it keeps its name and is marked. */
function undeclared(node: NodePlan, { kind }: ErrorReport): Partial<ReportDraft> {
  const isOwn = node.raises?.includes(kind) ?? true;
  return isOwn || isReservedKind(kind) ? {} : { undeclared: true };
}
