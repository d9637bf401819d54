/** The names that generated scenarios may have, known before anything is played. */
import type { RecipeContext } from '../inject/recipe-context.ts';
import { failureDrafts } from './failure-scenarios.ts';
import { gateDrafts } from './gate-scenarios.ts';

export function possibleNames(context: RecipeContext): ReadonlySet<string> {
  const names = new Set(['calm']);
  for (const place of context.atlas.places) {
    for (const { index, onError } of place.node.routes)
      if (onError === undefined) names.add(`calm: ${place.name} #${index}`);
    const drafts = [
      ...gateDrafts(place),
      ...failureDrafts(context, place, { kinds: 'all', doubt: 'all' }),
    ];
    for (const { name } of drafts) names.add(name);
    // an error route is rehearsed with one of its kinds
    for (const { index } of [...place.node.routes, ...place.file.plan.onError])
      for (const kind of place.kinds) names.add(`${place.name}: ${kind}, #${index}`);
  }
  return names;
}
