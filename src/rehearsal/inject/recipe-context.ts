/** The context that recipes for failures are made from, and the simplest recipe: one strike at one place. */
import type { Atlas, Place } from '../places/atlas.ts';
import type { WorldValues } from '../values/world-values.ts';
import type { DetailsByKind } from './drafts.ts';
import type { How, Recipe, Strike } from './strike.ts';

export interface RecipeContext {
  readonly atlas: Atlas;
  readonly values: WorldValues;
  readonly details: DetailsByKind;
}

export function at(place: Place, kind: string | undefined, how: How): Recipe {
  return (tries) => [strikeAt(place, kind, how, tries)];
}

export function strikeAt(
  place: Place,
  kind: string | undefined,
  how: How,
  tries: Strike['tries'],
): Strike {
  return { place, kind, tries, paths: 1, within: [], how };
}
