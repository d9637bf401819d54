/**
 * Reads prose as concepts: one list of positions for each concept in each sentence. Names that a user chose,
 * addresses and identifiers say nothing.
 */
import { once } from '../../../errors/support/once.ts';
import type { Saying } from './saying.ts';
import { findNames } from '../quoted-names.ts';
import { buildLexicons, IDIOMS, NEGATIONS, type Concept, type Lexicon } from './lexicon.ts';

/** Where in a sentence each concept occurs. */
export type Sentence = ReadonlyMap<Concept, readonly number[]>;

const MAX_CHARS = 2048;
const MAX_SENTENCES = 24;
/** Words between what is spoken of and what is said about it. */
const MAX_SPAN = 12;
/** How far a negation reaches. */
const NEGATION_REACH = 4;

const lexicons = once(buildLexicons);

/** Concepts that a name in quotes may have: it is then the field that a server speaks of. */
const IN_QUOTES: ReadonlySet<Concept> = new Set<Concept>([
  'model',
  'tool',
  'schema',
  'param',
  'prompt',
  'reply',
  'sampling',
  'key',
  'role',
]);

/** The class of an exception is a code; its parts are no prose. */
const EXCEPTION = /\b[\w.]{0,80}[a-z](?:Error|Exception)\b/g;

const SENTENCE_END = /[.!?;。！？；](?=\s|$)|\n+|。|！/;

export function readSentences(text: string): readonly Sentence[] {
  const head = withoutNames(text.slice(0, MAX_CHARS)).replace(EXCEPTION, ' ');
  return head
    .split(SENTENCE_END)
    .slice(0, MAX_SENTENCES)
    .flatMap((part) => (part.trim() === '' ? [] : [readSentence(part)]));
}

/** A code is a sentence without grammar: `TOKEN_QUOTA_REACHED`. */
export function readCode(code: string): Sentence {
  return readSentence(code.replace(/[_.:]+/g, ' '));
}

/** The sentence that says it, as evidence; undefined when none does. */
export function findSaying(
  sentences: readonly Sentence[],
  sayings: readonly Saying[],
): string | undefined {
  for (const { all, none = [] } of sayings)
    for (const sentence of sentences)
      if (standTogether(sentence, all) && none.every((concept) => !sentence.has(concept)))
        return all.join(' + ');
  return undefined;
}

function standTogether(sentence: Sentence, [first, ...others]: readonly Concept[]): boolean {
  const places = first === undefined ? undefined : sentence.get(first);
  if (places === undefined) return false;
  return places.some((place) =>
    others.every((concept) =>
      sentence.get(concept)?.some((other) => Math.abs(other - place) <= MAX_SPAN),
    ),
  );
}

/** Marks what stands in quotes, so that only the names of fields count in it. */
function withoutNames(text: string): string {
  const ranges = findNames(text);
  let kept = '';
  let from = 0;
  for (let at = 0; at < ranges.length; at += 2) {
    const begin = ranges[at] ?? 0;
    const end = ranges[at + 1] ?? begin;
    kept += `${text.slice(from, begin)} ${QUOTED}${text.slice(begin + 1, end)} `;
    from = end + 1;
  }
  return kept + text.slice(from);
}

const QUOTED = '\u0002';
const IDENTIFIER = /:\/\/|^\/|\/.*\/|@\w|^[\w.]*-[\w.-]*\d|^\d[\w]*-|[0-9a-f]{16}/;

function readSentence(text: string): Sentence {
  const places = new Map<Concept, number[]>();
  let place = 0;
  let negatedUntil = -1;
  let lastNumber = 0;
  for (const chunk of withoutIdioms(text).split(/\s+/)) {
    const isQuoted = chunk.startsWith(QUOTED);
    const number = numberIn(chunk);
    if (number > 0) {
      if (lastNumber > number && number >= MIN_COMPARED) add(places, 'over', place);
      lastNumber = number;
    }
    if (IDENTIFIER.test(chunk)) {
      place++;
      continue;
    }
    for (const word of wordsIn(chunk)) {
      place++;
      if (isNegation(word)) {
        negatedUntil = place + NEGATION_REACH;
        continue;
      }
      const isNegated = place <= negatedUntil;
      const turned = isNegated ? meaningsOf(word, 'negated') : NOTHING;
      const meanings = turned.length > 0 ? turned : meaningsOf(word, 'plain');
      for (const concept of meanings)
        if (!isQuoted || IN_QUOTES.has(concept)) add(places, concept, place);
      // a word that a negation turned around still names what is spoken of
      if (turned.length > 0) for (const concept of subjectsOf(word)) add(places, concept, place);
    }
  }
  return places;
}

function withoutIdioms(text: string): string {
  const spaced = text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z][a-z])/g, '$1 $2');
  return IDIOMS.reduce((plain, [idiom, word]) => plain.replace(idiom, word), spaced);
}

/** Smaller ones count something else than tokens or bytes. */
const MIN_COMPARED = 100;

function numberIn(chunk: string): number {
  const digits = /^\W{0,2}(\d{1,3}(?:,\d{3}){1,4}|\d{1,12})\W{0,3}$/.exec(chunk)?.[1];
  return digits === undefined ? 0 : Number(digits.replaceAll(',', ''));
}

const NOUNS: ReadonlySet<Concept> = new Set<Concept>([
  'right',
  'money',
  'quota',
  'connection',
  'connect',
  'login',
]);

function subjectsOf(word: string): readonly Concept[] {
  return meaningsOf(word, 'plain').filter((concept) => NOUNS.has(concept));
}

function add(places: Map<Concept, number[]>, concept: Concept, place: number): void {
  const known = places.get(concept);
  if (known === undefined) places.set(concept, [place]);
  else known.push(place);
}

function isNegation(word: string): boolean {
  return NEGATIONS.has(word) || word.endsWith("n't");
}

/** Words in lower case; `ChannelClosed` and `channel_closed` are two. */
function wordsIn(chunk: string): readonly string[] {
  const compound = chunk.replace(/^\W+|[^\w>=]+$/g, '').toLowerCase();
  if (KNOWN_COMPOUNDS.has(compound)) return [compound];
  const parts = chunk
    .replaceAll('’', "'")
    .toLowerCase()
    .match(/[a-z]+(?:'[a-z]+)?|[\u0400-\u04ff]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|>=?/g);
  return parts ?? NOTHING_READ;
}

const KNOWN_COMPOUNDS: ReadonlySet<string> = new Set([
  'max_tokens',
  'top_p',
  'top_k',
  'budget_tokens',
  'base_url',
]);
const NOTHING_READ: readonly string[] = [];
const NOTHING: readonly Concept[] = [];

const REMEMBERED = new Map<string, readonly Concept[]>();
const MAX_REMEMBERED = 8192;

/** Words recur, so each is looked up once. */
function meaningsOf(word: string, sense: 'plain' | 'negated'): readonly Concept[] {
  const name = `${sense} ${word}`;
  const known = REMEMBERED.get(name);
  if (known !== undefined) return known;
  const meanings = UNSPACED_WORD.test(word)
    ? inUnspaced(word, sense)
    : lookUp(word, lexicons()[sense]);
  if (REMEMBERED.size < MAX_REMEMBERED && word.length <= 32) REMEMBERED.set(name, meanings);
  return meanings;
}

function lookUp(word: string, { exact, prefixes }: Lexicon): readonly Concept[] {
  const meanings = new Set(exact.get(word) ?? NOTHING);
  for (let end = Math.min(word.length, 24); end >= 2; end--)
    for (const concept of prefixes.get(word.slice(0, end)) ?? NOTHING) meanings.add(concept);
  return [...meanings];
}

/** Without spaces, a negation is a part of the word. */
function inUnspaced(word: string, sense: 'plain' | 'negated'): readonly Concept[] {
  if (sense === 'negated') return NOTHING;
  return lexicons().unspaced.flatMap(([part, concept]) => (word.includes(part) ? [concept] : []));
}

const UNSPACED_WORD = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
