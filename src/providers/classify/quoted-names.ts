/**
 * Finds names in quotes. A tool called `billing_check` or a project called `unauthorized-demo` says
 * nothing about the failure: the user chose the name.
 */

/** From and to, in turn; `to` is the closing quote. */
export type NameRanges = readonly number[];

const QUOTED = /(['"`])([^\s'"`]{1,200})\1/g;

/** A dump of a response: `code: 'rate_limit_exceeded'`. */
const LABEL =
  /\b(?:code|type|reason|status|error|kind|name|message|detail)["']?\s{0,2}[:=(]\s{0,2}$/i;
const MAX_LABEL_CHARS = 24;

/** The names of headers and settings that hold a key end in one. */
const OF_A_KEY = /(?:key|token|auth|authorization|bearer|secret|credentials?)s?$/i;

const NO_NAMES: NameRanges = [];

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

function readNames(text: string): NameRanges {
  if (!/['"`]/.test(text)) return NO_NAMES;
  const ranges: number[] = [];
  for (const { index, 2: name = '' } of text.matchAll(QUOTED)) {
    const isApostrophe = /\w/.test(text.charAt(index - 1));
    if (isApostrophe || isHeaderOfKey(name) || isLabelled(text, index)) continue;
    ranges.push(index, index + name.length + 1);
  }
  return ranges;
}

function isLabelled(text: string, index: number): boolean {
  return LABEL.test(text.slice(Math.max(0, index - MAX_LABEL_CHARS), index));
}

/** `x-api-key`, but not `projects/key-demo`. */
function isHeaderOfKey(name: string): boolean {
  return name.length <= 40 && !name.includes('/') && OF_A_KEY.test(name);
}
