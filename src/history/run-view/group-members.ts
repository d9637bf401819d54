/** Counts the members of groups by how their branches ended; a branch that runs again has not ended. */
import { scopeIdOf } from '../../machine/state/plan-lookup.ts';
import type { RunEvent } from '../../machine/state/events.ts';
import { END } from '../../workflow/plan/route-plan.ts';
import { isUnhandled } from './read-view.ts';
import { putStep, stepAround, stepAt, type Draft } from './steps.ts';
import type { StepView } from './view.ts';

/** A branch has ended when a route of it leads to `$end`, or a failure propagates out of it. */
export function countMember(view: Draft, event: Extract<RunEvent, { type: 'route:taken' }>): void {
  const step = stepAt(view, event.path);
  const isBranch = scopeIdOf(event.path, event.node).endsWith(']');
  if (step === undefined || !isBranch) return;
  const good = event.to === END ? 'succeeded' : undefined;
  const how = event.move === 'propagate' ? 'failed' : good;
  if (how === undefined) return;
  putStep(view, { ...step, counted: how });
  addMember(view, step, how, 1);
}

/** Any event of a step whose branch had ended with it shows that the branch runs again. */
export function uncountMember(view: Draft, step: StepView): StepView {
  // most steps were not counted, and a copy takes longer than all else here
  if (step.counted === undefined) return step;
  const running = { ...step, counted: undefined };
  putStep(view, running);
  // a group that has begun anew counts from zero
  const group = stepAround(view, step);
  if ((group?.tries.at(-1)?.seq ?? 0) < step.lastSeq) addMember(view, step, step.counted, -1);
  return running;
}

/** A failed run reopens every failed member, in each group whose failure is unhandled. */
export function reopenMembers(view: Draft, endedAt: string | undefined): void {
  for (const step of view.steps) {
    const group = step.counted === 'failed' ? stepAround(view, step) : undefined;
    if (group !== undefined && isReopened(view, group, endedAt)) uncountMember(view, step);
  }
}

/**
 * Whether it failed or was stopped with the run, rather than earlier by something that handled its
 * failure.
 */
function isReopened(view: Draft, step: StepView, endedAt: string | undefined): boolean {
  if (step.status === 'failed') return isUnhandled(view, step);
  if (step.status !== 'cancelled') return false;
  const around = stepAround(view, step);
  return around === undefined ? step.endedAt === endedAt : isReopened(view, around, endedAt);
}

function addMember(
  view: Draft,
  member: StepView,
  how: 'succeeded' | 'failed',
  change: number,
): void {
  const group = stepAround(view, member);
  if (group?.members === undefined) return;
  const members = { ...group.members, [how]: Math.max(0, group.members[how] + change) };
  putStep(view, { ...group, members });
}
