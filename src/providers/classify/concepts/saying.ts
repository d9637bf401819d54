/** Sayings: combinations of concepts, as the rules list them. */
import type { Concept } from './lexicon.ts';

/** Concepts that must stand near each other, and some that must not be in the sentence at all. */
export interface Saying {
  readonly all: readonly Concept[];
  readonly none?: readonly Concept[];
}

/** Each subject with each predicate. */
export function each(
  subjects: readonly Concept[],
  predicates: readonly Concept[],
  none: readonly Concept[] = [],
): readonly Saying[] {
  return subjects.flatMap((subject) =>
    predicates.map((predicate) => ({ all: [subject, predicate], none })),
  );
}

export function anyOf(
  combinations: readonly (readonly Concept[])[],
  none: readonly Concept[] = [],
): readonly Saying[] {
  return combinations.map((all) => ({ all, none }));
}
