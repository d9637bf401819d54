/**
 * Steps of a view: finds one by its path, replaces it by its next form, and stops those inside it.
 */
import { scopeIdOf } from '../../machine/state/plan-lookup.ts';
import { NO_ITEMS, endBar, endTry } from './bars.ts';
import type { RunView, StepView } from './view.ts';

/** A view while one event is folded into it; nobody else has it yet. */
export type Draft = { -readonly [K in keyof RunView]: RunView[K] };

export function stepAt(
  { steps, places }: Pick<RunView, 'steps' | 'places'>,
  path: string,
): StepView | undefined {
  const at = places.get(path);
  return at === undefined ? undefined : steps.at(at);
}

/** The step that this one runs inside: its group, or the node that started its workflow. */
export function stepAround(
  view: Pick<RunView, 'steps' | 'places'>,
  { path, node }: Pick<StepView, 'path' | 'node'>,
): StepView | undefined {
  const scope = scopeIdOf(path, node);
  if (scope === '') return undefined;
  return stepAt(view, scope.endsWith(']') ? scope.slice(0, scope.lastIndexOf('[')) : scope);
}

export function isOpen({ status }: Pick<StepView, 'status'>): boolean {
  return status === 'running' || status === 'waiting';
}

const NO_CALLS: readonly never[] = [];

/** Has every field: steps of one shape are folded twice as fast as steps with fewer or more. */
export function newStep(
  { path, node }: { readonly path: string; readonly node: string },
  { at, seq }: { readonly at: string; readonly seq: number },
): StepView {
  return {
    path,
    node,
    status: 'running',
    startedAt: at,
    endedAt: undefined,
    firstSeq: seq,
    lastSeq: seq,
    attempts: 0,
    tries: NO_ITEMS,
    error: undefined,
    failures: NO_ITEMS,
    bars: NO_ITEMS,
    members: undefined,
    child: undefined,
    holds: false,
    openInside: 0,
    calls: 0,
    costUsdMicros: 0,
    tokens: 0,
    target: undefined,
    pending: NO_CALLS,
    live: undefined,
    counted: undefined,
    answerRow: undefined,
    judgedRow: undefined,
  };
}

/** Keeps count of open steps, in the run and in each enclosing step. */
export function putStep(view: Draft, step: StepView): void {
  const at = view.places.get(step.path);
  const before = at === undefined ? undefined : view.steps.at(at);
  if (before === step) return;
  const was = before !== undefined && isOpen(before);
  place(view, step, at);
  const change = Number(isOpen(step)) - Number(was);
  if (change !== 0) countOpen(view, step, change);
}

function place(view: Draft, step: StepView, at = view.places.get(step.path)): void {
  if (at === undefined) {
    view.places = view.places.add(step.path);
    view.steps = view.steps.add(step);
  } else view.steps = view.steps.with(at, step);
}

function countOpen(view: Draft, step: StepView, change: number): void {
  view.open += change;
  let around = stepAround(view, step);
  while (around !== undefined) {
    place(view, { ...around, holds: true, openInside: around.openInside + change });
    around = stepAround(view, around);
  }
}

/** `''` is the whole run. */
export function isInside(path: string, inner: string): boolean {
  return path === '' || inner.startsWith(`${path}[`) || inner.startsWith(`${path}/`);
}

/** Stops what is open inside a step or a branch, and drops its questions; `''` is the whole run. */
export function stopInside(view: Draft, path: string, at: string): void {
  // steps inside a step first started after it
  for (let index = view.places.get(path) ?? 0; index < view.steps.length; index++) {
    const left = path === '' ? view.open : (stepAt(view, path)?.openInside ?? view.open);
    if (left === 0) break;
    const step = view.steps.at(index);
    if (step !== undefined && isOpen(step) && isInside(path, step.path))
      putStep(view, stopStep(step, at));
  }
  if (view.gates.length > 0) view.gates = view.gates.filter((gate) => !isInside(path, gate.path));
}

function stopStep(step: StepView, at: string): StepView {
  const ended = endTry(endBar(step, at), 'cancelled', { at });
  return { ...ended, status: 'cancelled', endedAt: at, pending: NO_CALLS, live: undefined };
}
