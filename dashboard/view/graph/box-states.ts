/** The state of each box of a graph in a run: a box in a loop or a group stands for many steps. */
import { boxIdOf } from '../../../src/history/graph-layout/layout.ts';
import { isUnhandled } from '../../../src/history/run-view/read-view.ts';
import { stepAt } from '../../../src/history/run-view/steps.ts';
import type {
  RunView,
  StepStatus,
  StepView,
  TakenRoute,
} from '../../../src/history/run-view/view.ts';

export interface BoxState {
  readonly status: StepStatus;
  /** Steps of it by status, where it has more than one. */
  readonly counts: Readonly<Partial<Record<StepStatus, number>>>;
  readonly steps: number;
  /** A failure that nothing has dealt with: only that is red. */
  readonly isBad: boolean;
  readonly attempts: number;
}

/** The first that one of its steps has is the status of the box. */
const ORDER: readonly StepStatus[] = [
  'running',
  'waiting',
  'failed',
  'cancelled',
  'skipped',
  'completed',
];

export function boxStates(view: RunView): ReadonlyMap<string, BoxState> {
  const states = new Map<string, BoxState>();
  for (const step of view.steps) {
    const id = boxIdOf(step.path);
    states.set(id, added(states.get(id), step, isUnhandled(view, step)));
  }
  return states;
}

function added(before: BoxState | undefined, step: StepView, isBad: boolean): BoxState {
  const { status, attempts } = step;
  if (before === undefined) return { status, counts: { [status]: 1 }, steps: 1, isBad, attempts };
  return {
    status: ORDER.indexOf(status) < ORDER.indexOf(before.status) ? status : before.status,
    counts: { ...before.counts, [status]: (before.counts[status] ?? 0) + 1 },
    steps: before.steps + 1,
    isBad: before.isBad || isBad,
    attempts: Math.max(before.attempts, attempts),
  };
}

export interface TakenRoutes {
  /** By the id of the box and the number of the rule. */
  readonly success: ReadonlySet<string>;
  /** The same, with the table of the rule; true where the failure is still open. */
  readonly failure: ReadonlyMap<string, boolean>;
}

export function takenRoutes(view: RunView): TakenRoutes {
  const success = new Set<string>();
  const failure = new Map<string, boolean>();
  for (const route of view.routes) {
    const box = boxIdOf(route.path);
    if (route.kind === undefined) success.add(successKey(box, route));
    else {
      const key = failureKey(
        box,
        route.bucket === 'workflow' ? 'workflow' : 'error',
        route.rule ?? -1,
      );
      failure.set(key, isStillOpen(view, route) || failure.get(key) === true);
    }
  }
  return { success, failure };
}

/** Whether the failure that took this route has ended the run, or is waited with. */
function isStillOpen(view: RunView, { path }: TakenRoute): boolean {
  const step = stepAt(view, path);
  if (step === undefined || view.status === 'completed') return false;
  return isUnhandled(view, step) || (step.status === 'waiting' && step.error !== undefined);
}

/** The option of a gate that leads somewhere itself has no rule. */
export function successKey(
  box: string,
  { rule, to = '' }: { readonly rule?: number; readonly to?: string },
): string {
  return `${box} ${rule ?? `to ${to}`}`;
}

export function failureKey(box: string, bucket: 'error' | 'workflow', rule: number): string {
  return `${box} ${bucket} ${rule}`;
}
