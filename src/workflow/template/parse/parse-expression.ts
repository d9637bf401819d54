/**
 * Parses expressions by Jinja's precedence: a choice binds loosest, then `or`, `and`, `not`, comparisons,
 * `+ -`, `~`, `* / // %`, `**`, a sign, and tightest a path with its filters and tests.
 */
import type {
  ArithmeticOperator,
  ComparisonOperator,
  Expression,
  LogicNode,
  Operation,
} from './ast.ts';
import {
  isSymbol,
  isWord,
  nested,
  parseInner,
  peek,
  spanFrom,
  take,
  takeSymbol,
  takeWord,
  type Cursor,
} from './token-cursor.ts';
import { parsePath } from './parse-path.ts';
import { parsePipe } from './parse-pipe.ts';

const COMPARISONS = ['==', '!=', '<=', '>=', '<', '>'] as const;

type Parse = (cursor: Cursor) => Expression;

export function parseChoice(cursor: Cursor): Expression {
  const start = peek(cursor);
  const value = parseDisjunction(cursor);
  if (!takeWord(cursor, 'if')) return value;
  const condition = parseDisjunction(cursor);
  const otherwise = takeWord(cursor, 'else') ? parseInner(cursor) : undefined;
  return { kind: 'choice', value, condition, otherwise, ...spanFrom(cursor, start) };
}

/** An expression that does not include a following `if`, such as the list of a `for`. */
export function parseDisjunction(cursor: Cursor): Expression {
  return parseLogic(cursor, 'or', parseConjunction);
}

function parseConjunction(cursor: Cursor): Expression {
  return parseLogic(cursor, 'and', parseNot);
}

function parseLogic(cursor: Cursor, operator: LogicNode['operator'], parse: Parse): Expression {
  const start = peek(cursor);
  const first = parse(cursor);
  if (!isWord(cursor, operator)) return first;
  const operands = [first];
  while (takeWord(cursor, operator)) operands.push(parse(cursor));
  return { kind: 'logic', operator, operands, ...spanFrom(cursor, start) };
}

function parseNot(cursor: Cursor): Expression {
  const start = peek(cursor);
  if (!takeWord(cursor, 'not')) return parseComparison(cursor);
  const operand = nested(cursor, parseNot);
  return { kind: 'not', operand, ...spanFrom(cursor, start) };
}

function parseComparison(cursor: Cursor): Expression {
  const start = peek(cursor);
  const first = parseSum(cursor);
  let operator = takeComparison(cursor);
  if (operator === undefined) return first;
  const rest: Operation<ComparisonOperator>[] = [];
  while (operator !== undefined) {
    rest.push({ operator, operand: parseSum(cursor) });
    operator = takeComparison(cursor);
  }
  return { kind: 'comparison', first, rest, ...spanFrom(cursor, start) };
}

function takeComparison(cursor: Cursor): ComparisonOperator | undefined {
  if (takeWord(cursor, 'in')) return 'in';
  if (isWord(cursor, 'not') && peek(cursor, 1).text === 'in') {
    cursor.index += 2;
    return 'not in';
  }
  return takeOneOf(cursor, COMPARISONS);
}

const parseSum = chain(['+', '-'], parseConcat);
const parsePower = chain(['**'], parseSigned);
const parseProduct = chain(['*', '/', '//', '%'], parsePower);

function parseConcat(cursor: Cursor): Expression {
  const start = peek(cursor);
  const first = parseProduct(cursor);
  if (!isSymbol(cursor, '~')) return first;
  const parts = [first];
  while (takeSymbol(cursor, '~')) parts.push(parseProduct(cursor));
  return { kind: 'concat', parts, ...spanFrom(cursor, start) };
}

function takeOneOf<T extends string>(cursor: Cursor, symbols: readonly T[]): T | undefined {
  const { kind, text } = peek(cursor);
  const found = kind === 'symbol' ? symbols.find((symbol) => symbol === text) : undefined;
  if (found !== undefined) cursor.index++;
  return found;
}

/** Left to right, even for `**`: Jinja reads it that way. */
function chain(operators: readonly ArithmeticOperator[], parse: Parse): Parse {
  return (cursor) => {
    const start = peek(cursor);
    const first = parse(cursor);
    let operator = takeOneOf(cursor, operators);
    if (operator === undefined) return first;
    const rest: Operation<ArithmeticOperator>[] = [];
    while (operator !== undefined) {
      rest.push({ operator, operand: parse(cursor) });
      operator = takeOneOf(cursor, operators);
    }
    return { kind: 'arithmetic', first, rest, ...spanFrom(cursor, start) };
  };
}

/** A filter applies to the signed number: `-3 | abs` is 3. */
function parseSigned(cursor: Cursor): Expression {
  return parsePipe(cursor, parseSign(cursor));
}

function parseSign(cursor: Cursor): Expression {
  const start = peek(cursor);
  if (!isSymbol(cursor, '-') && !isSymbol(cursor, '+')) return parsePath(cursor);
  const sign = take(cursor).text === '-' ? '-' : '+';
  const operand = nested(cursor, parseSign);
  return { kind: 'sign', sign, operand, ...spanFrom(cursor, start) };
}
