/** Failures from inside a node: of a child that lets them through, of members of a group. */
import { letsGo } from '../../workflow/check/routing.ts';
import { reachable, buildFlow } from '../../workflow/check/flow-graph.ts';
import type { GroupPlan } from '../../workflow/plan/node-plan.ts';
import type { Place } from '../places/atlas.ts';
import type { RecipeContext } from './recipe-context.ts';
import { EVERY, type Recipe, type Strike } from './strike.ts';

/** The context with all recipes, those from inside too. */
export interface FullRecipeContext extends RecipeContext {
  readonly recipesFor: (context: RecipeContext, place: Place, kind: string) => readonly Recipe[];
}

/** More ways than that are not tried. */
const MOST_WAYS = 3;

/** At the first inner node that lets the kind through, until it leaves the child. */
export function childRecipes(
  context: FullRecipeContext,
  place: Place,
  kind: string,
): readonly Recipe[] {
  const { atlas } = context;
  const inside = atlas.places.filter(({ file, node, kinds }) => {
    const isInside =
      place.node.type === 'workflow' && file.plan === atlas.plan.children[place.node.workflow];
    return isInside && kinds.includes(kind) && letsGo(kind, node.routes, file.plan.onError);
  });
  return inside
    .slice(0, MOST_WAYS)
    .flatMap((inner) =>
      context.recipesFor(context, inner, kind).map((recipe) => until(recipe, place)),
    );
}

/** As many members as the mode of the group needs, each with the first kind that leaves it. */
export function groupRecipes(
  context: FullRecipeContext,
  place: Place,
  kind: string,
): readonly Recipe[] {
  const { node } = place;
  if (node.type !== 'parallel' && node.type !== 'for_each') return [];
  const members = membersOf(context, place, node);
  const escapes = members.map((member) => escapesOf(context, member));
  const isOne = node.failureMode === 'fail_fast' || node.failureMode === 'all_or_nothing';
  const failing = escapes.filter((ways) => ways.length > 0);
  const needed = isOne ? 1 : neededOf(node, members.length);
  if (failing.length < needed || failing.length === 0) return [];
  const most = Math.max(...failing.map((ways) => ways.length));
  return Array.from({ length: Math.min(most, MOST_WAYS) }, (_, way): Recipe => (tries) => {
    const struck = isOne ? failing.slice(0, 1) : failing;
    return struck.flatMap((ways) => {
      const recipe = ways[Math.min(way, ways.length - 1)];
      const strikes = recipe === undefined ? [] : until(recipe, place)(tries);
      return strikes.map((strike) => ofMembers(strike, members, isOne ? 1 : Infinity));
    });
  }).map(
    (recipe) => (tries) =>
      recipe(tries).map((strike) => ({ ...strike, kind: strike.kind ?? kind })),
  );
}

/** Failed members without which the group still succeeds; a list has as many as its source gives. */
function neededOf({ type, failureMode, quorum }: GroupPlan, members: number): number {
  return failureMode === 'quorum' && type === 'parallel'
    ? members - (quorum ?? members) + 1
    : members;
}

function membersOf({ atlas }: RecipeContext, place: Place, node: GroupPlan): readonly Place[] {
  const names = node.type === 'parallel' ? node.members : [node.member.name];
  return names.flatMap(
    (name) =>
      atlas.places.find((each) => each.file === place.file && each.node.name === name) ?? [],
  );
}

/**
 * The ways in which a failure leaves a member's branch: first from the member, then from the nodes
 * after it.
 */
function escapesOf(context: FullRecipeContext, member: Place): readonly Recipe[] {
  const { file } = member;
  const branch = reachable(buildFlow(file.plan), [member.node.name]);
  const later = context.atlas.places.filter(
    (each) => each.file === file && each !== member && branch.has(each.node.name),
  );
  return [member, ...later]
    .flatMap((place) =>
      place.kinds
        .filter((kind) => letsGo(kind, place.node.routes, file.plan.onError))
        .slice(0, MOST_WAYS)
        .flatMap((kind) => context.recipesFor(context, place, kind).slice(0, 1)),
    )
    .slice(0, MOST_WAYS);
}

/** So many members, struck themselves or around a struck node. */
function ofMembers(strike: Strike, members: readonly Place[], paths: number): Strike {
  if (members.includes(strike.place)) return { ...strike, paths };
  const within = strike.within.map((outer) =>
    members.includes(outer.place) ? { ...outer, paths } : outer,
  );
  return { ...strike, within };
}

function until(recipe: Recipe, outer: Place): Recipe {
  return (tries) =>
    recipe(EVERY).map((strike): Strike => ({
      ...strike,
      paths: Infinity,
      within: [...strike.within, { place: outer, tries, paths: 1 }],
      isUntilOut: true,
    }));
}
