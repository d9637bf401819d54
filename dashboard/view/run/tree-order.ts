/**
 * Steps in the reading order of a tree: each is followed by those that ran inside it, the members
 * of a group one after another.
 */
import type { StepView } from '../../../src/history/run-view/view.ts';

interface Place {
  readonly path: string;
  /** Absent for a member of a group, which may have several steps. */
  readonly step?: StepView;
}

/** Siblings stay in the order in which they started. */
export function inTreeOrder(steps: readonly StepView[]): readonly StepView[] {
  if (!steps.some(({ path }) => path.includes('/'))) return steps;
  const known = new Set(steps.map(({ path }) => path));
  const inside = new Map<string, Place[]>([['', []]]);
  for (const step of steps) placesIn(inside, scopeOf(step, known)).push({ path: step.path, step });
  const ordered: StepView[] = [];
  const add = (scope: string): void => {
    for (const { path, step } of inside.get(scope) ?? []) {
      if (step !== undefined) ordered.push(step);
      add(path);
    }
  };
  add('');
  return ordered;
}

/** A step whose surroundings are missing stands alone. */
function scopeOf({ path, node }: StepView, known: ReadonlySet<string>): string {
  const scope = path.slice(0, -`/${node}`.length);
  return known.has(groupOf(scope) ?? scope) ? scope : '';
}

function placesIn(inside: Map<string, Place[]>, scope: string): Place[] {
  const found = inside.get(scope);
  if (found !== undefined) return found;
  const places: Place[] = [];
  inside.set(scope, places);
  const group = groupOf(scope);
  if (group !== undefined) placesIn(inside, group).push({ path: scope });
  return places;
}

/** The group that a scope is a member of. */
function groupOf(scope: string): string | undefined {
  return scope.endsWith(']') ? scope.slice(0, scope.lastIndexOf('[')) : undefined;
}
