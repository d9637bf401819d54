/**
 * A short text that a regular expression accepts, for the plain part of the language that schemas
 * use: literals, classes, groups, alternatives, counts. Of what is beyond that it gives something that
 * may not fit; whoever asks checks.
 */

/** More than the longest text that anyone would want to read. */
const MAX_COUNT = 1000;
const MAX_DEPTH = 50;

interface Reader {
  readonly pattern: string;
  at: number;
  depth: number;
}

export function textFor(pattern: string): string {
  return alternatives({ pattern, at: 0, depth: 0 });
}

/** The first alternative; the others are read to find their end. */
function alternatives(reader: Reader): string {
  const first = sequence(reader);
  while (peek(reader) === '|') {
    reader.at++;
    sequence(reader);
  }
  return first;
}

function sequence(reader: Reader): string {
  let text = '';
  for (;;) {
    const next = peek(reader);
    if (next === undefined || next === '|' || next === ')') return text;
    text += repeated(atom(reader), reader);
  }
}

function atom(reader: Reader): string {
  const character = String.fromCodePoint(reader.pattern.codePointAt(reader.at) ?? 0);
  reader.at += character.length;
  switch (character) {
    case '^':
    case '$':
      return '';
    case '.':
      return 'a';
    case '(':
      return group(reader);
    case '[':
      return set(reader);
    case '\\':
      return escaped(reader);
    default:
      return character;
  }
}

function group(reader: Reader): string {
  const opening = /^\?(?:[:=!]|<[=!]|<[^>]*>)/.exec(reader.pattern.slice(reader.at))?.[0] ?? '';
  reader.at += opening.length;
  reader.depth++;
  const text = reader.depth > MAX_DEPTH ? '' : alternatives(reader);
  reader.depth--;
  if (peek(reader) === ')') reader.at++;
  // what is only looked at is no part of the text
  return /^\?<?[=!]$/.test(opening) ? '' : text;
}

/** The first member; of a negated set, the first common character that is no member. */
function set(reader: Reader): string {
  const start = reader.at - 1;
  const isNegated = peek(reader) === '^';
  if (isNegated) reader.at++;
  const first = peek(reader) === '\\' ? escapedAt(reader) : (peek(reader) ?? '');
  while (reader.at < reader.pattern.length && peek(reader) !== ']') {
    reader.at += peek(reader) === '\\' ? 2 : 1;
  }
  reader.at++;
  if (!isNegated) return first;
  const members = reader.pattern.slice(start, reader.at);
  return 'aA0 -_~'.split('').find((character) => isIn(character, members)) ?? 'a';
}

function isIn(character: string, members: string): boolean {
  try {
    return new RegExp(`^${members}$`, 'u').test(character);
  } catch {
    // not a set of this language; the caller checks the whole text anyway
    return false;
  }
}

function escapedAt(reader: Reader): string {
  return escaped({ ...reader, at: reader.at + 1 });
}

const CLASSES: Readonly<Record<string, string>> = {
  d: '0',
  w: 'a',
  s: ' ',
  D: 'a',
  W: '-',
  S: 'a',
  b: '',
  B: '',
  t: '\t',
  n: '\n',
  r: '\r',
};

function escaped(reader: Reader): string {
  const character = reader.pattern[reader.at++] ?? '';
  const coded =
    character === 'u' || character === 'x'
      ? /^(?:\{([0-9a-f]+)\}|([0-9a-f]{4})|([0-9a-f]{2}))/i.exec(reader.pattern.slice(reader.at))
      : null;
  if (coded !== null) {
    reader.at += coded[0].length;
    const code = Number.parseInt(coded[1] ?? coded[2] ?? coded[3] ?? '61', 16);
    return code <= 0x10ffff ? String.fromCodePoint(code) : 'a';
  }
  const property = character === 'p' ? /^\{([^}]*)\}/.exec(reader.pattern.slice(reader.at)) : null;
  if (property !== null) {
    reader.at += property[0].length;
    return /^(?:N|Nd|Number)/.test(property[1] ?? '') ? '0' : 'A';
  }
  return CLASSES[character] ?? character;
}

/** As few as the count allows. */
function repeated(text: string, reader: Reader): string {
  const rest = reader.pattern.slice(reader.at, reader.at + 20);
  const count = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})[?+]?/.exec(rest);
  if (count === null) return text;
  reader.at += count[0].length;
  if (count[0].startsWith('+')) return text;
  return text.repeat(Math.min(Number(count[1] ?? 0), MAX_COUNT));
}

function peek(reader: Reader): string | undefined {
  return reader.pattern[reader.at];
}
