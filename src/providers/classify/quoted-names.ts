/**
 * Finds names and values in quotes. A tool called `billing_check`, a project called `unauthorized-demo` or
 * a prompt that was sent where a list belongs says nothing about the failure: the user chose the words.
 */

/** From and to, in turn and in order; `to` is the closing quote. */
export type NameRanges = readonly number[];

const QUOTED = /(['"`])([^\s'"`]{1,200})\1/g;

/** Several words, where a sentence has a value that was refused; any others may be another server's. */
const VALUE =
  /(?:\b(?:invalid|unexpected|bad) (?:value|input|argument|content)s?:? )(["'`])([^"'`\n]{1,400})\1|(["'`])([^"'`\n]{1,400})\3(?= (?:is not (?:an?|of|one|valid)|does not match|instead|cannot be (?:parsed|converted|cast|decoded))\b)/gi;
const REFUSED_VALUE = /\b(?:invalid|unexpected|bad|is not|does not match|instead|cannot be)\b/i;

/** A dump of a response: `code: 'rate_limit_exceeded'`. */
const LABEL =
  /\b(?:code|type|reason|status|error|kind|name|message|detail)["']?\s{0,2}[:=(]\s{0,2}$/i;
/** The last of it, which few quotes have before them. */
const LABEL_END = /[:=(]\s{0,2}$/;
const MAX_LABEL_CHARS = 24;

/** The names of headers and settings that hold a key end in one. */
const OF_A_KEY = /(?:key|token|auth|authorization|bearer|secret|credentials?)s?$/i;

const NO_NAMES: NameRanges = [];

/** As far as phrases are looked for, and to the end of a value that begins there. */
const MAX_CHARS = 4096 + 512;

/** Phrases and concepts ask for the same text in turn. */
let lastText = '';
let lastRanges = NO_NAMES;

export function findNames(text: string): NameRanges {
  if (text !== lastText) {
    lastText = text;
    lastRanges = readNames(text);
  }
  return lastRanges;
}

function readNames(all: string): NameRanges {
  const text = all.length > MAX_CHARS ? all.slice(0, MAX_CHARS) : all;
  if (!/['"`]/.test(text)) return NO_NAMES;
  const ranges: [number, number][] = [];
  for (const { index, 2: name = '' } of text.matchAll(QUOTED)) {
    const isApostrophe = /\w/.test(text.charAt(index - 1));
    if (isApostrophe || isHeaderOfKey(name) || isLabelled(text, index)) continue;
    ranges.push([index, index + name.length + 1]);
  }
  if (REFUSED_VALUE.test(text)) addValues(text, ranges);
  return ranges.flat();
}

/** A value has several words; one word is a name. */
function addValues(text: string, ranges: [number, number][]): void {
  for (const match of text.matchAll(VALUE)) {
    const value = match[2] ?? match[4] ?? '';
    const to = match.index + match[0].length - 1;
    if (/\s/.test(value)) ranges.push([to - value.length - 1, to]);
  }
  ranges.sort(([one], [other]) => one - other);
}

function isLabelled(text: string, index: number): boolean {
  return (
    LABEL_END.test(text.slice(Math.max(0, index - 3), index)) &&
    LABEL.test(text.slice(Math.max(0, index - MAX_LABEL_CHARS), index))
  );
}

/** `x-api-key`, but not `projects/key-demo`. */
function isHeaderOfKey(name: string): boolean {
  return name.length <= 40 && !name.includes('/') && OF_A_KEY.test(name);
}
