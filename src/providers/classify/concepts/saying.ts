/** Sayings: combinations of concepts, as the rules list them, and the search for them in sentences. */
import type { Concept } from './lexicon.ts';
import type { Sentence } from './read-concepts.ts';

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

/** Words between what is spoken of and what is said about it. */
const MAX_SPAN = 12;

/** Finds the first saying that a sentence holds, as evidence. */
export type FindSaying = (sentences: readonly Sentence[]) => string | undefined;

export function compileSayings(sayings: readonly Saying[]): FindSaying {
  const bySubject = new Map<Concept, Saying[]>();
  for (const saying of sayings) {
    const [first] = saying.all;
    if (first === undefined) continue;
    bySubject.set(first, [...(bySubject.get(first) ?? []), saying]);
  }
  const subjects = [...bySubject];
  return (sentences) => {
    for (const sentence of sentences)
      for (const [subject, said] of subjects) {
        const places = sentence.get(subject);
        const found = places && said.find((saying) => holds(saying, places, sentence));
        if (found !== undefined) return found.all.join(' + ');
      }
    return undefined;
  };
}

function holds({ all, none = [] }: Saying, places: readonly number[], sentence: Sentence): boolean {
  for (const concept of all) if (!sentence.has(concept)) return false;
  for (const concept of none) if (sentence.has(concept)) return false;
  return places.some((place) => all.every((concept) => isNear(place, sentence.get(concept))));
}

function isNear(place: number, others: readonly number[] = []): boolean {
  return others.some((other) => Math.abs(other - place) <= MAX_SPAN);
}
