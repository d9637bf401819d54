/**
 * Finds which of a fixed set of word stems occur in a text, in one pass and in linear time whatever
 * the text is (Aho and Corasick's automaton). Case, punctuation that only joins words, quotes and
 * runs of white space do not count, so `rate_limit`, "Rate limit" and `rate  limit` are one stem. A stem
 * begins where a word begins, so that `locked` is not found in `blocked`; it may end inside a word.
 */
import { once } from '../../errors/support/once.ts';
import type { NameRanges } from './quoted-names.ts';

export interface StemIndex {
  /** The positions in the list of the stems that occur, each once. */
  find(text: string, names?: NameRanges): Found;
}

export interface Found {
  readonly stems: readonly number[];
  /** Stems that overlap a name in quotes; some of them may also occur outside of names. */
  readonly inNames: readonly number[];
}

const NOTHING: readonly number[] = [];

/** As much as a person would read; the meaning of a failure is never behind page two. */
export const MAX_TEXT_CHARS = 4096;

const SPACE = 0;
const SKIP = -1;
/** Space, a to z, 0 to 9, and the few signs that carry meaning in messages. */
const SIGNS = "%/<>:=+'.()";
const ALPHABET_SIZE = 37 + SIGNS.length;

/** Latin letters with accents are letters too: `límite` is `limite`. */
const LATIN_UNITS = 0x180;

/** Symbol of each of these UTF-16 units; all others separate words. */
const latinSymbols = once(() =>
  Int8Array.from({ length: LATIN_UNITS }, (_, unit) =>
    symbolOf(String.fromCharCode(unit).normalize('NFD').charAt(0)),
  ),
);

export function createStemIndex(stems: readonly string[]): StemIndex {
  const { next, outputs } = buildAutomaton(stems);
  const endsHere = Uint8Array.from(outputs, (stemsHere) => (stemsHere === undefined ? 0 : 1));
  const lengths = Int32Array.from(stems, (stem) => symbolsOf(stem).length);
  // where in the text each symbol was read
  const places = new Int32Array(MAX_TEXT_CHARS + 2);
  // the last search that found each stem: a set that is emptied by a counter
  const seenIn = new Uint32Array(stems.length);
  const namedIn = new Uint32Array(stems.length);
  let search = 0;
  return {
    find(text, names = NOTHING) {
      const symbols = latinSymbols();
      search = (search + 1) >>> 0;
      const found: number[] = [];
      const end = Math.min(text.length, MAX_TEXT_CHARS);
      // a text begins and ends as a word does
      let state = next[SPACE] ?? 0;
      let last = SPACE;
      let read = 1;
      let inNames: number[] | undefined;
      // names that begin before the current place, and how far they reach
      let passed = 0;
      let reach = 0;
      for (let index = 0; index <= end; index++) {
        const unit = index === end ? 0 : text.charCodeAt(index);
        const symbol = unit < LATIN_UNITS ? (symbols[unit] ?? SPACE) : symbolAt(text, index);
        if (symbol === SKIP || (symbol === SPACE && last === SPACE)) continue;
        places[read++] = index;
        last = symbol;
        state = next[state * ALPHABET_SIZE + symbol] ?? 0;
        if (endsHere[state] === 0) continue;
        for (const stem of outputs[state] ?? []) {
          if (seenIn[stem] === search) continue;
          const begin = places[read - (lengths[stem] ?? 0)] ?? 0;
          if (isInsideWord(text, begin)) continue;
          for (; passed < names.length && (names[passed] ?? 0) < index; passed += 2)
            reach = Math.max(reach, names[passed + 1] ?? 0);
          if (reach > begin) {
            // a name may be said again and again
            if (namedIn[stem] !== search) (inNames ??= []).push(stem);
            namedIn[stem] = search;
            continue;
          }
          seenIn[stem] = search;
          found.push(stem);
        }
      }
      return { stems: found, inNames: inNames ?? NOTHING };
    },
  };
}

function isInsideWord(text: string, index: number): boolean {
  if (index === 0 || !isLetter(symbolAt(text, index))) return false;
  return isLetter(symbolAt(text, index - 1)) && !isHump(text, index);
}

function isLetter(symbol: number): boolean {
  return symbol >= 1 && symbol <= 26;
}

/** A word begins inside another one: `AzureRateLimit`. */
function isHump(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0x41 && unit <= 0x5a && text.charCodeAt(index - 1) >= 0x61;
}

function symbolAt(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  if (unit < LATIN_UNITS) return latinSymbols()[unit] ?? SPACE;
  // the typographic apostrophe counts as the plain one
  return unit === 0x2019 || unit === 0x2018 ? (latinSymbols()[0x27] ?? SPACE) : SPACE;
}

function symbolOf(character: string): number {
  const lower = character.toLowerCase();
  if (lower >= 'a' && lower <= 'z') return 1 + lower.charCodeAt(0) - 97;
  if (lower >= '0' && lower <= '9') return 27 + lower.charCodeAt(0) - 48;
  if (character === '`' || character === '"') return SKIP;
  const sign = SIGNS.indexOf(character);
  return sign < 0 ? SPACE : 37 + sign;
}

interface Automaton {
  /** The next state, by state and symbol. */
  readonly next: Uint16Array;
  /** Indexes of the stems that end in a state. */
  readonly outputs: readonly (readonly number[] | undefined)[];
}

/** The states that follow a state, by symbol. */
type Children = Map<number, number>;

function buildAutomaton(words: readonly string[]): Automaton {
  const trie: Children[] = [new Map()];
  const outputs: (number[] | undefined)[] = [undefined];
  for (const [index, word] of words.entries()) {
    let state = 0;
    for (const symbol of symbolsOf(word)) {
      const known = trie[state]?.get(symbol);
      const child = known ?? trie.push(new Map()) - 1;
      if (known === undefined) trie[state]?.set(symbol, child);
      state = child;
    }
    outputs[state] = [...(outputs[state] ?? []), index];
  }
  return completeTransitions(trie, outputs);
}

/** Breadth first: a missing edge leads where the longest proper suffix would lead. */
function completeTransitions(
  trie: readonly Children[],
  outputs: (number[] | undefined)[],
): Automaton {
  // two bytes a state: the table must stay within reach of the processor's cache
  const next = new Uint16Array(trie.length * ALPHABET_SIZE);
  const fallback = new Int32Array(trie.length);
  const queue = [0];
  for (const state of queue) {
    const row = state * ALPHABET_SIZE;
    const suffixRow = (fallback[state] ?? 0) * ALPHABET_SIZE;
    // the root has no suffix, and its missing edges lead back to it
    if (state !== 0) next.copyWithin(row, suffixRow, suffixRow + ALPHABET_SIZE);
    for (const [symbol, child] of trie[state] ?? []) {
      const viaSuffix = next[row + symbol] ?? 0;
      next[row + symbol] = child;
      fallback[child] = viaSuffix;
      const inherited = outputs[viaSuffix];
      if (inherited !== undefined) outputs[child] = [...(outputs[child] ?? []), ...inherited];
      queue.push(child);
    }
  }
  return { next, outputs: Array.from(trie, (_, state) => outputs[state]) };
}

function symbolsOf(word: string): number[] {
  return Array.from(word, (character) => symbolOf(character)).filter((symbol) => symbol !== SKIP);
}
