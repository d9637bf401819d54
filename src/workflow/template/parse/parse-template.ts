/** Parses statements: text, output, `if`, `for` and `set`. Refuses other tags of Jinja by name. */
import { suggest } from '../../../errors/support/suggest.ts';
import type { Body, Expression, IfNode, Statement } from './ast.ts';
import {
  expectName,
  expectSymbol,
  isSymbol,
  isWord,
  nested,
  parseInner,
  peek,
  take,
  takeSymbol,
  takeWord,
  unexpected,
  type Cursor,
} from './token-cursor.ts';
import { tokenizeExpression, tokenizeTemplate, type Token } from './lexer.ts';
import { parseChoice, parseDisjunction } from './parse-expression.ts';
import { isReservedWord } from './parse-path.ts';
import { refuse } from '../template-error.ts';

const TAGS: ReadonlyMap<string, (cursor: Cursor, opening: Token) => Statement> = new Map([
  ['if', parseIf],
  ['for', parseFor],
  ['set', parseSet],
]);

const INNER_TAGS = new Set(['elif', 'else', 'endif', 'endfor', 'endset', 'endraw']);

const NOT_SUPPORTED = new Set(
  (
    'include import from extends block endblock macro endmacro call endcall filter endfilter ' +
    'with endwith do autoescape endautoescape trans endtrans break continue debug'
  ).split(' '),
);

export function parseBody(source: string): Body {
  return parseUntil(newCursor(tokenizeTemplate(source)), []);
}

export function parseBareExpression(source: string): Expression {
  const cursor = newCursor(tokenizeExpression(source));
  const expression = parseInner(cursor);
  if (peek(cursor).kind !== 'end') unexpected(cursor, 'the end');
  return expression;
}

function newCursor(tokens: readonly Token[]): Cursor {
  return { tokens, grammar: parseChoice, index: 0, nesting: 0 };
}

/** Stops at one of the `ends`, or at the end of the source. */
function parseUntil(cursor: Cursor, ends: readonly string[]): Body {
  const body: Statement[] = [];
  for (;;) {
    const token = peek(cursor);
    if (token.kind === 'end') return body;
    if (token.kind === 'tag-open' && ends.includes(peek(cursor, 1).text)) return body;
    cursor.index++;
    if (token.kind === 'text') body.push({ kind: 'text', text: token.text });
    else if (token.kind === 'output-open') body.push(parseOutput(cursor));
    else body.push(nested(cursor, (inner) => parseTag(inner, token)));
  }
}

function parseOutput(cursor: Cursor): Statement {
  const expression = parseInner(cursor);
  if (take(cursor).kind === 'output-close') return { kind: 'output', expression };
  cursor.index--;
  return unexpected(cursor, '`}}`');
}

function parseTag(cursor: Cursor, opening: Token): Statement {
  const word = expectName(cursor, 'the name of a tag');
  const parse = TAGS.get(word.text);
  if (parse !== undefined) return parse(cursor, opening);
  if (INNER_TAGS.has(word.text))
    refuse(word, `\`{% ${word.text} %}\` has no matching opening tag here`);
  if (NOT_SUPPORTED.has(word.text)) refuse(word, `\`{% ${word.text} %}\` is not supported`);
  const meant = suggest(word.text, [...TAGS.keys(), ...INNER_TAGS, 'raw']);
  return refuse(word, `There is no tag \`${word.text}\``, meant);
}

function parseIf(cursor: Cursor, opening: Token): Statement {
  const branches: { condition: Expression; body: Body }[] = [];
  do {
    const condition = parseInner(cursor);
    closeTag(cursor);
    branches.push({ condition, body: parseUntil(cursor, ['elif', 'else', 'endif']) });
  } while (takeInnerTag(cursor, 'elif'));
  const otherwise = parseElse(cursor, 'endif');
  endBlock(cursor, 'endif', opening);
  return { kind: 'if', branches, otherwise } satisfies IfNode;
}

function parseFor(cursor: Cursor, opening: Token): Statement {
  const targets = parseTargets(cursor);
  if (!takeWord(cursor, 'in')) unexpected(cursor, '`in`');
  const items = parseDisjunction(cursor);
  const condition = takeWord(cursor, 'if') ? parseInner(cursor) : undefined;
  if (isWord(cursor, 'recursive')) refuse(peek(cursor), '`recursive` is not supported');
  closeTag(cursor);
  const body = parseUntil(cursor, ['else', 'endfor']);
  const otherwise = parseElse(cursor, 'endfor');
  endBlock(cursor, 'endfor', opening);
  return { kind: 'for', targets, items, condition, body, otherwise };
}

function parseSet(cursor: Cursor, opening: Token): Statement {
  const start = peek(cursor);
  const targets = parseTargets(cursor);
  if (isSymbol(cursor, '.')) refuse(start, 'Only a name can be set, not a field');
  const [target] = targets;
  if (peek(cursor).kind === 'tag-close' && target !== undefined && targets.length === 1) {
    closeTag(cursor);
    const body = parseUntil(cursor, ['endset']);
    endBlock(cursor, 'endset', opening);
    return { kind: 'capture', target, body };
  }
  expectSymbol(cursor, '=');
  const value = parseInner(cursor);
  closeTag(cursor);
  return { kind: 'set', targets, value };
}

/** `x`, `k, v` or `(k, v)`. */
function parseTargets(cursor: Cursor): readonly string[] {
  const isBracketed = takeSymbol(cursor, '(');
  const targets: string[] = [];
  do {
    const name = expectName(cursor, 'a name');
    if (name.text === 'loop') refuse(name, '`loop` is reserved for the loop itself');
    if (isReservedWord(name.text)) refuse(name, `\`${name.text}\` cannot be a name`);
    targets.push(name.text);
  } while (takeSymbol(cursor, ','));
  if (isBracketed) expectSymbol(cursor, ')');
  return targets;
}

function parseElse(cursor: Cursor, end: string): Body {
  if (!takeInnerTag(cursor, 'else')) return [];
  closeTag(cursor);
  return parseUntil(cursor, [end]);
}

function takeInnerTag(cursor: Cursor, word: string): boolean {
  const isHere = peek(cursor).kind === 'tag-open' && peek(cursor, 1).text === word;
  if (isHere) cursor.index += 2;
  return isHere;
}

function endBlock(cursor: Cursor, end: string, opening: Token): void {
  if (!takeInnerTag(cursor, end)) {
    const word = end.replace('end', '');
    refuse(opening, `\`{% ${word} %}\` is never closed`, `{% ${end} %}`);
  }
  closeTag(cursor);
}

function closeTag(cursor: Cursor): void {
  if (peek(cursor).kind !== 'tag-close') unexpected(cursor, '`%}`');
  cursor.index++;
}
