/** Cursor of the parser in the tokens. */
import type { Expression } from './ast.ts';
import type { Token } from './lexer.ts';
import { TEMPLATE_LIMITS } from '../template-limits.ts';
import { refuse, refuseBeyond, type Span } from '../template-error.ts';

export interface Cursor {
  /** Ends with an `end` token. */
  readonly tokens: readonly Token[];
  /** Parses any expression, for recursive parts of the grammar. */
  readonly grammar: (cursor: Cursor) => Expression;
  index: number;
  nesting: number;
}

const NO_TOKEN: Token = { kind: 'end', text: '', offset: 0, length: 0 };

export function peek(cursor: Cursor, ahead = 0): Token {
  return cursor.tokens[cursor.index + ahead] ?? cursor.tokens.at(-1) ?? NO_TOKEN;
}

export function take(cursor: Cursor): Token {
  const token = peek(cursor);
  cursor.index++;
  return token;
}

/** Parses any expression, one level deeper. */
export function parseInner(cursor: Cursor): Expression {
  return nested(cursor, cursor.grammar);
}

export function nested<T>(cursor: Cursor, parse: (cursor: Cursor) => T): T {
  if (cursor.nesting >= TEMPLATE_LIMITS.nesting) refuseBeyond('nesting', peek(cursor));
  cursor.nesting++;
  const parsed = parse(cursor);
  cursor.nesting--;
  return parsed;
}

export function isSymbol(cursor: Cursor, symbol: string): boolean {
  const { kind, text } = peek(cursor);
  return kind === 'symbol' && text === symbol;
}

export function isWord(cursor: Cursor, word: string): boolean {
  const { kind, text } = peek(cursor);
  return kind === 'name' && text === word;
}

/** Consumes the symbol if it is the next token. */
export function takeSymbol(cursor: Cursor, symbol: string): boolean {
  const isHere = isSymbol(cursor, symbol);
  if (isHere) cursor.index++;
  return isHere;
}

export function takeWord(cursor: Cursor, word: string): boolean {
  const isHere = isWord(cursor, word);
  if (isHere) cursor.index++;
  return isHere;
}

export function expectSymbol(cursor: Cursor, symbol: string): void {
  if (!takeSymbol(cursor, symbol)) unexpected(cursor, `\`${symbol}\``);
}

export function expectName(cursor: Cursor, what: string): Token {
  return peek(cursor).kind === 'name' ? take(cursor) : unexpected(cursor, what);
}

/** From a start to the end of the last consumed token. */
export function spanFrom(cursor: Cursor, { offset }: Span): Span {
  const last = peek(cursor, -1);
  return { offset, length: last.offset + last.length - offset };
}

export function unexpected(cursor: Cursor, expected: string): never {
  const token = peek(cursor);
  const found = token.kind === 'end' ? 'the end' : `\`${shortened(token.text)}\``;
  const meant = token.kind === 'symbol' ? meantSymbol(token, peek(cursor, -1)) : undefined;
  if (meant === undefined) refuse(token, `Expected ${expected}, found ${found}`);
  refuse(token, `${found} has no meaning here`, meant);
}

/** Operators of other languages: `a = b`, `a === b`, `a !== b`, `a || b`. */
function meantSymbol({ text, offset }: Token, before: Token): string | undefined {
  const isJoined = before.offset + before.length === offset;
  if (text === '|') return isJoined && before.text === '|' ? 'or' : undefined;
  if (text !== '=') return undefined;
  return isJoined && before.text === '!=' ? '!=' : '==';
}

function shortened(text: string): string {
  return text.length <= 40 ? text : `${text.slice(0, 40)}…`;
}
