/** How much one template may ask for. A hostile one ends here, as a typed failure. */
export const TEMPLATE_LIMITS = {
  /** UTF-16 units, as all sizes here. */
  sourceChars: 65_536,
  /** Words, numbers, texts and signs inside tags. */
  tokens: 16_384,
  /** Brackets, blocks and signs inside one another. */
  nesting: 64,
  /** Lists and objects inside one another, in any value that is printed or compared. */
  valueDepth: 256,
  /** Rounds of all `for` loops of one evaluation together. */
  iterations: 10_000,
  /** Units of work: an operation, an item, or sixteen characters that are rewritten. */
  steps: 200_000,
  /** What is rendered, and any text or value made on the way there. */
  outputChars: 1_048_576,
  /** Items of a list that the template makes: `range`, `*`, `+`, `split`. */
  listItems: 100_000,
  /** The right side of `**`. */
  exponent: 1_024,
} as const;

export type LimitName = keyof typeof TEMPLATE_LIMITS;

/** The sentence that says so; `#` is where the number stands. */
const SENTENCES: Readonly<Record<LimitName, string>> = {
  sourceChars: 'A template may be at most # characters long',
  tokens: 'A template may have at most # words and signs in its tags',
  nesting: 'Brackets and blocks may be nested at most # deep',
  valueDepth: 'Lists and objects may be nested at most # deep',
  iterations: 'The loops of a template may run at most # rounds in all',
  steps: 'A template may take at most # steps of work',
  outputChars: 'A template may make at most # characters of text',
  listItems: 'A list that a template makes may have at most # items',
  exponent: 'An exponent may be at most #',
};

export function limitMessage(limit: LimitName): string {
  const most = String(TEMPLATE_LIMITS[limit]).replace(/\B(?=(?:\d{3})+$)/g, ',');
  return SENTENCES[limit].replace('#', most);
}
