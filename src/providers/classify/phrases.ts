/**
 * Families of phrases: the ways in which servers say the same thing. A phrase is a list of stems
 * that must all occur; a family speaks when any of its phrases does. Stems are cut so that they hold
 * for a family of wordings, never for one sentence.
 */
import { ACCESS_PHRASES } from './phrases/access.ts';
import { LIMITS_PHRASES } from './phrases/limits.ts';
import type { Phrase } from './phrases/phrase.ts';
import { REQUEST_PHRASES } from './phrases/request.ts';
import { SERVICE_PHRASES } from './phrases/service.ts';
import { SIZE_PHRASES } from './phrases/size.ts';
import { createStemIndex } from './stems.ts';

export const FAMILIES = {
  ...LIMITS_PHRASES,
  ...SERVICE_PHRASES,
  ...ACCESS_PHRASES,
  ...SIZE_PHRASES,
  ...REQUEST_PHRASES,
} as const satisfies Record<string, readonly Phrase[]>;

export type Family = keyof typeof FAMILIES;

/** Which families speak in a text, each with the phrase that was found. */
export type Spoken = ReadonlyMap<Family, string>;

interface IndexedPhrase {
  readonly family: Family;
  /** Positions of its stems in the index. */
  readonly stems: readonly number[];
  readonly words: string;
}

interface PhraseIndex {
  readonly find: (text: string) => readonly number[];
  /** By the position of a stem, the phrases it is part of. */
  readonly phrasesWith: readonly (readonly IndexedPhrase[])[];
}

let built: PhraseIndex | undefined;

/** Made when the first failure is judged: an import must not pay for it. */
function phraseIndex(): PhraseIndex {
  built ??= buildIndex();
  return built;
}

function buildIndex(): PhraseIndex {
  const phrases = Object.entries(FAMILIES).flatMap(([family, list]) =>
    (list as readonly Phrase[]).map((phrase) => ({
      // the entries of FAMILIES are keyed by Family
      family: family as Family,
      words: typeof phrase === 'string' ? [phrase] : phrase,
    })),
  );
  const stems = [...new Set(phrases.flatMap(({ words }) => words))];
  const phrasesWith = stems.map((stem) =>
    phrases
      .filter(({ words }) => words.includes(stem))
      .map(({ family, words }) => ({
        family,
        stems: words.map((word) => stems.indexOf(word)),
        words: words.join(' … '),
      })),
  );
  const index = createStemIndex(stems);
  return { find: (text) => index.find(text), phrasesWith };
}

export function findFamilies(text: string): Spoken {
  const spoken = new Map<Family, string>();
  if (text === '') return spoken;
  const { find, phrasesWith } = phraseIndex();
  const found = find(text);
  for (const stem of found) {
    for (const { family, stems, words } of phrasesWith[stem] ?? []) {
      if (spoken.has(family)) continue;
      if (stems.length === 1 || stems.every((part) => found.includes(part)))
        spoken.set(family, words);
    }
  }
  return spoken;
}
