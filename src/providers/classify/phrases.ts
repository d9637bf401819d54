/**
 * Families of phrases: the ways in which servers say the same thing. A phrase is a list of stems
 * that must all occur; a family speaks when any of its phrases does. Stems are cut so that they hold
 * for a family of wordings, never for one sentence.
 */
import { madeOnce } from '../../errors/made-once.ts';
import { ACCESS_PHRASES } from './phrases/access.ts';
import { LATIN_PHRASES } from './phrases/latin-languages.ts';
import { LIMITS_PHRASES } from './phrases/limits.ts';
import { OTHER_SCRIPTS, SCRIPT_PHRASES } from './phrases/other-scripts.ts';
import { wordsOf, type Phrase } from './phrases/phrase.ts';
import { REQUEST_PHRASES } from './phrases/request.ts';
import { SERVICE_PHRASES } from './phrases/service.ts';
import { SIZE_PHRASES } from './phrases/size.ts';
import { createStemIndex, MAX_TEXT_CHARS } from './stems.ts';

const ENGLISH = {
  ...LIMITS_PHRASES,
  ...SERVICE_PHRASES,
  ...ACCESS_PHRASES,
  ...SIZE_PHRASES,
  ...REQUEST_PHRASES,
} as const satisfies Record<string, readonly Phrase[]>;

export type Family = keyof typeof ENGLISH;

const OTHER_LANGUAGES: readonly Partial<Record<Family, readonly Phrase[]>>[] = [
  LATIN_PHRASES,
  SCRIPT_PHRASES,
];

export const families = madeOnce(
  () =>
    Object.fromEntries(
      Object.entries(ENGLISH).map(([family, phrases]) => [
        family,
        [...phrases, ...OTHER_LANGUAGES.flatMap((more) => more[family as Family] ?? [])],
      ]),
      // the entries of ENGLISH are keyed by Family
    ) as unknown as Readonly<Record<Family, readonly Phrase[]>>,
);

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

const phraseIndex = madeOnce(buildIndex);

function isLatin(phrase: Phrase): boolean {
  return wordsOf(phrase).every((word) => !OTHER_SCRIPTS.test(word));
}

function buildIndex(): PhraseIndex {
  const phrases = Object.entries(families()).flatMap(([family, list]) =>
    list.filter(isLatin).map((phrase) => ({
      // the entries are keyed by Family
      family: family as Family,
      words: wordsOf(phrase),
    })),
  );
  const stems = [...new Set(phrases.flatMap(({ words }) => words))];
  const positions = new Map(stems.map((stem, position) => [stem, position]));
  const phrasesWith: IndexedPhrase[][] = stems.map(() => []);
  for (const { family, words } of phrases) {
    const parts = words.map((word) => positions.get(word) ?? 0);
    const indexed = { family, stems: parts, words: words.join(' … ') };
    for (const part of parts) phrasesWith[part]?.push(indexed);
  }
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
  if (OTHER_SCRIPTS.test(text)) addOtherScripts(text.slice(0, MAX_TEXT_CHARS), spoken);
  return spoken;
}

/** Few texts are written like this and few words are needed, so each is looked for by itself. */
function addOtherScripts(text: string, spoken: Map<Family, string>): void {
  const lower = text.toLowerCase();
  const isSaid = (phrase: Phrase): boolean => wordsOf(phrase).every((word) => lower.includes(word));
  for (const [family, phrases] of Object.entries(SCRIPT_PHRASES)) {
    const phrase = (phrases as readonly Phrase[]).find(isSaid);
    // the entries of SCRIPT_PHRASES are keyed by Family
    if (phrase !== undefined) spoken.set(family as Family, wordsOf(phrase).join(' … '));
  }
}
