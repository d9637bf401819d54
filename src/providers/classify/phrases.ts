/**
 * Families of phrases: the ways in which servers say the same thing. A phrase is a list of stems
 * that must all occur; a family matches when any of its phrases does. Stems are cut so that they match
 * many wordings, never only one sentence.
 */
import { once } from '../../errors/support/once.ts';
import { ACCESS_PHRASES } from './phrases/access.ts';
import { LATIN_PHRASES } from './phrases/latin-languages.ts';
import { LIMITS_PHRASES } from './phrases/limits.ts';
import { OTHER_SCRIPTS, SCRIPT_PHRASES } from './phrases/other-scripts.ts';
import { wordsOf, type Phrase } from './phrases/phrase.ts';
import { REQUEST_PHRASES } from './phrases/request.ts';
import { SERVICE_PHRASES } from './phrases/service.ts';
import { SIZE_PHRASES } from './phrases/size.ts';
import { TOPIC_PHRASES } from './phrases/topics.ts';
import { findNames } from './quoted-names.ts';
import { createStemIndex, MAX_TEXT_CHARS, type StemIndex } from './stems.ts';

const ENGLISH = {
  ...LIMITS_PHRASES,
  ...SERVICE_PHRASES,
  ...ACCESS_PHRASES,
  ...SIZE_PHRASES,
  ...REQUEST_PHRASES,
  ...TOPIC_PHRASES,
} as const satisfies Record<string, readonly Phrase[]>;

export type Family = keyof typeof ENGLISH;

const OTHER_LANGUAGES: readonly Partial<Record<Family, readonly Phrase[]>>[] = [
  LATIN_PHRASES,
  SCRIPT_PHRASES,
];

export const families = once(
  () =>
    Object.fromEntries(
      Object.entries(ENGLISH).map(([family, phrases]) => [
        family,
        [...phrases, ...OTHER_LANGUAGES.flatMap((more) => more[family as Family] ?? [])],
      ]),
      // the entries of ENGLISH are keyed by Family
    ) as unknown as Readonly<Record<Family, readonly Phrase[]>>,
);

const FAMILY_IDS: ReadonlyMap<string, number> = new Map(
  Object.keys(ENGLISH).map((family, index) => [family, index]),
);

export const FAMILY_COUNT = FAMILY_IDS.size;

/** In the order of their numbers. */
export function familyNames(): readonly string[] {
  return [...FAMILY_IDS.keys()];
}

export function familyId(family: Family): number {
  return FAMILY_IDS.get(family) ?? 0;
}

export const LONG_WINDOW = familyId('long_window');
export const SHORT_WINDOW = familyId('short_window');
export const NO_ALLOWANCE = familyId('no_allowance');

/** The families that match a text, by number, each with the phrase that was found. */
export interface MatchedFamilies {
  readonly ids: number[];
  readonly phrases: string[];
}

const NO_MATCH: MatchedFamilies = { ids: [], phrases: [] };

/** By the number of a family. */
export function hasFamily({ ids }: MatchedFamilies, id: number): boolean {
  return ids.length > 0 && ids.includes(id);
}

export function phraseOf({ ids, phrases }: MatchedFamilies, id: number): string | undefined {
  return ids.length === 0 ? undefined : phrases[ids.indexOf(id)];
}

interface IndexedPhrase {
  readonly family: number;
  /** Names in quotes count for it. */
  readonly isReadInQuotes: boolean;
  /** Positions of its stems in the index. */
  readonly stems: readonly number[];
  readonly words: string;
  /** One stem, which is the one that it was found by. */
  readonly isAlone: boolean;
}

interface PhraseIndex {
  readonly find: StemIndex['find'];
  /** By the position of a stem, the phrases of which it is the longest. */
  readonly phrasesWith: readonly (readonly IndexedPhrase[])[];
}

const phraseIndex = once(buildIndex);

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
    const indexed = {
      family: familyId(family),
      isReadInQuotes: READ_IN_QUOTES.has(family),
      stems: parts,
      words: words.join(' … '),
      isAlone: parts.length === 1,
    };
    // its longest stem is the rarest; the others are looked for when that one is found
    const [rarest = 0] = parts.toSorted((a, b) => lengthOf(stems[b]) - lengthOf(stems[a]));
    phrasesWith[rarest]?.push(indexed);
  }
  const index = createStemIndex(stems);
  return { find: (text, names) => index.find(text, names), phrasesWith };
}

/** Families about a parameter, for which a name in quotes is the evidence. */
const READ_IN_QUOTES: ReadonlySet<Family> = new Set<Family>([
  'context',
  'media',
  'no_key',
  'output_cap',
  'parameter',
  'token_sum',
  'tool_schema',
  'unsupported',
  'unsupported_parameter',
  'about_signature',
  'about_plan',
  'about_off',
  'about_schema',
  'about_tokens',
  'about_media',
  'about_machinery',
  'about_host',
  'about_excess',
  'about_reply',
  'about_lack',
  'about_value',
  'about_format',
  'about_tool_choice',
]);

function lengthOf(stem: string | undefined): number {
  return stem?.length ?? 0;
}

export function findFamilies(text: string): MatchedFamilies {
  if (text === '') return NO_MATCH;
  const matched: MatchedFamilies = { ids: [], phrases: [] };
  const { find, phrasesWith } = phraseIndex();
  const { stems: said, inNames } = find(text, findNames(text));
  for (const stem of said) addPhrases(phrasesWith[stem], said, inNames, matched);
  for (const stem of inNames) addPhrases(phrasesWith[stem], said, inNames, matched);
  if (OTHER_SCRIPTS.test(text)) addOtherScripts(text.slice(0, MAX_TEXT_CHARS), matched);
  return matched;
}

function addPhrases(
  phrases: readonly IndexedPhrase[] | undefined,
  said: readonly number[],
  inNames: readonly number[],
  { ids, phrases: found }: MatchedFamilies,
): void {
  if (phrases === undefined) return;
  for (const phrase of phrases) {
    if (!isSaid(phrase, said, inNames) || ids.includes(phrase.family)) continue;
    ids.push(phrase.family);
    found.push(phrase.words);
  }
}

function isSaid(
  { isReadInQuotes, stems, isAlone }: IndexedPhrase,
  said: readonly number[],
  inNames: readonly number[],
): boolean {
  const isReadInNames = isReadInQuotes && inNames.length > 0;
  if (isAlone && (isReadInNames || inNames.length === 0)) return true;
  for (const stem of stems)
    if (!said.includes(stem) && !(isReadInNames && inNames.includes(stem))) return false;
  return true;
}

/** Few texts are written in these scripts and few words are needed, so each is searched for by itself. */
function addOtherScripts(text: string, { ids, phrases: found }: MatchedFamilies): void {
  const lower = text.toLowerCase();
  ids.push(familyId('about_script'));
  found.push('its script');
  const isThere = (phrase: Phrase): boolean =>
    wordsOf(phrase).every((word) => lower.includes(word));
  for (const [family, phrases] of Object.entries(SCRIPT_PHRASES)) {
    const phrase = (phrases as readonly Phrase[]).find(isThere);
    // the entries of SCRIPT_PHRASES are keyed by Family
    const id = familyId(family as Family);
    if (phrase === undefined || ids.includes(id)) continue;
    ids.push(id);
    found.push(wordsOf(phrase).join(' … '));
  }
}
