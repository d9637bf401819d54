/** Arithmetic and comparison operators, without implicit conversions. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import type { ArithmeticOperator, ComparisonOperator } from '../parse/ast.ts';
import { TEMPLATE_LIMITS } from '../template-limits.ts';
import {
  boundList,
  boundOutput,
  charge,
  chargeText,
  exceed,
  fail,
  markBuilt,
  type Evaluation,
} from './evaluation.ts';
import { toText } from './to-text.ts';
import { aType, compare, contains, isList, isSame } from './values.ts';

export function calculate(
  run: Evaluation,
  operator: ArithmeticOperator,
  left: JsonValue,
  right: JsonValue,
): JsonValue {
  charge(run, 1);
  if (typeof left === 'number' && typeof right === 'number')
    return finite(run, compute(run, operator, left, right));
  if (operator === '+' && typeof left === 'string' && typeof right === 'string')
    return concat(run, [left, right]);
  if (operator === '+' && isList(left) && isList(right)) return combine(run, left, right);
  if (operator === '*' && typeof right === 'number' && (typeof left === 'string' || isList(left)))
    return repeat(run, left, right);
  const hint = operator === '+' && [left, right].some(isText) ? '; `~` joins texts' : '';
  const types = `${aType(left)} and ${aType(right)}`;
  return fail(run, `\`${operator}\` does not work between ${types}${hint}`);
}

export function holds(
  run: Evaluation,
  operator: ComparisonOperator,
  left: JsonValue,
  right: JsonValue,
): boolean {
  switch (operator) {
    case '==':
      return isSame(run, left, right);
    case '!=':
      return !isSame(run, left, right);
    case 'in':
      return contains(run, right, left);
    case 'not in':
      return !contains(run, right, left);
    case '<':
      return compare(run, left, right) < 0;
    case '<=':
      return compare(run, left, right) <= 0;
    case '>':
      return compare(run, left, right) > 0;
    case '>=':
      return compare(run, left, right) >= 0;
  }
}

/** Joins values of any type as text. */
export function concat(run: Evaluation, parts: readonly JsonValue[], separator = ''): string {
  const texts: string[] = [];
  let chars = separator.length * Math.max(0, parts.length - 1);
  for (const part of parts) {
    const text = toText(run, part);
    chars += text.length;
    boundOutput(run, chars);
    texts.push(text);
  }
  boundOutput(run, chars);
  chargeText(run, chars);
  return texts.join(separator);
}

/** The result of an operation, which must be a finite number. Minus zero becomes zero. */
export function finite(run: Evaluation, value: number): number {
  return Number.isFinite(value) ? value + 0 : fail(run, 'The result is not a finite number');
}

function compute(
  run: Evaluation,
  operator: ArithmeticOperator,
  left: number,
  right: number,
): number {
  switch (operator) {
    case '+':
      return left + right;
    case '-':
      return left - right;
    case '*':
      return left * right;
    case '/':
      return left / divisor(run, right);
    case '//':
      return Math.floor(left / divisor(run, right));
    case '%':
      return modulo(left, divisor(run, right));
    case '**':
      if (right > TEMPLATE_LIMITS.exponent) exceed(run, 'exponent');
      return left ** right;
  }
}

function divisor(run: Evaluation, value: number): number {
  return value === 0 ? fail(run, 'Division by zero') : value;
}

/** Remainder with the sign of the divisor, as in Python. */
function modulo(left: number, right: number): number {
  const rest = left % right;
  return rest !== 0 && rest < 0 !== right < 0 ? rest + right : rest;
}

function combine(
  run: Evaluation,
  left: readonly JsonValue[],
  right: readonly JsonValue[],
): JsonValue {
  boundList(run, left.length + right.length);
  return markBuilt(run, [...left, ...right]);
}

function repeat(run: Evaluation, value: string | readonly JsonValue[], times: number): JsonValue {
  if (!Number.isInteger(times)) fail(run, 'The number of repetitions must be a whole number');
  const count = value.length === 0 ? 0 : Math.max(0, times);
  if (typeof value === 'string') {
    boundOutput(run, value.length * count);
    chargeText(run, value.length * count);
    return value.repeat(count);
  }
  boundList(run, value.length * count);
  const { length } = value;
  return markBuilt(
    run,
    Array.from({ length: length * count }, (_, index) => value[index % length] ?? null),
  );
}

function isText(value: JsonValue): boolean {
  return typeof value === 'string';
}
