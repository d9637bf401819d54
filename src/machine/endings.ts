/**
 * Ends that come from outside a node: a run that fails as a whole, a workflow whose limit is reached,
 * a try whose time is up. `stopping.ts` sees to it that whatever is under way inside has ended first.
 */
import { buildReport } from '../errors/build.ts';
import { durationWords } from '../errors/render/words.ts';
import type { ErrorReport, ReportDraft } from '../errors/report.ts';
import type { Outcome } from '../errors/vocabulary.ts';
import type { FilePlan } from '../workflow/model.ts';
import type { NodePlan } from '../workflow/node-model.ts';
import { failureAwaited } from './awaited.ts';
import { workflowDeadlineMs } from './clocks.ts';
import { DOUBT } from './doubt.ts';
import type { EventBody } from './events.ts';
import { crossedAt, failed, failureAt, stampAt } from './failure.ts';
import { fileOf, scopeOf, visitOf, workflowsAround } from './plan-lookup.ts';
import type { PendingEffect, RunState, Scope } from './state.ts';

/** The run is over. */
export function failRun(error: ErrorReport): readonly EventBody[] {
  const partial = error.kind === 'terminate.failed' ? terminationOutput(error) : {};
  return [{ type: 'run:failed', error, ...partial }];
}

/** A workflow as a whole has failed: the run, or a child for the node that called it. */
export function failWorkflow(
  state: RunState,
  scope: Scope,
  error: ErrorReport,
): readonly EventBody[] {
  if (scope.parent === undefined) return failRun(error);
  const caller = scopeOf(state, scope.parent);
  const { node, path } = visitOf(caller);
  const { name } = fileOf(state.plan, scope.file);
  return [
    { type: 'child:ended', node, path, workflow: name, status: 'failed' },
    { type: 'node:failed', node, path, error: crossedAt(state, caller, node, error) },
  ];
}

/** A wait that cannot end in time is not waited for: the limit is reached now, by its cause. */
export function lateFor(
  state: RunState,
  scope: Scope,
  untilMs: number,
  cause: ErrorReport | undefined,
): readonly EventBody[] | undefined {
  if (untilMs === Infinity) return undefined;
  for (const around of workflowsAround(state, scope)) {
    if (untilMs > (workflowDeadlineMs(state, around) ?? Infinity))
      return runTimeout(state, around, { cause, needed: untilMs - state.nowMs });
  }
  return undefined;
}

/** The time of a workflow is up. */
export function outOfTime(state: RunState, scope: Scope): readonly EventBody[] {
  return runTimeout(state, scope, { cause: failureAwaited(state, scope) });
}

function runTimeout(
  state: RunState,
  scope: Scope,
  { cause, needed }: { readonly cause: ErrorReport | undefined; readonly needed?: number },
): readonly EventBody[] {
  const plan = fileOf(state.plan, scope.file);
  const limit = plan.limits.timeoutMs ?? 0;
  const spent = state.nowMs - scope.clockFromMs;
  const owner = scope.parent === undefined ? 'The run' : plan.name;
  const draft: ReportDraft = {
    kind: 'limit.run_timeout',
    message:
      needed === undefined
        ? `${owner} has used its ${durationWords(limit)}`
        : `${owner} would have to wait ${durationWords(needed)}, and has ${durationWords(limit - spent)} left of its ${durationWords(limit)}`,
    details: { limit, spent, ...(needed === undefined ? {} : { needed }) },
    ...(cause === undefined ? {} : { cause }),
  };
  return failWorkflow(state, scope, atWorkflow(state, scope, plan, draft));
}

/** A limit of the whole workflow has no node of its own: it stands at the workflow. */
function atWorkflow(
  state: RunState,
  scope: Scope,
  plan: FilePlan,
  draft: ReportDraft,
): ErrorReport {
  const { pointer, line, column } = plan.location;
  const at = scope.visit === undefined ? {} : { node: scope.visit.node, path: scope.visit.path };
  return buildReport(
    {
      ...draft,
      location: {
        workflow: plan.name,
        file: plan.file,
        ...at,
        pointer,
        ...(line === undefined ? {} : { line }),
        ...(column === undefined ? {} : { column }),
      },
      frames: [{ workflow: plan.name, ...at }],
    },
    { stamp: stampAt(state, scope.id, draft.kind) },
  );
}

/** Too many re-runs, in the innermost workflow that has a limit for them. */
export function outOfRetries(
  state: RunState,
  scope: Scope,
  cause: ErrorReport,
): readonly EventBody[] | undefined {
  for (const around of workflowsAround(state, scope)) {
    const plan = fileOf(state.plan, around.file);
    const limit = plan.limits.maxRetries;
    if (limit !== undefined && around.retries >= limit) {
      const { node } = visitOf(scope);
      const owner = around.parent === undefined ? 'The run' : plan.name;
      return failWorkflow(
        state,
        around,
        failureAt(state, scope, node, {
          kind: 'limit.retries',
          message: `${owner} has used its ${limit} retries`,
          details: { limit, spent: around.retries },
          cause,
        }),
      );
    }
  }
  return undefined;
}

/** The time of a try is up. */
export function tryTimedOut(state: RunState, scope: Scope, node: NodePlan): readonly EventBody[] {
  const visit = visitOf(scope);
  const limit = node.timeoutMs ?? 0;
  const cause = failureAwaited(state, scope);
  const error = failureAt(state, scope, visit.node, {
    kind: 'limit.node_timeout',
    message: `${visit.node} has used its ${durationWords(limit)}`,
    details: { limit, spent: limit + state.nowMs - (visit.deadlineMs ?? state.nowMs) },
    frames: [{ workflow: fileOf(state.plan, scope.file).name, node: visit.node, path: visit.path }],
    ...(cause === undefined ? {} : { cause }),
  });
  // what may have happened is asked about, however late it is
  const inDoubt = visit.talk?.calls.find(({ result }) => result?.error?.kind === DOUBT);
  return [failed(visit, inDoubt?.result?.error ?? error)];
}

/** An effect that is no longer wanted. */
export function stopped(
  state: RunState,
  { scope: id, effect }: PendingEffect,
  what: { readonly message: string; readonly outcome?: Outcome },
): EventBody {
  const scope = scopeOf(state, id);
  const { node, path } = visitOf(scope);
  const kind = effect.type === 'model' ? 'cancelled.call' : 'cancelled.tool';
  const error = failureAt(state, scope, node, { kind, ...what });
  return { type: 'effect:failed', node, path, effect, error };
}

/** It was asked for in the step that stops it. */
export function neverBegun(state: RunState, pending: PendingEffect): EventBody {
  const message = 'It was stopped before it began';
  return stopped(state, pending, { message, outcome: 'not_started' });
}

function terminationOutput({
  details,
}: ErrorReport): Pick<Extract<EventBody, { type: 'run:failed' }>, 'output'> {
  const output = details?.['output'];
  return output === undefined ? {} : { output };
}
