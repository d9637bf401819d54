/** The state of each box of a graph in a run: a box in a loop or a group stands for many steps. */
import { boxIdOf } from '../../../src/history/graph-layout/layout.ts';
import { isUnhandled } from '../../../src/history/run-view/read-view.ts';
import { stepAt } from '../../../src/history/run-view/steps.ts';
import type {
  MemberCounts,
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
  /** Members of a group, by how they ended. */
  readonly members?: MemberCounts;
  /** Some of its steps were not sent, so its counts are not whole. */
  readonly isCut: boolean;
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

/** `known`: the ids of all boxes. */
export function boxStates(
  view: RunView,
  known: ReadonlySet<string>,
): ReadonlyMap<string, BoxState> {
  const states = new Map<string, BoxState>();
  for (const step of view.steps) {
    const id = boxOf(step.path, known);
    states.set(id, added(states.get(id), step, isUnhandled(view, step)));
  }
  if (view.leftOut === undefined) return states;
  return new Map([...states].map(([id, state]) => [id, { ...state, isCut: true }]));
}

function added(before: BoxState | undefined, step: StepView, isBad: boolean): BoxState {
  const { status, attempts, members } = step;
  if (before === undefined)
    return {
      status,
      counts: { [status]: 1 },
      steps: 1,
      ...(members === undefined ? {} : { members }),
      isCut: false,
      isBad,
      attempts,
    };
  return {
    ...before,
    status: ORDER.indexOf(status) < ORDER.indexOf(before.status) ? status : before.status,
    counts: { ...before.counts, [status]: (before.counts[status] ?? 0) + 1 },
    steps: before.steps + 1,
    ...withMembers(before.members, members),
    isBad: before.isBad || isBad,
    attempts: Math.max(before.attempts, attempts),
  };
}

/** A group inside another is one box for all of its runs. */
function withMembers(
  before: MemberCounts | undefined,
  more: MemberCounts | undefined,
): Pick<BoxState, 'members'> {
  if (before === undefined || more === undefined) return {};
  return {
    members: {
      all: before.all + more.all,
      succeeded: before.succeeded + more.succeeded,
      failed: before.failed + more.failed,
    },
  };
}

export interface TakenRoutes {
  /** By the id of the box and the number of the rule. */
  readonly success: ReadonlySet<string>;
  /** The same, with the table of the rule; true where the failure is still open. */
  readonly failure: ReadonlyMap<string, boolean>;
}

/** A handler of a member runs inside its group, and its box stands beside it. */
export function boxOf(path: string, known: ReadonlySet<string>): string {
  const parts = boxIdOf(path).split('/');
  const last = parts.pop() ?? '';
  for (let left = parts.length; left >= 0; left--) {
    const id = [...parts.slice(0, left), last].join('/');
    if (known.has(id)) return id;
  }
  return boxIdOf(path);
}

export function takenRoutes(view: RunView, known: ReadonlySet<string>): TakenRoutes {
  const success = new Set<string>();
  const failure = new Map<string, boolean>();
  for (const route of view.routes) {
    const box = boxOf(route.path, known);
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
