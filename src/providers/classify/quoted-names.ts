/**
 * Finds names and values in quotes. A tool called `billing_check`, a project called `unauthorized-demo` or
 * a prompt that was sent where a list belongs says nothing about the failure: the user chose the words.
 */

/** From and to, in turn and in order; `to` is the closing quote. */
export type NameRanges = readonly number[];

const QUOTE = /['"`]/;
const MAX_NAME_CHARS = 200;

/** Several words, where a sentence has a value that was refused; any others may be another server's. */
const VALUE =
  /(?:\b(?:invalid|unexpected|bad) (?:value|input|argument|content)s?:? )(["'`])([^"'`\n]{1,400})\1|(["'`])([^"'`\n]{1,400})\3(?= (?:is not (?:an?|of|one|valid)|does not match|instead|cannot be (?:parsed|converted|cast|decoded))\b)/gi;
const REFUSED_VALUE = /\b(?:invalid|unexpected|bad|is not|does not match|instead|cannot be)\b/i;

/** A dump of a response: `code: 'rate_limit_exceeded'`. */
const LABEL =
  /\b(?:code|type|reason|status|error|kind|name|message|detail)["']?\s{0,2}[:=(]\s{0,2}$/i;
const MAX_LABEL_CHARS = 16;

/** The names of headers and settings that hold a key end in one. */
const KEY_ENDS = 'yhnrtlsYHNRTLS';
const OF_A_KEY = /(?:key|token|auth|authorization|bearer|secret|credentials?)s?$/i;

const NO_NAMES: NameRanges = [];

/** As far as phrases are looked for, and to the end of a value that begins there. */
const MAX_CHARS = 4096 + 512;

/** Phrases and concepts ask for the same text in turn, for concepts only its beginning where it is long. */
let lastText = '';
let lastRanges = NO_NAMES;
let hasValues = false;
const MIN_BEGINNING_CHARS = 1024;

export function findNames(text: string): NameRanges {
  if (text === lastText) return lastRanges;
  if (isBeginning(text)) return rangesBefore(text.length);
  lastText = text;
  lastRanges = readNames(text);
  return lastRanges;
}

/** The words behind a value may decide its meaning. */
function isBeginning(text: string): boolean {
  const { length } = text;
  if (hasValues || length < MIN_BEGINNING_CHARS || length > lastText.length) return false;
  return lastText.slice(0, length) === text;
}

function rangesBefore(place: number): NameRanges {
  let { length } = lastRanges;
  while (length > 0 && (lastRanges[length - 1] ?? 0) >= place) length -= 2;
  return lastRanges.slice(0, length);
}

function readNames(all: string): NameRanges {
  const text = all.length > MAX_CHARS ? all.slice(0, MAX_CHARS) : all;
  const first = text.search(QUOTE);
  hasValues = first >= 0 && REFUSED_VALUE.test(text);
  if (first < 0) return NO_NAMES;
  const ranges: number[] = [];
  for (let at = first; at < text.length; at++) {
    if (!isQuote(text.charCodeAt(at))) continue;
    const end = endOfName(text, at);
    if (end < 0) continue;
    if (isName(text, at, end)) ranges.push(at, end);
    at = end;
  }
  return hasValues ? withValues(text, ranges) : ranges;
}

/** The place of the quote that closes a name without spaces; -1 where there is none. */
function endOfName(text: string, begin: number): number {
  const quote = text.charCodeAt(begin);
  const last = Math.min(text.length - 1, begin + MAX_NAME_CHARS + 1);
  for (let at = begin + 1; at <= last; at++) {
    const unit = text.charCodeAt(at);
    if (unit === quote && at > begin + 1) return at;
    if (isQuote(unit) || isSpace(unit)) return -1;
  }
  return -1;
}

function isName(text: string, begin: number, end: number): boolean {
  if (isLabelled(text, begin) || isHeaderOfKey(text, begin + 1, end)) return false;
  // behind a letter it is an apostrophe
  return !isOfWord(text.charCodeAt(begin - 1));
}

function isOfWord(unit: number): boolean {
  const lower = unit | 0x20;
  return (lower >= 0x61 && lower <= 0x7a) || (unit >= 0x30 && unit <= 0x39) || unit === UNDERSCORE;
}

const UNDERSCORE = 0x5f;

function isQuote(unit: number): boolean {
  return unit === DOUBLE_QUOTE || unit === SINGLE_QUOTE || unit === BACKTICK;
}

const DOUBLE_QUOTE = 0x22;
const SINGLE_QUOTE = 0x27;
const BACKTICK = 0x60;

/** White space, as in a pattern. */
function isSpace(unit: number): boolean {
  if (unit <= SPACE) return unit === SPACE || (unit >= TAB && unit <= RETURN);
  return unit >= WIDE_SPACE && /\s/.test(String.fromCharCode(unit));
}

const TAB = 0x09;
const RETURN = 0x0d;
const SPACE = 0x20;
const WIDE_SPACE = 0xa0;

/** A value has several words; one word is a name. */
function withValues(text: string, names: NameRanges): NameRanges {
  const values = [...text.matchAll(VALUE)].flatMap((match) => {
    const value = match[2] ?? match[4] ?? '';
    const to = match.index + match[0].length - 1;
    return /\s/.test(value) ? [[to - value.length - 1, to] as const] : [];
  });
  if (values.length === 0) return names;
  for (let at = 0; at < names.length; at += 2) values.push([names[at] ?? 0, names[at + 1] ?? 0]);
  return values.sort(([one], [other]) => one - other).flat();
}

function isLabelled(text: string, index: number): boolean {
  let last = index - 1;
  while (last > index - 3 && isSpace(text.charCodeAt(last))) last--;
  const unit = text.charCodeAt(last);
  const mayBe = unit === COLON || unit === EQUALS || unit === PARENTHESIS;
  return mayBe && LABEL.test(text.slice(Math.max(0, index - MAX_LABEL_CHARS), index));
}

const COLON = 0x3a;
const EQUALS = 0x3d;
const PARENTHESIS = 0x28;

/** `x-api-key`, but not `projects/key-demo`. */
function isHeaderOfKey(text: string, begin: number, end: number): boolean {
  if (end - begin > MAX_HEADER_CHARS || !KEY_ENDS.includes(text.charAt(end - 1))) return false;
  const name = text.slice(begin, end);
  return OF_A_KEY.test(name) && !name.includes('/');
}

const MAX_HEADER_CHARS = 40;

/** Marks what stands in quotes in a text: each word of it with a sign, and the rest as it is. */
export function markNames(text: string, sign: string): string {
  const ranges = findNames(text);
  if (ranges.length === 0) return text;
  let kept = '';
  let from = 0;
  for (let at = 0; at < ranges.length; at += 2) {
    const begin = ranges[at] ?? 0;
    const end = ranges[at + 1] ?? begin;
    const quoted = text.slice(begin + 1, end);
    const marked = SPACE_IN_VALUE.test(quoted) ? quoted.replace(/\s+/g, ` ${sign}`) : quoted;
    kept += `${text.slice(from, begin)} ${sign}${marked} `;
    from = end + 1;
  }
  return kept + text.slice(from);
}

const SPACE_IN_VALUE = /\s/;
