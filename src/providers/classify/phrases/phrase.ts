/** A stem, or stems that must all occur. Case, joints, quotes and white space do not count. */
export type Phrase = string | readonly string[];

export function wordsOf(phrase: Phrase): readonly string[] {
  return typeof phrase === 'string' ? [phrase] : phrase;
}
