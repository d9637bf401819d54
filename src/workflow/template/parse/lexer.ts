/**
 * Splits the source into tokens. Text outside tags is one token; comments, `raw` and white space control
 * are handled here, so the parser never sees them. Linear in the source.
 */
import { once } from '../../../errors/support/once.ts';
import { TEMPLATE_LIMITS } from '../template-limits.ts';
import { refuse, refuseBeyond, type Span } from '../template-error.ts';
import { unescape } from './unescape.ts';

export interface Token extends Span {
  readonly kind:
    | 'text'
    | 'output-open'
    | 'output-close'
    | 'tag-open'
    | 'tag-close'
    | 'name'
    | 'number'
    | 'string'
    | 'symbol'
    | 'end';
  /** As written; for a string, its value. */
  readonly text: string;
}

interface Scanner {
  readonly source: string;
  readonly tokens: Token[];
  position: number;
  /** Brackets not closed yet, innermost last. */
  readonly brackets: Token[];
  /** The last tag ended in `-`, which removes the white space after it. */
  isTrimming: boolean;
}

const OPENING = /\{[{%#]/g;
const RAW_OPEN = /\{%([-+]?)\s*raw\s*(-?)%\}/y;
const RAW_CLOSE = /\{%([-+]?)\s*endraw\s*([-+]?)%\}/g;
const BLANK = /\s*/y;
const name = once(() => /[\p{ID_Start}_]\p{ID_Continue}*/uy);
const NUMBER = /\d+(?:_\d+)*(?:\.\d+(?:_\d+)*)?(?:[eE][+-]?\d+)?/y;
/** After a dot: `list.0.1` is two steps, not a fraction. */
const DIGITS = /\d+/y;
const STRING = /'([^'\\]*(?:\\.[^'\\]*)*)'|"([^"\\]*(?:\\.[^"\\]*)*)"/sy;
const OUTPUT_CLOSE = /-?\}\}/y;
const TAG_CLOSE = /[-+]?%\}/y;

const SYMBOLS = new Set('-+*/%~<>=!.,:|()[]{}');
const LONG_SYMBOLS = new Set(['**', '//', '==', '!=', '<=', '>=']);
const CLOSED_BY = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
]);
const CLOSING = new Set(CLOSED_BY.values());

/** Operators of other languages, with their replacements. */
const MEANT = new Map([
  ['&', 'and'],
  ['?', 'Write `a if condition else b`, or `default()` for what may be missing'],
]);

export function tokenizeTemplate(source: string): readonly Token[] {
  const scanner = newScanner(source);
  while (scanner.position < source.length) {
    OPENING.lastIndex = scanner.position;
    const opening = OPENING.exec(source);
    const end = opening?.index ?? source.length;
    addText(scanner, end, { isEaten: source[end + 2] === '-' });
    if (opening === null) break;
    if (opening[0] === '{#') skipComment(scanner);
    else if (opening[0] === '{{') readTag(scanner, 'output');
    else if (!readRaw(scanner)) readTag(scanner, 'tag');
  }
  return finish(scanner);
}

export function tokenizeExpression(source: string): readonly Token[] {
  const scanner = newScanner(source);
  while (skipBlank(scanner) < source.length) readToken(scanner);
  const unclosed = scanner.brackets.at(-1);
  if (unclosed !== undefined) refuse(unclosed, `\`${unclosed.text}\` is never closed`);
  return finish(scanner);
}

function newScanner(source: string): Scanner {
  return { source, tokens: [], position: 0, brackets: [], isTrimming: false };
}

function finish(scanner: Scanner): readonly Token[] {
  scanner.position = scanner.source.length;
  add(scanner, 'end', 0);
  return scanner.tokens;
}

/** The text up to `end`, without the white space that an adjacent `-` removes. */
function addText(scanner: Scanner, end: number, { isEaten }: { isEaten: boolean }): void {
  let text = scanner.source.slice(scanner.position, end);
  const cut = scanner.isTrimming ? text.length - text.trimStart().length : 0;
  text = text.slice(cut);
  if (isEaten) text = text.trimEnd();
  if (text !== '') {
    const offset = scanner.position + cut;
    scanner.tokens.push({ kind: 'text', text, offset, length: text.length });
  }
  scanner.position = end;
  scanner.isTrimming = false;
}

function skipComment(scanner: Scanner): void {
  const end = scanner.source.indexOf('#}', scanner.position + 2);
  if (end === -1) refuse({ offset: scanner.position, length: 2 }, '`{#` is never closed');
  scanner.isTrimming = scanner.source[end - 1] === '-';
  scanner.position = end + 2;
}

function readRaw(scanner: Scanner): boolean {
  RAW_OPEN.lastIndex = scanner.position;
  const open = RAW_OPEN.exec(scanner.source);
  if (open === null) return false;
  const span = { offset: scanner.position, length: open[0].length };
  RAW_CLOSE.lastIndex = scanner.position + open[0].length;
  const close = RAW_CLOSE.exec(scanner.source);
  if (close === null) refuse(span, '`{% raw %}` is never closed', '{% endraw %}');

  scanner.position += open[0].length;
  scanner.isTrimming = open[2] === '-';
  addText(scanner, close.index, { isEaten: close[1] === '-' });
  scanner.position = close.index + close[0].length;
  scanner.isTrimming = close[2] === '-';
  return true;
}

function readTag(scanner: Scanner, kind: 'output' | 'tag'): void {
  const sign = scanner.source[scanner.position + 2] ?? '';
  const opening = add(scanner, `${kind}-open`, sign === '-' || sign === '+' ? 3 : 2);
  const closing = kind === 'output' ? OUTPUT_CLOSE : TAG_CLOSE;
  for (;;) {
    if (skipBlank(scanner) >= scanner.source.length) refuseOpening(opening);
    // inside brackets, `}}` closes two objects
    const length = scanner.brackets.length === 0 ? lengthAt(closing, scanner) : 0;
    if (length === 0) readToken(scanner);
    else {
      scanner.isTrimming = add(scanner, `${kind}-close`, length).text.startsWith('-');
      return;
    }
  }
}

/** The first character determines the type of token, so that only one pattern has to be matched. */
function readToken(scanner: Scanner): void {
  const { source, position, tokens } = scanner;
  const code = source.charCodeAt(position);
  if (isDigit(code)) {
    const last = tokens.at(-1);
    const pattern = last?.kind === 'symbol' && last.text === '.' ? DIGITS : NUMBER;
    return void add(scanner, 'number', lengthAt(pattern, scanner));
  }
  if (SYMBOLS.has(source.charAt(position))) return addSymbol(scanner);
  if (source[position] === "'" || source[position] === '"') return addString(scanner);
  const length = lengthAt(name(), scanner);
  if (length > 0) return void add(scanner, 'name', length);
  const character = String.fromCodePoint(source.codePointAt(position) ?? 0);
  const span = { offset: position, length: character.length };
  refuseUnclosed(scanner);
  refuse(span, `\`${character}\` has no meaning in an expression`, MEANT.get(character));
}

function addString(scanner: Scanner): void {
  const { source, position: offset } = scanner;
  STRING.lastIndex = offset;
  const match = STRING.exec(source);
  if (match === null) {
    refuseUnclosed(scanner);
    refuse({ offset, length: 1 }, 'A quoted text is never closed', source.charAt(offset));
  }
  const text = unescape(match[1] ?? match[2] ?? '');
  scanner.tokens.push({ kind: 'string', text, offset, length: match[0].length });
  scanner.position += match[0].length;
}

function addSymbol(scanner: Scanner): void {
  const { source, position } = scanner;
  const symbol = add(
    scanner,
    'symbol',
    LONG_SYMBOLS.has(source.slice(position, position + 2)) ? 2 : 1,
  );
  if (symbol.text === '!') refuse(symbol, '`!` has no meaning in an expression', 'not');
  if (CLOSED_BY.has(symbol.text)) scanner.brackets.push(symbol);
  if (!CLOSING.has(symbol.text)) return;
  const open = scanner.brackets.pop();
  if (open === undefined) refuseClosing(scanner, symbol);
  if (CLOSED_BY.get(open.text) !== symbol.text)
    refuse(open, `\`${open.text}\` is not closed before \`${symbol.text}\``);
}

/** Text after a tag without its end is no expression, so not its first odd character is the mistake. */
function refuseUnclosed({ tokens, source }: Scanner): void {
  const opening = openingOf(tokens);
  if (opening === undefined) return;
  const start = opening.offset + opening.length;
  const end = source.indexOf(closeOf(opening), start);
  // another tag begins before this one ends
  if (end < 0 || /\{[{%]/.test(source.slice(start, end))) refuseOpening(opening);
}

function refuseOpening(opening: Token): never {
  const open = opening.text.slice(0, 2);
  return refuse(
    opening,
    `\`${open}\` is never closed`,
    `Write \`${closeOf(opening)}\` where it ends`,
  );
}

function openingOf(tokens: readonly Token[]): Token | undefined {
  return tokens.findLast(({ kind }) => kind === 'output-open' || kind === 'tag-open');
}

function closeOf({ kind }: Token): string {
  return kind === 'output-open' ? '}}' : '%}';
}

/** The usual mistake is `{{ x }`, with one closing brace. */
function refuseClosing({ tokens, source }: Scanner, { text, offset, length }: Token): never {
  const opening = openingOf(tokens);
  if (text !== '}' || opening === undefined)
    return refuse({ offset, length }, `\`${text}\` closes nothing`, `Remove the \`${text}\``);
  const open = opening.text.slice(0, 2);
  const close = closeOf(opening);
  const inside = source.slice(opening.offset + opening.length, offset).trim();
  return refuse(
    { offset, length },
    `\`${open}\` is closed with \`${close}\`, but this is a single \`}\``,
    inside.length > 60 || inside.includes('\n') ? close : `${open} ${inside} ${close}`,
  );
}

function add(scanner: Scanner, kind: Token['kind'], length: number): Token {
  const { source, position: offset } = scanner;
  const token = { kind, text: source.slice(offset, offset + length), offset, length };
  if (scanner.tokens.length >= TEMPLATE_LIMITS.tokens) refuseBeyond('tokens', token);
  scanner.tokens.push(token);
  scanner.position += length;
  return token;
}

function skipBlank(scanner: Scanner): number {
  if (isBlank(scanner.source.charCodeAt(scanner.position)))
    scanner.position += lengthAt(BLANK, scanner);
  return scanner.position;
}

/** Checks the first character only; one outside ASCII is left to the pattern. */
function isBlank(code: number): boolean {
  return code <= 0x20 || code >= 0x7f;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function lengthAt(pattern: RegExp, { source, position }: Scanner): number {
  pattern.lastIndex = position;
  return pattern.test(source) ? pattern.lastIndex - position : 0;
}
