/**
 * Ends that come from outside a node: a run that fails as a whole, a workflow that reaches a limit, an
 * attempt whose time is up. `stop-effects.ts` makes them wait until the effects inside have ended.
 */
import { buildReport } from '../../errors/report/build.ts';
import { durationWords } from '../../errors/render/report-words.ts';
import type { ErrorReport, ReportDraft } from '../../errors/report/report.ts';
import type { Outcome } from '../../errors/catalog/vocabulary.ts';
import type { FilePlan } from '../../workflow/plan/plan.ts';
import type { NodePlan } from '../../workflow/plan/node-plan.ts';
import { pendingFailure } from './pending-failure.ts';
import { workflowDeadlineMs } from '../policy/deadlines.ts';
import { OUTCOME_UNKNOWN } from '../policy/unknown-outcome.ts';
import type { EventBody } from '../state/events.ts';
import { crossedAt, nodeFailed, failureAt, stampAt } from './failure-reports.ts';
import { fileOf, scopeOf, visitOf, workflowsAround } from '../state/plan-lookup.ts';
import type { PendingEffect, RunState, Scope } from '../state/state.ts';

/** Fails the run. */
export function failRun(error: ErrorReport): readonly EventBody[] {
  const partial = error.kind === 'terminate.failed' ? terminationOutput(error) : {};
  return [{ type: 'run:failed', error, ...partial }];
}

/** Fails a whole workflow: the run, or the node that called a child. */
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

/** Fails at once when a wait would end after the deadline of a workflow. */
export function failIfTooLate(
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

/** Fails a workflow that is past its deadline. */
export function workflowTimedOut(state: RunState, scope: Scope): readonly EventBody[] {
  return runTimeout(state, scope, { cause: pendingFailure(state, scope) });
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
        ? `${owner} has reached its time limit of ${durationWords(limit)}`
        : `${owner} would have to wait ${durationWords(needed)}, but has only ${durationWords(limit - spent)} of its ${durationWords(limit)} left`,
    details: { limit, spent, ...(needed === undefined ? {} : { needed }) },
    ...(cause === undefined ? {} : { cause }),
  };
  return failWorkflow(state, scope, atWorkflow(state, scope, plan, draft));
}

/** A limit of the whole workflow has no node: its location is the workflow. */
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

/** Fails the innermost workflow whose limit of re-runs is reached. */
export function retriesUsedUp(
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
          message:
            limit === 0
              ? `${owner} may not retry: its \`max_retries\` is 0`
              : `${owner} has used all of its ${limit} retries`,
          details: { limit, spent: around.retries },
          cause,
        }),
      );
    }
  }
  return undefined;
}

/** Fails an attempt that is past its deadline. */
export function attemptTimedOut(
  state: RunState,
  scope: Scope,
  node: NodePlan,
): readonly EventBody[] {
  const visit = visitOf(scope);
  const limit = node.timeoutMs ?? 0;
  const cause = pendingFailure(state, scope);
  const error = failureAt(state, scope, visit.node, {
    kind: 'limit.node_timeout',
    message: `${visit.node} has reached its time limit of ${durationWords(limit)}`,
    details: { limit, spent: limit + state.nowMs - (visit.deadlineMs ?? state.nowMs) },
    frames: [{ workflow: fileOf(state.plan, scope.file).name, node: visit.node, path: visit.path }],
    ...(cause === undefined ? {} : { cause }),
  });
  // an unknown outcome takes precedence, so that a person is asked about it
  const inDoubt = visit.conversation?.calls.find(
    ({ result }) => result?.error?.kind === OUTCOME_UNKNOWN,
  );
  return [nodeFailed(visit, inDoubt?.result?.error ?? error)];
}

/** The end of an effect that was stopped because it is no longer needed. */
export function stoppedEffect(
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

/** The effect was requested in the same step that stops it. */
export function stoppedBeforeStart(state: RunState, pending: PendingEffect): EventBody {
  const message = 'The effect was stopped before it started';
  return stoppedEffect(state, pending, { message, outcome: 'not_started' });
}

function terminationOutput({
  details,
}: ErrorReport): Pick<Extract<EventBody, { type: 'run:failed' }>, 'output'> {
  const output = details?.['output'];
  return output === undefined ? {} : { output };
}
