/**
 * A text read by concepts: as bits, so that a saying is ruled out by a comparison, and by place, for
 * the few that are not.
 */
import { CONCEPTS, type Concept } from './lexicon.ts';

/** One bit for each concept; no array, because a text has many sentences. */
export interface ConceptBits {
  a: number;
  b: number;
  c: number;
  d: number;
}

export interface Sentence extends ConceptBits {
  /** A concept and its place, in turn. */
  readonly found: number[];
}

/** All sentences, and the concepts of any of them. */
export interface Said extends ConceptBits {
  readonly sentences: readonly Sentence[];
}

const IDS: ReadonlyMap<Concept, number> = new Map(
  CONCEPTS.map((concept, index) => [concept, index]),
);

export function idOf(concept: Concept): number {
  return IDS.get(concept) ?? 0;
}

export function newSentence(): Sentence {
  return { a: 0, b: 0, c: 0, d: 0, found: [] };
}

export function addTo(sentence: Sentence, id: number, place: number): void {
  addBit(sentence, id);
  sentence.found.push(id, place);
}

function addBit(bits: ConceptBits, id: number): void {
  const bit = 1 << (id & 31);
  if (id < 32) bits.a |= bit;
  else if (id < 64) bits.b |= bit;
  else if (id < 96) bits.c |= bit;
  else bits.d |= bit;
}

export function bitsOf(concepts: readonly Concept[]): ConceptBits {
  const bits = { a: 0, b: 0, c: 0, d: 0 };
  for (const concept of concepts) addBit(bits, idOf(concept));
  return bits;
}

export function hasAll(bits: ConceptBits, { a, b, c, d }: ConceptBits): boolean {
  return (bits.a & a) === a && (bits.b & b) === b && (bits.c & c) === c && (bits.d & d) === d;
}

export function hasAny(bits: ConceptBits, { a, b, c, d }: ConceptBits): boolean {
  return ((bits.a & a) | (bits.b & b) | (bits.c & c) | (bits.d & d)) !== 0;
}

export function saidIn(sentences: readonly Sentence[]): Said {
  const said = { a: 0, b: 0, c: 0, d: 0, sentences };
  for (const { a, b, c, d } of sentences) {
    said.a |= a;
    said.b |= b;
    said.c |= c;
    said.d |= d;
  }
  return said;
}
