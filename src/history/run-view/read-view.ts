/** Facts that a view implies: how long the run was executed, and which failure matters now. */
import type { PersonReport } from '../../errors/report/audiences.ts';
import type { RunStatusName } from '../../machine/ports/store-port.ts';
import { openBar } from './bars.ts';
import { isOpen, stepAround, stepAt } from './steps.ts';
import type { RunView, StepFailure, StepView } from './view.ts';

/**
 * Time in which the run was executed; it stops while the run is paused. A run whose process is gone
 * was executed until its last event.
 */
export function elapsedMs(view: RunView, status: RunStatusName, nowMs: number): number {
  const open = status === 'interrupted' ? Date.parse(view.at) : nowMs;
  return view.legs.reduce((sum, { from, to }) => {
    const endMs = to === undefined ? open : Date.parse(to);
    return sum + Math.max(0, endMs - Date.parse(from));
  }, 0);
}

/** The failure that the run ended with, or waits with: for an answer, a time or a person. */
export function openFailure(view: RunView): PersonReport | undefined {
  if (view.status === 'completed' || view.status === 'cancelled') return undefined;
  if (view.error !== undefined) return view.error;
  return failedStep(view)?.error;
}

/** The step whose failure the run waits with. */
export function failedStep(view: RunView): StepView | undefined {
  const paths = [
    ...view.gates.map(({ path }) => path),
    ...(view.waiting?.all ?? []).flatMap(({ path }) => (path === undefined ? [] : [path])),
  ];
  for (const path of paths) {
    const step = stepAt(view, path);
    if (step?.error !== undefined) return step;
  }
  return undefined;
}

/** Whether it waits before it is tried again, or before its model or tool is called again. */
export function isBackingOff(step: StepView): boolean {
  return isOpen(step) && openBar(step)?.kind === 'backoff';
}

/** The failure that an unfinished step waits with: its own, or that of a call to be repeated. */
export function waitingFailure(step: StepView): StepFailure | undefined {
  const last = step.failures.at(-1);
  if (step.status === 'waiting' && step.error !== undefined) return last;
  return isBackingOff(step) && last?.fate === 'open' ? last : undefined;
}

/** Whether its failure ended the run, or it waits with it: only such failures are red. */
export function hasOpenFailure(view: RunView, step: StepView): boolean {
  if (view.status === 'completed') return false;
  return isUnhandled(view, step) || (step.status === 'waiting' && step.error !== undefined);
}

/** Whether a step failed and no enclosing node dealt with that: only such failures are red. */
export function isUnhandled(view: RunView, step: StepView): boolean {
  const last = step.failures.at(-1);
  if (step.status !== 'failed' || last?.fate === 'handled') return false;
  if (view.status === 'completed') return false;
  const around = stepAround(view, step);
  if (around === undefined) return true;
  return around.status !== 'completed' && (around.status !== 'failed' || isUnhandled(view, around));
}
