/** Steps of a view: finds one by its path, puts its next form in place, and stops what runs inside. */
import { scopeIdOf } from '../../machine/state/plan-lookup.ts';
import { NO_ITEMS, endBar, endTry } from './bars.ts';
import type { RunView, StepView } from './view.ts';

export function stepAt({ steps, places }: RunView, path: string): StepView | undefined {
  const at = places.get(path);
  return at === undefined ? undefined : steps.at(at);
}

/** The step that this one runs inside: its group, or the node that started its workflow. */
export function stepAround(view: RunView, { path, node }: StepView): StepView | undefined {
  const scope = scopeIdOf(path, node);
  if (scope === '') return undefined;
  return stepAt(view, scope.endsWith(']') ? scope.slice(0, scope.lastIndexOf('[')) : scope);
}

export function isOpen({ status }: Pick<StepView, 'status'>): boolean {
  return status === 'running' || status === 'waiting';
}

export function newStep(
  { path, node }: { readonly path: string; readonly node: string },
  { at, seq }: { readonly at: string; readonly seq: number },
): StepView {
  return {
    path,
    node,
    status: 'running',
    startedAt: at,
    firstSeq: seq,
    lastSeq: seq,
    attempts: 0,
    tries: NO_ITEMS,
    failures: NO_ITEMS,
    bars: NO_ITEMS,
    holds: false,
    openInside: 0,
    calls: 0,
    costUsdMicros: 0,
    tokens: 0,
    pending: [],
  };
}

/** Keeps count of what is open, in the run and in each step around it. */
export function putStep(view: RunView, step: StepView): RunView {
  const before = stepAt(view, step.path);
  if (before === step) return view;
  const was = before !== undefined && isOpen(before);
  const change = Number(isOpen(step)) - Number(was);
  const placed = place(view, step);
  return change === 0 ? placed : countOpen(placed, step, change);
}

function place(view: RunView, step: StepView): RunView {
  const at = view.places.get(step.path);
  if (at !== undefined) return { ...view, steps: view.steps.with(at, step) };
  return { ...view, steps: view.steps.add(step), places: view.places.add(step.path) };
}

function countOpen(view: RunView, step: StepView, change: number): RunView {
  let counted: RunView = { ...view, open: view.open + change };
  for (let around = stepAround(counted, step); around !== undefined;) {
    counted = place(counted, { ...around, openInside: around.openInside + change });
    around = stepAround(counted, around);
  }
  return counted;
}

/** `''` is the whole run. */
export function isInside(path: string, inner: string): boolean {
  return path === '' || inner.startsWith(`${path}[`) || inner.startsWith(`${path}/`);
}

/** Steps that are still open inside one that has ended were stopped with it; `''` is the whole run. */
export function stopInside(view: RunView, path: string, at: string): RunView {
  let stopped = view;
  // what runs inside a step first started after it
  for (let place = view.places.get(path) ?? 0; place < view.steps.length; place++) {
    const left = path === '' ? stopped.open : (stepAt(stopped, path)?.openInside ?? 0);
    if (left === 0) break;
    const step = stopped.steps.at(place);
    if (step === undefined || !isOpen(step) || !isInside(path, step.path)) continue;
    stopped = putStep(stopped, stopStep(step, at));
  }
  const gates = stopped.gates.filter((gate) => !isInside(path, gate.path));
  return gates.length === stopped.gates.length ? stopped : { ...stopped, gates };
}

function stopStep(step: StepView, at: string): StepView {
  const { live: _live, ...rest } = endTry(endBar(step, at), 'cancelled', { at });
  return { ...rest, status: 'cancelled', endedAt: at, pending: [] };
}
