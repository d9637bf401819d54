/**
 * Parses a JavaScript regular expression (with the flag `u`, as in JSON Schema) into a tree. Supports
 * everything but back references, which no engine can match in linear time. The built-in parser has
 * accepted the text before, so it is well formed.
 */

export type PatternNode =
  /** One character; `source` is the part of the pattern that describes it. */
  | { readonly type: 'character'; readonly source: string }
  | { readonly type: 'sequence'; readonly items: readonly PatternNode[] }
  | { readonly type: 'choice'; readonly items: readonly PatternNode[] }
  | {
      readonly type: 'repeat';
      readonly item: PatternNode;
      readonly min: number;
      readonly max: number;
    }
  | { readonly type: 'edge'; readonly edge: Edge }
  | {
      readonly type: 'look';
      readonly item: PatternNode;
      readonly isBehind: boolean;
      readonly isNegated: boolean;
    };

export type Edge = 'start' | 'end' | 'word' | 'no word';

/** Describes what this engine does not support in a pattern. */
export class UnusablePattern extends Error {
  override readonly name = 'UnusablePattern';
}

const MAX_CHARS = 10_000;
const MAX_DEPTH = 100;

interface Reader {
  readonly text: string;
  at: number;
  depth: number;
}

/** Throws `UnusablePattern`; its message is the predicate of a sentence about the pattern. */
export function parsePattern(text: string): PatternNode {
  if (!isWellFormed(text)) throw new UnusablePattern('must be a regular expression');
  if (text.length > MAX_CHARS)
    throw new UnusablePattern(`must have at most ${MAX_CHARS} characters`);
  return readChoice({ text, at: 0, depth: 0 });
}

function isWellFormed(text: string): boolean {
  try {
    return new RegExp(text, 'u').source.length >= 0;
  } catch {
    return false;
  }
}

function readChoice(reader: Reader): PatternNode {
  if (++reader.depth > MAX_DEPTH)
    throw new UnusablePattern(`must not be nested deeper than ${MAX_DEPTH} levels`);
  const items = [readSequence(reader)];
  while (reader.text[reader.at] === '|') {
    reader.at++;
    items.push(readSequence(reader));
  }
  reader.depth--;
  const [only] = items;
  return items.length === 1 && only !== undefined ? only : { type: 'choice', items };
}

function readSequence(reader: Reader): PatternNode {
  const items: PatternNode[] = [];
  for (;;) {
    const next = reader.text[reader.at];
    if (next === undefined || next === '|' || next === ')') return { type: 'sequence', items };
    items.push(readQuantifier(readTerm(reader), reader));
  }
}

function readTerm(reader: Reader): PatternNode {
  const { text, at } = reader;
  switch (text[at]) {
    case '^':
      reader.at++;
      return { type: 'edge', edge: 'start' };
    case '$':
      reader.at++;
      return { type: 'edge', edge: 'end' };
    case '(':
      return readGroup(reader);
    case '\\':
      return readEscape(reader);
    case '[':
      return character(reader, classEnd(text, at));
    default:
      return character(reader, at + String.fromCodePoint(text.codePointAt(at) ?? 0).length);
  }
}

function character(reader: Reader, end: number): PatternNode {
  const source = reader.text.slice(reader.at, end);
  reader.at = end;
  return { type: 'character', source };
}

function classEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== ']') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

const OPENINGS: readonly (readonly [string, { isBehind: boolean; isNegated: boolean } | null])[] = [
  ['(?:', null],
  ['(?=', { isBehind: false, isNegated: false }],
  ['(?!', { isBehind: false, isNegated: true }],
  ['(?<=', { isBehind: true, isNegated: false }],
  ['(?<!', { isBehind: true, isNegated: true }],
];

function readGroup(reader: Reader): PatternNode {
  const { text, at } = reader;
  const [opening, look] = OPENINGS.find(([begin]) => text.startsWith(begin, at)) ?? ['(', null];
  reader.at += opening.length;
  if (opening === '(' && text[at + 1] === '?') {
    // either a group name, or flags for a part of the pattern
    if (text[at + 2] !== '<') throw new UnusablePattern('must not contain inline flags');
    reader.at = text.indexOf('>', at) + 1;
  }
  const item = readChoice(reader);
  reader.at++;
  return look === null ? item : { type: 'look', item, ...look };
}

function readEscape(reader: Reader): PatternNode {
  const { text, at } = reader;
  const letter = text[at + 1] ?? '';
  if (letter === 'b' || letter === 'B') {
    reader.at += 2;
    return { type: 'edge', edge: letter === 'b' ? 'word' : 'no word' };
  }
  if (letter === 'k' || /[1-9]/.test(letter))
    throw new UnusablePattern('must not contain back references');
  return character(reader, at + escapeLength(text, at, letter));
}

/** A surrogate pair of escapes is one character. */
const PAIR = /\\u[dD][89abAB][\dA-Fa-f]{2}\\u[dD][c-fC-F][\dA-Fa-f]{2}/y;

function escapeLength(text: string, at: number, letter: string): number {
  const hasBraces = text[at + 2] === '{';
  if ((letter === 'u' && hasBraces) || letter === 'p' || letter === 'P')
    return text.indexOf('}', at) + 1 - at;
  if (letter === 'u') {
    PAIR.lastIndex = at;
    return PAIR.test(text) ? 12 : 6;
  }
  if (letter === 'x') return 4;
  if (letter === 'c') return 3;
  return 1 + String.fromCodePoint(text.codePointAt(at + 1) ?? 0).length;
}

const COUNT = /\{(\d+)(,?)(\d*)\}/y;

/** Greediness changes which match is found, not whether there is one, so it is ignored. */
function readQuantifier(item: PatternNode, reader: Reader): PatternNode {
  const range = readRange(reader);
  if (range === undefined) return item;
  if (reader.text[reader.at] === '?') reader.at++;
  return { type: 'repeat', item, ...range };
}

function readRange(reader: Reader): { readonly min: number; readonly max: number } | undefined {
  const { text, at } = reader;
  const sign = text[at];
  if (sign === '*' || sign === '+' || sign === '?') {
    reader.at++;
    return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
  }
  COUNT.lastIndex = at;
  const found = COUNT.exec(text);
  if (found === null) return undefined;
  const [whole, least = '', comma, most = ''] = found;
  reader.at += whole.length;
  const min = Number(least);
  if (comma === '') return { min, max: min };
  return { min, max: most === '' ? Infinity : Number(most) };
}
