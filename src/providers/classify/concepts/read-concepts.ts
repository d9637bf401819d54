/**
 * Reads prose as concepts: where in each sentence each concept occurs. Names that a user chose, addresses
 * and identifiers say nothing.
 */
import { once } from '../../../errors/support/once.ts';
import { markNames } from '../quoted-names.ts';
import { buildLexicons, NEGATION_ENDS, NEGATIONS, type Concept, type Lexicon } from './lexicon.ts';
import { codeWithoutTerms, withoutTerms } from './own-terms.ts';
import { checkWith, createPartTable, HASH_START, hashWith } from './part-table.ts';
import { addTo, idOf, newSentence, type Sentence } from './sentence.ts';

const MAX_CHARS = 2048;
const MAX_SENTENCES = 24;
/** How far a negation reaches. */
const NEGATION_REACH = 4;

const lexicons = once(buildLexicons);

/** Concepts that a name in quotes may have: it is then the field that a server speaks of. */
const IN_QUOTES: ReadonlySet<Concept> = new Set<Concept>([
  'model',
  'tool',
  'schema',
  'param',
  'property',
  'prompt',
  'content',
  'reply',
  'sampling',
  'key',
  'role',
  'choice',
  'call',
]);

/** A negated word may still name the subject: no permission, no credits. */
const NOUNS: ReadonlySet<Concept> = new Set<Concept>([
  'right',
  'money',
  'quota',
  'connection',
  'connect',
  'fetch',
  'login',
  'media',
  'param',
  'feature',
  'call',
]);

/** The class of an exception is a code; its parts are no prose. */
const EXCEPTION = /^\W{0,3}[\w.]{0,80}[a-z](?:Error|Exception)\b/;

export function readSentences(text: string): readonly Sentence[] {
  const begin = text.length > MAX_CHARS ? text.slice(0, MAX_CHARS) : text;
  const lines = begin.includes('\\n') ? begin.replaceAll('\\n', ' \n') : begin;
  return readAll(markNames(withoutTerms(lines), QUOTED));
}

/** A code is a sentence without grammar: `TOKEN_QUOTA_REACHED`. */
export function readCode(code: string): Sentence {
  return readAll(codeWithoutTerms(code).replace(/[_.:\n]+/g, ' '))[0] ?? newSentence();
}

/** Marks a word in quotes: only the names of fields count there. */
const QUOTED = '\u0002';
const IDENTIFIER =
  /:\/\/|^\/|\/.*\/|@\w|^\[?[\w.]*-[\w.-]*\d|^\d[\w]*-|[0-9a-f]{16}|_(?=[a-z]*\d)\w{12}/i;

type SecondWords = ReadonlyMap<string, readonly Concept[]>;

/** Whatever is being done to a thing, somebody is at work on it; most of these verbs mean nothing else. */
const UNDERWAY = idOf('underway');
const OVER = idOf('over');
const MODEL = idOf('model');
const ENDPOINT = idOf('endpoint');
const OF_MODEL = idOf('ofmodel');
const OF_ACCOUNT = idOf('ofaccount');
const HOLDERS: ReadonlySet<number> = new Set([idOf('account'), idOf('plan'), idOf('region')]);

/** `not available for this model`: the model is not what is spoken of. */
const PREPOSITIONS: ReadonlySet<string> = new Set(['for', 'with', 'by', 'on']);
const PREPOSITION_REACH = 3;
/** `not supported in your region`, `on the current pricing plan`: it is a matter of who asks. */
const OF_HOLDERS: ReadonlySet<string> = new Set(['for', 'with', 'on', 'in', 'under', 'to']);
const HOLDER_REACH = 4;

/** One word: what it means, and what it means after a negation. */
interface Meaning {
  readonly word: string;
  /** Meanings of the next word together with this one. */
  readonly pairs: SecondWords | undefined;
  readonly negatedPairs: SecondWords | undefined;
  readonly isNegation: boolean;
  /** `no` belongs to a noun and reaches to its verb: no credits were left. */
  readonly isOfNoun: boolean;
  readonly endsNegation: boolean;
  readonly isPreposition: boolean;
  readonly isOfHolder: boolean;
  /** Numbers of concepts. */
  readonly plain: readonly number[];
  readonly negated: readonly number[];
}

/** The text between two spaces. */
interface Chunk {
  readonly words: readonly Meaning[];
  readonly number: number;
  /** A parenthesis begins: what is in it belongs to no preposition before it. */
  readonly isApart: boolean;
  /** Most words mean nothing, alone or beside others; they only take a place. */
  readonly isSilent: boolean;
}

/** The sentence that is being read. */
interface Reading {
  sentence: Sentence;
  place: number;
  negatedUntil: number;
  isOfNoun: boolean;
  /** Until here a noun may belong to the last preposition. */
  prepositionUntil: number;
  holderUntil: number;
  lastNumber: number;
  last: Meaning | undefined;
}

function newReading(): Reading {
  return {
    sentence: newSentence(),
    place: 0,
    negatedUntil: -1,
    isOfNoun: false,
    prepositionUntil: -1,
    holderUntil: -1,
    lastNumber: 0,
    last: undefined,
  };
}

const SPACE = 0x20;

/** Reads the text in one pass, part by part; it is long, and most of its parts were seen before. */
function readAll(text: string): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let reading = newReading();
  let begin = 0;
  let hash = HASH_START;
  let check = HASH_START;
  for (let at = 0; at <= text.length; at++) {
    const unit = at === text.length ? SPACE : text.charCodeAt(at);
    // a letter needs no more than one comparison
    const isLetter = unit > QUESTION_MARK && unit < WIDE_STOP;
    const isEnd = !isLetter && (at === text.length || endsSentence(unit, text, at));
    if (isLetter || (!isEnd && unit !== SPACE && (unit > RETURN || unit < TAB))) {
      hash = hashWith(hash, unit);
      check = checkWith(check, unit);
      continue;
    }
    if (at > begin) {
      const known = REMEMBERED.find(hash, check);
      readPart(known ?? learn(text.slice(begin, at), hash, check), reading);
    }
    begin = at + 1;
    hash = HASH_START;
    check = HASH_START;
    if (!isEnd) continue;
    if (reading.sentence.found.length > 0) sentences.push(reading.sentence);
    if (sentences.length === MAX_SENTENCES) break;
    reading = newReading();
  }
  return sentences;
}

const TAB = 0x09;
const NEW_LINE = 0x0a;
const RETURN = 0x0d;
const FULL_STOP = 0x2e;
const EXCLAMATION_MARK = 0x21;
const QUESTION_MARK = 0x3f;
const SEMICOLON = 0x3b;
const WIDE_STOP = 0x3002;
const WIDE_MARKS: ReadonlySet<number> = new Set([WIDE_STOP, 0xff01, 0xff1f, 0xff1b]);

/** A mark ends a sentence before a space, its wide form anywhere. */
function endsSentence(unit: number, text: string, at: number): boolean {
  if (unit > QUESTION_MARK) return unit >= WIDE_STOP && WIDE_MARKS.has(unit);
  if (unit === NEW_LINE) return !isWrapped(text, at + 1);
  const isMark =
    unit === FULL_STOP || unit === SEMICOLON || unit === QUESTION_MARK || unit === EXCLAMATION_MARK;
  return isMark && (at + 1 === text.length || text.charCodeAt(at + 1) <= SPACE);
}

/** A terminal broke the line: the sentence continues in small letters. */
function isWrapped(text: string, from: number): boolean {
  let at = from;
  while (text.charCodeAt(at) === SPACE) at++;
  const unit = text.charCodeAt(at);
  return unit >= SMALL_A && unit <= SMALL_Z;
}

const SMALL_A = 0x61;
const SMALL_Z = 0x7a;

function readPart({ words, number, isApart, isSilent }: Chunk, reading: Reading): void {
  if (isApart) reading.holderUntil = reading.prepositionUntil = -1;
  if (isSilent) {
    reading.place += words.length === 0 ? 1 : words.length;
    if (words.length === 0) return;
    if (reading.last?.word === 'being') addTo(reading.sentence, UNDERWAY, reading.place);
    reading.last = undefined;
    return;
  }
  const { sentence } = reading;
  if (number > 0) {
    if (reading.lastNumber > number && number >= MIN_COMPARED) addTo(sentence, OVER, reading.place);
    reading.lastNumber = number;
  }
  if (words.length === 0) reading.place++;
  for (const meaning of words) {
    const place = ++reading.place;
    if (meaning.isNegation) {
      reading.negatedUntil = place + NEGATION_REACH;
      reading.isOfNoun = meaning.isOfNoun;
    }
    if (meaning.isPreposition) reading.prepositionUntil = place + PREPOSITION_REACH;
    if (meaning.isOfHolder) reading.holderUntil = place + HOLDER_REACH;
    const isNegated = place <= reading.negatedUntil;
    const isTurned = isNegated && meaning.negated.length > 0;
    if (meaning.endsNegation) reading.negatedUntil = place;
    if (isTurned && !reading.isOfNoun)
      reading.negatedUntil = Math.min(reading.negatedUntil, place + 1);
    for (const id of isTurned ? meaning.negated : meaning.plain) {
      addTo(sentence, id, place);
      const isTarget = id === MODEL || id === ENDPOINT;
      if (isTarget && place <= reading.prepositionUntil) addTo(sentence, OF_MODEL, place);
      if (place <= reading.holderUntil && HOLDERS.has(id)) addTo(sentence, OF_ACCOUNT, place);
    }
    const { last } = reading;
    const turned = isNegated ? last?.negatedPairs?.get(meaning.word) : undefined;
    const paired = turned ?? last?.pairs?.get(meaning.word);
    if (paired !== undefined) for (const concept of paired) addTo(sentence, idOf(concept), place);
    reading.last = meaning;
  }
}

/** Smaller ones count something else than tokens or bytes. */
const MIN_COMPARED = 100;

const REMEMBERED = createPartTable<Chunk>();
const MAX_REMEMBERED_CHARS = 64;

/** Words recur, so each is read once. */
function learn(spelling: string, hash: number, check: number): Chunk {
  const chunk = shared(readChunk(spelling));
  if (spelling.length <= MAX_REMEMBERED_CHARS) REMEMBERED.remember(hash, check, chunk);
  return chunk;
}

const SHARED = new Map<string, Chunk>();
const MAX_SHARED = 4096;

/** Most words mean nothing, and many the same: one object for all of them stays in the cache. */
function shared(chunk: Chunk): Chunk {
  const key = JSON.stringify([
    chunk.number,
    chunk.isApart,
    chunk.words.map(
      ({ word, isNegation, isPreposition, isOfHolder, endsNegation, plain, negated }) => [
        lexicons().paired.has(word) || isNegation ? word : '',
        isNegation,
        isPreposition,
        isOfHolder,
        endsNegation,
        plain,
        negated,
      ],
    ),
  ]);
  const known = SHARED.get(key);
  if (known === undefined && SHARED.size < MAX_SHARED) SHARED.set(key, chunk);
  return known ?? chunk;
}

function readChunk(spelling: string): Chunk {
  const number = numberIn(spelling);
  const isApart = spelling.startsWith('(') || spelling.startsWith('[');
  if (IDENTIFIER.test(spelling)) return { words: [], number, isApart, isSilent: number === 0 };
  const isQuoted = spelling.startsWith(QUOTED);
  const words = wordsIn(spelling.replace(EXCEPTION, '')).map((word) => meaningOf(word, isQuoted));
  return { words, number, isApart, isSilent: number === 0 && words.every(isSilent) };
}

function isSilent(meaning: Meaning): boolean {
  const { word, isNegation, endsNegation, isPreposition, isOfHolder, plain, negated } = meaning;
  const turns = isNegation || endsNegation || isPreposition || isOfHolder;
  return !turns && plain.length === 0 && negated.length === 0 && !lexicons().paired.has(word);
}

function numberIn(chunk: string): number {
  const digits = /^\W{0,2}(\d{1,3}(?:,\d{3}){1,4}|\d{1,12})\W{0,3}$/.exec(chunk)?.[1];
  return digits === undefined ? 0 : Number(digits.replaceAll(',', ''));
}

function meaningOf(word: string, isQuoted: boolean): Meaning {
  const { plain, negated } = lexicons();
  const said = UNSPACED.test(word) ? inUnspaced(word) : lookUp(word, plain);
  const turned = lookUp(word, negated);
  const nouns = turned.length === 0 ? [] : said.filter((concept) => NOUNS.has(concept));
  const counts = (concept: Concept): boolean => !isQuoted || IN_QUOTES.has(concept);
  return {
    word,
    pairs: lexicons().pairs.get(word),
    negatedPairs: lexicons().negatedPairs.get(word),
    isNegation: NEGATIONS.has(word) || word.endsWith("n't"),
    isOfNoun: word === 'no' || word === 'without',
    endsNegation: NEGATION_ENDS.has(word),
    isPreposition: PREPOSITIONS.has(word),
    isOfHolder: OF_HOLDERS.has(word),
    plain: said.filter(counts).map(idOf),
    negated: [...turned, ...nouns].filter(counts).map(idOf),
  };
}

/** Words in lower case; `ChannelClosed` and `channel_closed` are two. */
function wordsIn(chunk: string): readonly string[] {
  const compound = chunk.replace(/^\W+|[^\w>=]+$/g, '').toLowerCase();
  if (KNOWN_COMPOUNDS.has(compound)) return [compound];
  const parts = chunk
    .replace(EXCHANGE, ' toolcall ')
    // the end of a tag is no comparison
    .replace(/(?<=[a-z"'/-])>/gi, ' ')
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replace(/([A-Z])([A-Z](?!s\b)[a-z])/g, '$1 $2')
    .replaceAll('’', "'")
    .toLowerCase()
    .match(/[a-z]+(?:'[a-z]+)?|[\u0400-\u04ff]+|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+|>=?/g);
  return parts ?? [];
}

/** A call of a tool and its result are parts of the history, no definition of a tool. */
const EXCHANGE =
  /(?<![\w])(?:tool|function)_?(?:call|result|use|response|output)s?(?:_?id)?(?![a-z])/gi;

const KNOWN_COMPOUNDS: ReadonlySet<string> = new Set([
  'max_tokens',
  'top_p',
  'top_k',
  'budget_tokens',
  'base_url',
  'response_format',
  'http2',
  'h2',
]);

function lookUp(word: string, { exact, prefixes }: Lexicon): readonly Concept[] {
  const meanings = new Set(exact.get(word) ?? []);
  for (let end = Math.min(word.length, 24); end >= 2; end--)
    for (const concept of prefixes.get(word.slice(0, end)) ?? []) meanings.add(concept);
  return [...meanings];
}

/** Without spaces, a negation is a part of the word. */
function inUnspaced(word: string): readonly Concept[] {
  const { unspaced } = lexicons();
  const whole = `=${word}`;
  return unspaced.flatMap(([part, concept]) =>
    word.includes(part) || part === whole ? [concept] : [],
  );
}

const UNSPACED = /[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]/;
