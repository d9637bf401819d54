/** A stem, or stems that must all occur. Case, joints, quotes and white space do not count. */
export type Phrase = string | readonly string[];
