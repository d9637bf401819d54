/**
 * Recognises common mistakes in YAML and suggests a correction, by the parser's error code and the
 * text around the error, never by the parser's message.
 */
import type { YAMLError } from 'yaml';
import { KEYS_OF } from '../schema/leaf.ts';
import { quoted } from '../diagnostics/diagnostic-words.ts';
import { misplacedLine } from './yaml-indent.ts';

export interface YamlMistake {
  readonly message: string;
  readonly suggestion: string;
  readonly start: number;
  readonly end: number;
  /** All later errors of the parser follow from this mistake. */
  readonly explainsTheRest: boolean;
}

type YamlCode = YAMLError['code'];

export function mistakeAt(error: YAMLError, text: string): YamlMistake | undefined {
  const [start, end] = error.pos;
  if (error.code === 'TAB_AS_INDENT') return undefined;
  const open = openBrackets(text, start);
  if (open.length > 0) return inBrackets(error, text, open);
  return (
    reservedStart(error, text) ??
    dashWithoutSpace(text, start) ??
    keyWithoutColon(error.code, text, start) ??
    misplaced(text, start) ??
    unquoted(error.code, text, start) ??
    badQuotes(error.code, text, start, end)
  );
}

interface Bracket {
  readonly sign: '{' | '[';
  readonly at: number;
}

/** No flow map is longer than this, but a file may be. */
const MAX_LOOK_BACK = 100_000;

const CLOSING = { '{': '}', '[': ']' } as const;

function inBrackets(
  error: YAMLError,
  text: string,
  open: readonly Bracket[],
): YamlMistake | undefined {
  const [start] = error.pos;
  const comma = missingComma(text, start);
  if (comma !== undefined) return comma;
  const value = flowValue(text, start);
  if (error.code === 'BLOCK_IN_FLOW' && value.includes(': ')) return quotesAround(value, start);
  const innermost = open.at(-1);
  if (error.code !== 'BAD_INDENT' || innermost === undefined) return undefined;
  const closing = CLOSING[innermost.sign];
  return {
    message: `Not YAML: this \`${innermost.sign}\` is never closed`,
    suggestion: `Write \`${closing}\` where it ends`,
    start: innermost.at,
    end: innermost.at + 1,
    explainsTheRest: true,
  };
}

/** `type: set value: 1`, `[{to: a} {to: b}]`, or a line of a map that ends without a comma. */
function missingComma(text: string, start: number): YamlMistake | undefined {
  const before = text.slice(0, start).trimEnd();
  const rest = text.slice(start, start + 500);
  if (/[}\]"']$/.test(before) && /^["'{[\w$-]/.test(rest))
    return comma(before.length, /^(?:"[^"\n]*"|'[^'\n]*'|[\w$-]+|\S)/.exec(rest)?.[0] ?? '');
  const [value, key] = valueAndKey(rest);
  if (value === undefined || key === undefined) return undefined;
  return comma(start + value.length, key);
}

/** A value and the key after it, which were read as one text. */
function valueAndKey(rest: string): readonly (string | undefined)[] {
  const quotes = /^("[^"\n]*"|'[^'\n]*')\s+([A-Za-z_][\w-]*)\s*:/.exec(rest);
  if (quotes !== null) return [quotes[1], quotes[2]];
  const plain = /^([^\n,{}[\]]*?\S)\s+([A-Za-z_][\w-]*)\s*:(?:\s|$)/.exec(rest);
  return isKnownKey(plain?.[2] ?? '') ? [plain?.[1], plain?.[2]] : [];
}

function comma(at: number, next: string): YamlMistake {
  return {
    message: `Not YAML: a comma is missing before ${quoted(next)}`,
    suggestion: `Write \`, ${next}\``,
    start: at,
    end: at + 1,
    explainsTheRest: true,
  };
}

function isKnownKey(word: string): boolean {
  for (const keys of KEYS_OF.values()) if (keys.includes(word)) return true;
  return false;
}

/** Brackets that are open at an offset. Quotes and brackets count only where a value can begin. */
function openBrackets(text: string, end: number): readonly Bracket[] {
  const open: Bracket[] = [];
  const first = end <= MAX_LOOK_BACK ? 0 : text.indexOf('\n', end - MAX_LOOK_BACK) + 1;
  for (let at = first; at < end; at++) {
    const sign = text[at];
    const isStart = at === 0 || /[\s,[{]/.test(text[at - 1] ?? '');
    if (sign === '#' && isStart) at = endOfLine(text, at) - 1;
    else if ((sign === '"' || sign === "'") && isStart) at = endOfQuotes(text, at, end);
    else if ((sign === '|' || sign === '>') && isStart && open.length === 0)
      at = endOfBlock(text, at, end);
    else if ((sign === '{' || sign === '[') && (isStart || open.length > 0))
      open.push({ sign, at });
    else if ((sign === '}' || sign === ']') && open.length > 0) {
      if (CLOSING[open.at(-1)?.sign ?? '{'] === sign) open.pop();
    }
  }
  return open;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end < 0 ? text.length : end;
}

function endOfQuotes(text: string, at: number, end: number): number {
  const quote = text[at];
  for (let next = at + 1; next < end; next++) {
    if (quote === '"' && text[next] === '\\') next++;
    else if (text[next] === quote) return next;
  }
  return end;
}

/** The lines of a `|` text are indented deeper than the line that begins it. */
function endOfBlock(text: string, at: number, end: number): number {
  const lineStart = text.lastIndexOf('\n', at) + 1;
  if (!/^[|>][+-]?\d?[+-]?\s*(#.*)?$/.test(text.slice(at, endOfLine(text, at)))) return at;
  const indent = /^ */.exec(text.slice(lineStart, at))?.[0].length ?? 0;
  let next = endOfLine(text, at) + 1;
  while (next < end) {
    const line = text.slice(next, endOfLine(text, next));
    if (line.trim() !== '' && line.length - line.trimStart().length <= indent) break;
    next = endOfLine(text, next) + 1;
  }
  return next - 1;
}

/** The value in a flow map: up to the comma or bracket that ends it. */
function flowValue(text: string, start: number): string {
  return /^[^,}\]\n]*/.exec(text.slice(start, start + 500))?.[0].trimEnd() ?? '';
}

function reservedStart(error: YAMLError, text: string): YamlMistake | undefined {
  if (error.code !== 'BAD_SCALAR_START') return undefined;
  const [start] = error.pos;
  const value = restOfLine(text, start);
  return {
    ...quotesAround(value, start),
    message: `Not YAML: a text that begins with ${quoted(value.charAt(0))} needs quotes`,
  };
}

/** `-name: a`. */
function dashWithoutSpace(text: string, start: number): YamlMistake | undefined {
  const at = text.lastIndexOf('\n', start - 1) + 1;
  const found = /^(\s*)-([A-Za-z_{[][^\n]*)/.exec(text.slice(at, endOfLine(text, at)));
  const [, indent = '', rest] = found ?? [];
  if (rest === undefined) return undefined;
  const dash = at + indent.length;
  return {
    message: 'Not YAML: an item of a list begins with `- `, with a space',
    suggestion: `- ${rest.trimEnd()}`,
    start: dash,
    end: dash + 1,
    explainsTheRest: true,
  };
}

/** `name:x`, `name x`, and `workflow` alone on its line. */
function keyWithoutColon(code: YamlCode, text: string, start: number): YamlMistake | undefined {
  if (code !== 'MULTILINE_IMPLICIT_KEY' && code !== 'MISSING_CHAR') return undefined;
  const at = text.lastIndexOf('\n', start - 1) + 1;
  const line = text.slice(at, endOfLine(text, at));
  const [, indent = '', key, sign, value = ''] =
    /^(\s*(?:- )?)([A-Za-z_][\w-]*)(:?)(?:[ \t]*)(\S.*?)?\s*$/.exec(line) ?? [];
  if (key === undefined || !isKnownKey(key) || (sign === ':' && /:\s/.test(line))) return undefined;
  return {
    message:
      sign === ':'
        ? `Not YAML: the \`:\` of ${quoted(key)} needs a space after it`
        : `Not YAML: there is no \`:\` after ${quoted(key)}`,
    suggestion: `${key}: ${value}`.trimEnd(),
    start: at + indent.length,
    end: at + indent.length + key.length,
    explainsTheRest: true,
  };
}

function misplaced(text: string, start: number): YamlMistake | undefined {
  const found = misplacedLine(text, start);
  if (found === undefined) return undefined;
  const { at, isItem, spaces, wanted, likeLine } = found;
  const noun = isItem ? 'This `-` is' : 'This line is';
  const others = isItem ? 'the list it belongs to' : 'the map it belongs to';
  return {
    message: `${noun} indented by ${countOf(spaces)}, but ${others} by ${wanted} (line ${likeLine})`,
    suggestion: wanted === 0 ? 'Do not indent it' : `Indent it by ${countOf(wanted)}`,
    start: at,
    end: at + 1,
    explainsTheRest: true,
  };
}

function countOf(spaces: number): string {
  return `${spaces} ${spaces === 1 ? 'space' : 'spaces'}`;
}

/** `prompt: Label this: {{ x }}`. */
function unquoted(code: YamlCode, text: string, start: number): YamlMistake | undefined {
  if (code !== 'BLOCK_AS_IMPLICIT_KEY') return undefined;
  const value = restOfLine(text, start);
  return value.includes(': ') || value.endsWith(':') ? quotesAround(value, start) : undefined;
}

/** `'it's'` and `"x" == y`: the quotes end before the value does. */
function badQuotes(
  code: YamlCode,
  text: string,
  start: number,
  end: number,
): YamlMistake | undefined {
  if (code !== 'UNEXPECTED_TOKEN') return undefined;
  const at = text.lastIndexOf('\n', start - 1) + 1;
  const value = /^\s*(?:- )?(?:[\w-]+:\s+)?(?=["'])/.exec(text.slice(at, start));
  if (value === null) return undefined;
  const from = at + value[0].length;
  const written = restOfLine(text, from);
  const quote = written.charAt(0);
  const inside = written.endsWith(quote) ? written.slice(1, -1) : written;
  return {
    ...quotesAround(inside, from),
    message: `Not YAML: the quoted text ends before column ${columnOf(text, start)}, but more follows`,
    end: Math.max(end, from + written.length),
  };
}

function columnOf(text: string, at: number): number {
  return at - text.lastIndexOf('\n', at - 1);
}

function restOfLine(text: string, start: number): string {
  return text.slice(start, Math.min(endOfLine(text, start), start + 500)).trimEnd();
}

function quotesAround(value: string, start: number): YamlMistake {
  const quote = ['"', "'"].find((sign) => !value.includes(sign) && !value.includes('\\'));
  return {
    message: 'Not YAML: a text that contains `: ` needs quotes, because YAML reads it as a map',
    suggestion:
      quote === undefined
        ? 'Put the text on lines of its own, below `|`'
        : `${quote}${value}${quote}`,
    start,
    end: start + value.length,
    explainsTheRest: false,
  };
}
