/** The state of each box of a graph in a run: a box in a loop or a group stands for many steps. */
import { boxIdOf } from '../../../src/history/graph-layout/layout.ts';
import { hasOpenFailure, isUnhandled } from '../../../src/history/run-view/read-view.ts';
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
  /** The number of its steps by status, if it has more than one. */
  readonly counts: Readonly<Partial<Record<StepStatus, number>>>;
  readonly steps: number;
  /** Members of a group, by their endings. */
  readonly members?: MemberCounts;
  /** Some of its steps were not sent, so its counts are incomplete. */
  readonly isCut: boolean;
  /** A failure that nothing has handled: only this is red. */
  readonly isBad: boolean;
}

/** A state while steps are added to it: a run may have tens of thousands. */
interface Counting {
  status: StepStatus;
  readonly counts: Partial<Record<StepStatus, number>>;
  steps: number;
  members?: MemberCounts;
  readonly isCut: boolean;
  isBad: boolean;
}

/** The box gets the first of these statuses that one of its steps has. */
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
  const states = new Map<string, Counting>();
  const isCut = view.leftOut !== undefined;
  view.steps.forEach((step) => {
    const id = boxOf(step.path, known);
    const state = states.get(id) ?? {
      status: step.status,
      counts: {},
      steps: 0,
      isCut,
      isBad: false,
    };
    if (state.steps === 0) states.set(id, state);
    count(state, step, isUnhandled(view, step));
  });
  return states;
}

function count(state: Counting, { status, members }: StepView, isBad: boolean): void {
  if (ORDER.indexOf(status) < ORDER.indexOf(state.status)) state.status = status;
  state.counts[status] = (state.counts[status] ?? 0) + 1;
  const before = state.steps === 0 ? NO_MEMBERS : state.members;
  if (members !== undefined && before !== undefined) state.members = together(before, members);
  state.steps += 1;
  state.isBad ||= isBad;
}

const NO_MEMBERS: MemberCounts = { all: 0, succeeded: 0, failed: 0 };

/** A group inside another has one box for all of its runs. */
function together(some: MemberCounts, more: MemberCounts): MemberCounts {
  return {
    all: some.all + more.all,
    succeeded: some.succeeded + more.succeeded,
    failed: some.failed + more.failed,
  };
}

export interface TakenRoutes {
  /** Keyed by the id of the box and the number of the rule. */
  readonly success: ReadonlySet<string>;
  /** The same, plus the table of the rule; true if the failure is still open. */
  readonly failure: ReadonlyMap<string, boolean>;
}

/** Boxes by path, cached because the graph asks for every step at each drawing. */
const boxes = new WeakMap<ReadonlySet<string>, Map<string, string>>();

/** `known`: the ids of all boxes. */
export function boxOf(path: string, known: ReadonlySet<string>): string {
  const found = boxes.get(known) ?? new Map<string, string>();
  boxes.set(known, found);
  const box = found.get(path) ?? nearestBox(path, known);
  found.set(path, box);
  return box;
}

/** The handler of a member runs inside its group, but its box is beside the group. */
function nearestBox(path: string, known: ReadonlySet<string>): string {
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

/** Whether the failure that took this route has ended the run, or is still open. */
function isStillOpen(view: RunView, { path }: TakenRoute): boolean {
  const step = stepAt(view, path);
  return step !== undefined && hasOpenFailure(view, step);
}

/** The option of a gate with a target of its own has no rule. */
export function successKey(
  box: string,
  { rule, to = '' }: { readonly rule?: number; readonly to?: string },
): string {
  return `${box} ${rule ?? `to ${to}`}`;
}

export function failureKey(box: string, bucket: 'error' | 'workflow', rule: number): string {
  return `${box} ${bucket} ${rule}`;
}
