/**
 * Rewinds a view to a node that runs again with all that follows it. Everything under way in its
 * scope stops, and the enclosing steps drop their questions and waits, because something inside
 * them runs again.
 */
import { scopeIdOf } from '../../machine/state/plan-lookup.ts';
import { runInside } from './in-node.ts';
import { uncountMember } from './group-members.ts';
import { putStep, stepAround, stepAt, stopInside, type Draft } from './steps.ts';

export function rewind(view: Draft, from: string, at: string): void {
  const node = stepAt(view, from)?.node ?? from.slice(from.lastIndexOf('/') + 1);
  const scope = scopeIdOf(from, node);
  stopInside(view, scope, at);
  for (const step of view.steps)
    if (step.counted !== undefined && scopeIdOf(step.path, step.node) === scope)
      uncountMember(view, step);
  let around = stepAround(view, { path: from, node });
  while (around !== undefined) {
    const { path } = around;
    view.gates = view.gates.filter((gate) => gate.path !== path);
    const step = uncountMember(view, around);
    if (step.status === 'waiting') putStep(view, runInside(step, at));
    around = stepAround(view, around);
  }
}
