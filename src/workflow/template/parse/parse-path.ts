/** Parses names, literals and brackets, and the fields, indexes and methods that follow them. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import { suggest } from '../../../errors/support/suggest.ts';
import type { Expression, Link } from './ast.ts';
import {
  expectSymbol,
  isSymbol,
  parseInner,
  peek,
  spanFrom,
  take,
  takeSymbol,
  unexpected,
  type Cursor,
} from './token-cursor.ts';
import { FILTERS } from '../filters.ts';
import type { Token } from './lexer.ts';
import { METHODS } from '../evaluate/methods.ts';
import { bindArguments, parseArguments } from './parse-arguments.ts';
import { refuse } from '../template-error.ts';

const CONSTANTS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ['true', true],
  ['True', true],
  ['false', false],
  ['False', false],
  ['none', null],
  ['None', null],
  ['null', null],
]);

const KEYWORDS = new Set(['and', 'or', 'not', 'in', 'is', 'if', 'else', 'elif']);

/** Keywords, which cannot be names. */
export function isReservedWord(word: string): boolean {
  return KEYWORDS.has(word) || CONSTANTS.has(word);
}

const RANGE = { parameters: ['start', 'stop?', 'step?'] };

export function parsePath(cursor: Cursor): Expression {
  const start = peek(cursor);
  const root = parsePrimary(cursor);
  let link = parseLink(cursor);
  if (link === undefined) return root;
  const links: Link[] = [];
  while (link !== undefined) {
    links.push(link);
    link = parseLink(cursor);
  }
  return { kind: 'path', root, links, ...spanFrom(cursor, start) };
}

function parsePrimary(cursor: Cursor): Expression {
  const token = peek(cursor);
  switch (token.kind) {
    case 'number':
      return { ...span(take(cursor)), kind: 'literal', value: toNumber(token) };
    case 'string':
      return parseText(cursor);
    case 'name':
      return parseName(cursor);
    case 'symbol':
      return parseBracket(cursor);
    default:
      return unexpected(cursor, 'an expression');
  }
}

function parseName(cursor: Cursor): Expression {
  const token = peek(cursor);
  if (KEYWORDS.has(token.text)) unexpected(cursor, 'an expression');
  cursor.index++;
  const value = CONSTANTS.get(token.text);
  if (value !== undefined) return { ...span(token), kind: 'literal', value };
  if (isSymbol(cursor, '(')) return parseCall(cursor, token);
  return { ...span(token), kind: 'name', name: token.text };
}

function parseCall(cursor: Cursor, name: Token): Expression {
  if (name.text !== 'range') {
    const filter = FILTERS.has(name.text) ? `value | ${name.text}` : undefined;
    const message = `There is no function \`${name.text}\`; the only one is \`range\``;
    refuse(name, message, filter ?? suggest(name.text, ['range']));
  }
  const parsed = parseArguments(cursor);
  const args = bindArguments(RANGE, parsed, '`range`').filter((arg) => arg !== undefined);
  return { kind: 'range', args, ...spanFrom(cursor, name) };
}

/** Adjacent texts are one text. */
function parseText(cursor: Cursor): Expression {
  const start = peek(cursor);
  let value = '';
  while (peek(cursor).kind === 'string') value += take(cursor).text;
  return { kind: 'literal', value, ...spanFrom(cursor, start) };
}

function parseBracket(cursor: Cursor): Expression {
  const start = peek(cursor);
  if (takeSymbol(cursor, '[')) {
    const { items } = parseItems(cursor, ']');
    return { kind: 'list', items, ...spanFrom(cursor, start) };
  }
  if (takeSymbol(cursor, '{')) return parseDict(cursor, start);
  if (!takeSymbol(cursor, '(')) unexpected(cursor, 'an expression');
  const { items, hasComma } = parseItems(cursor, ')');
  const [only] = items;
  if (only !== undefined && !hasComma) return only;
  return { kind: 'list', items, ...spanFrom(cursor, start) };
}

function parseItems(cursor: Cursor, closing: string): { items: Expression[]; hasComma: boolean } {
  const items: Expression[] = [];
  let hasComma = false;
  while (!takeSymbol(cursor, closing)) {
    items.push(parseInner(cursor));
    if (takeSymbol(cursor, ',')) hasComma = true;
    else if (!isSymbol(cursor, closing)) unexpected(cursor, `\`,\` or \`${closing}\``);
  }
  return { items, hasComma };
}

function parseDict(cursor: Cursor, start: Token): Expression {
  const entries: { key: Expression; value: Expression }[] = [];
  while (!takeSymbol(cursor, '}')) {
    const key = parseInner(cursor);
    expectSymbol(cursor, ':');
    entries.push({ key, value: parseInner(cursor) });
    if (!takeSymbol(cursor, ',') && !isSymbol(cursor, '}')) unexpected(cursor, '`,` or `}`');
  }
  return { kind: 'dict', entries, ...spanFrom(cursor, start) };
}

function parseLink(cursor: Cursor): Link | undefined {
  const start = peek(cursor);
  if (takeSymbol(cursor, '.')) return parseField(cursor, start);
  if (takeSymbol(cursor, '[')) return parseSubscript(cursor, start);
  if (!isSymbol(cursor, '(')) return undefined;
  return refuse(start, 'Only `range` and a few methods can be called');
}

function parseField(cursor: Cursor, start: Token): Link {
  const token = peek(cursor);
  if (token.kind !== 'name' && token.kind !== 'number') unexpected(cursor, 'the name of a field');
  cursor.index++;
  if (isSymbol(cursor, '(')) return parseMethod(cursor, token, start);
  const key = token.kind === 'name' ? token.text : toNumber(token);
  return { kind: 'field', key, ...spanFrom(cursor, start) };
}

function parseMethod(cursor: Cursor, { text: name, ...token }: Token, start: Token): Link {
  const method = METHODS.get(name);
  if (method === undefined) {
    const meant = FILTERS.has(name) ? `| ${name}` : suggest(name, METHODS.keys());
    refuse(token, `There is no method \`${name}()\``, meant);
  }
  const args = bindArguments(method, parseArguments(cursor), `\`${name}()\``);
  return { kind: 'method', name, args, ...spanFrom(cursor, start) };
}

function parseSubscript(cursor: Cursor, start: Token): Link {
  const first = isSymbol(cursor, ':') ? undefined : parseInner(cursor);
  if (first !== undefined && takeSymbol(cursor, ']'))
    return { kind: 'index', index: first, ...spanFrom(cursor, start) };
  expectSymbol(cursor, ':');
  const isOpen = (): boolean => !isSymbol(cursor, ':') && !isSymbol(cursor, ']');
  const stop = isOpen() ? parseInner(cursor) : undefined;
  const step = takeSymbol(cursor, ':') && isOpen() ? parseInner(cursor) : undefined;
  expectSymbol(cursor, ']');
  return { kind: 'slice', start: first, stop, step, ...spanFrom(cursor, start) };
}

function toNumber(token: Token): number {
  const value = Number(token.text.replaceAll('_', ''));
  const isExact = /[.eE]/.test(token.text) || Number.isSafeInteger(value);
  if (!isExact || !Number.isFinite(value)) refuse(token, 'This number is too large to be exact');
  return value;
}

function span({ offset, length }: Token): { offset: number; length: number } {
  return { offset, length };
}
