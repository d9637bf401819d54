/** The names that generated scenarios may have, known before anything is played. */
import type { Kitchen } from '../inject/kitchen.ts';
import { failureDrafts } from './failure-scenarios.ts';
import { gateDrafts } from './gate-scenarios.ts';

export function possibleNames(kitchen: Kitchen): ReadonlySet<string> {
  const names = new Set(['calm']);
  for (const place of kitchen.atlas.places) {
    for (const { index, onError } of place.node.routes)
      if (onError === undefined) names.add(`calm: ${place.name} #${index}`);
    const drafts = [
      ...gateDrafts(place),
      ...failureDrafts(kitchen, place, { kinds: 'all', doubt: 'all' }),
    ];
    for (const { name } of drafts) names.add(name);
    // an error route is rehearsed with one of its kinds
    for (const { index } of [...place.node.routes, ...place.file.plan.onError])
      for (const kind of place.kinds) names.add(`${place.name}: ${kind}, #${index}`);
  }
  return names;
}
