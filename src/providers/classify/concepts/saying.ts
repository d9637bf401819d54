/** Sayings: combinations of concepts, as the rules list them, and the search for them in sentences. */
import type { Concept } from './lexicon.ts';
import {
  bitsOf,
  hasAll,
  hasAny,
  idOf,
  type ConceptBits,
  type Said,
  type Sentence,
} from './sentence.ts';

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
export type FindSaying = (said: Said) => string | undefined;

interface CompiledSaying {
  readonly all: ConceptBits;
  readonly none: ConceptBits;
  readonly ids: readonly number[];
  readonly words: string;
}

export function compileSayings(sayings: readonly Saying[]): FindSaying {
  // every saying needs its first concept
  const subjects = bitsOf(sayings.flatMap(({ all: [first] }) => first ?? []));
  const compiled = sayings.map(({ all, none = [] }): CompiledSaying => ({
    all: bitsOf(all),
    none: bitsOf(none),
    ids: all.map(idOf),
    words: all.join(' + '),
  }));
  return (said) => {
    if (!hasAny(said, subjects)) return undefined;
    for (const saying of compiled) {
      if (!hasAll(said, saying.all)) continue;
      for (const sentence of said.sentences) if (holds(saying, sentence)) return saying.words;
    }
    return undefined;
  };
}

function holds({ all, none, ids }: CompiledSaying, sentence: Sentence): boolean {
  if (!hasAll(sentence, all) || hasAny(sentence, none)) return false;
  const { found } = sentence;
  const [first] = ids;
  for (let at = 0; at < found.length; at += 2) {
    if (found[at] !== first) continue;
    const place = found[at + 1] ?? 0;
    if (ids.every((id) => isNear(found, id, place))) return true;
  }
  return false;
}

function isNear(found: readonly number[], id: number, place: number): boolean {
  for (let at = 0; at < found.length; at += 2)
    if (found[at] === id && Math.abs((found[at + 1] ?? 0) - place) <= MAX_SPAN) return true;
  return false;
}
