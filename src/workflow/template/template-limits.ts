/** Limits of one template, so that a hostile one ends as a typed failure. */
export const TEMPLATE_LIMITS = {
  /** In UTF-16 units, as all sizes here. */
  sourceChars: 65_536,
  /** Words, numbers, texts and symbols inside tags. */
  tokens: 16_384,
  /** Depth of brackets, blocks and signs. */
  nesting: 64,
  /** Depth of lists and objects, in any value that is printed or compared. */
  valueDepth: 256,
  /** Rounds of all `for` loops of one evaluation together. */
  iterations: 10_000,
  /** Units of work: an operation, an item, or sixteen rewritten characters. */
  steps: 200_000,
  /** The rendered text, and any intermediate text or value. */
  outputChars: 1_048_576,
  /** Items of a list that the template builds: `range`, `*`, `+`, `split`. */
  listItems: 100_000,
  /** The right side of `**`. */
  exponent: 1_024,
} as const;

export type LimitName = keyof typeof TEMPLATE_LIMITS;

/** Messages; `#` is replaced by the limit. */
const SENTENCES: Readonly<Record<LimitName, string>> = {
  sourceChars: 'A template may be at most # characters long',
  tokens: 'A template may have at most # words and symbols in its tags',
  nesting: 'Brackets and blocks may be nested at most # deep',
  valueDepth: 'Lists and objects may be nested at most # deep',
  iterations: 'The loops of a template may run at most # rounds in total',
  steps: 'A template may take at most # steps of work',
  outputChars: 'A template may produce at most # characters of text',
  listItems: 'A list that a template builds may have at most # items',
  exponent: 'An exponent may be at most #',
};

export function limitMessage(limit: LimitName): string {
  const most = String(TEMPLATE_LIMITS[limit]).replace(/\B(?=(?:\d{3})+$)/g, ',');
  return SENTENCES[limit].replace('#', most);
}
