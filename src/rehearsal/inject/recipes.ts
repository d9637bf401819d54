/**
 * The ways to cause a failure, the most realistic first: at its real source, by a recipe where the
 * machine makes it, or else at the node before it does anything.
 */
import { isReservedKind } from '../../errors/catalog/kinds.ts';
import type { Place } from '../places/atlas.ts';
import { draftOf } from './drafts.ts';
import { at, type RecipeContext } from './recipe-context.ts';
import { effectRecipes } from './effect-recipes.ts';
import { groupRecipes, childRecipes } from './inner-recipes.ts';
import { modelRecipes } from './model-recipes.ts';
import type { Recipe } from './strike.ts';

/** Empty: nothing can bring it about. */
export function recipesFor(context: RecipeContext, place: Place, kind: string): readonly Recipe[] {
  const { node } = place;
  const asserted = node.assert.filter(({ raise }) => raise === kind);
  const first = asserted.map(({ index }) => at(place, kind, { type: 'assertion', index }));
  if (kind.startsWith('group.') && (node.type === 'parallel' || node.type === 'for_each')) {
    const ways = groupRecipes({ ...context, recipesFor }, place, kind);
    return ways.length === 0 ? [] : [...ways, atNode(context, place, kind)];
  }
  return [...first, ...byType(context, place, kind), atNode(context, place, kind)];
}

function byType(context: RecipeContext, place: Place, kind: string): readonly Recipe[] {
  const { node } = place;
  switch (node.type) {
    case 'agent':
    case 'supervisor':
      return modelRecipes(context, place, kind);
    case 'script':
    case 'call':
    case 'tool':
    case 'transform':
      return isOfMachine(kind) ? [] : effectRecipes(context, place, kind);
    case 'workflow':
      if (kind === 'limit.node_timeout') return stalls(place, kind);
      return childRecipes({ ...context, recipesFor }, place, kind);
    case 'parallel':
    case 'for_each':
    case 'wait':
      return kind === 'limit.node_timeout' ? stalls(place, kind) : [];
    case 'human_gate':
      return gateRecipes(place, kind);
    case 'set':
    case 'terminate':
      return [];
  }
}

function stalls(place: Place, kind: string): readonly Recipe[] {
  return place.node.timeoutMs === undefined ? [] : [at(place, kind, { type: 'stall' })];
}

function gateRecipes(place: Place, kind: string): readonly Recipe[] {
  if (kind === 'gate.expired') return [at(place, kind, { type: 'silence' })];
  if (kind !== 'gate.no_one_to_ask') return [];
  return [
    (tries) =>
      at(place, kind, { type: 'silence' })(tries).map((strike) => ({ ...strike, isAlone: true })),
  ];
}

/** Kinds that the machine gives to a node, not its effect. */
function isOfMachine(kind: string): boolean {
  return kind.startsWith('validation.') || kind.startsWith('route.') || isLimitOfFile(kind);
}

function isLimitOfFile(kind: string): boolean {
  return kind.startsWith('limit.') && kind !== 'limit.node_timeout' && isReservedKind(kind);
}

function atNode({ details, values }: RecipeContext, place: Place, kind: string): Recipe {
  const failure = draftOf(place, kind, details);
  const isAfterwards = kind === 'route.no_match' || kind === 'route.guard_failed';
  // its routes are chosen after its work, so it has an output by then
  const output =
    isAfterwards && !kind.startsWith('validation') ? { output: values.base(place) } : {};
  return at(place, kind, { type: 'node', failure, ...output });
}
