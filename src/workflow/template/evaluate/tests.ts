/** Jinja's tests, the words after `is`, by their names. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import type { ComparisonOperator } from '../parse/ast.ts';
import { isMissing, type Value } from './missing.ts';
import { holds } from './operators.ts';
import { chargeText, fail, type Evaluation } from './evaluation.ts';
import type { Signature } from '../signature.ts';
import { aType, isList, isObject } from './values.ts';

interface StrictTest extends Signature {
  readonly isForgiving?: false;
  apply(run: Evaluation, value: JsonValue, argument: JsonValue): boolean;
}

/** Accepts missing values. */
interface ForgivingTest extends Signature {
  readonly isForgiving: true;
  apply(run: Evaluation, value: Value): boolean;
}

export type Test = StrictTest | ForgivingTest;

const none = type((value) => value === null);
const yes = type((value) => value === true);
const no = type((value) => value === false);
const iterable = type((value) => typeof value === 'string' || isList(value) || isObject(value));

export const TESTS: ReadonlyMap<string, Test> = new Map(
  Object.entries<Test>({
    defined: { isForgiving: true, parameters: [], apply: (_run, value) => !isMissing(value) },
    undefined: { isForgiving: true, parameters: [], apply: (_run, value) => isMissing(value) },
    none,
    None: none,
    null: none,
    true: yes,
    True: yes,
    false: no,
    False: no,
    string: type((value) => typeof value === 'string'),
    number: type((value) => typeof value === 'number'),
    integer: type(Number.isInteger),
    float: type((value) => typeof value === 'number' && !Number.isInteger(value)),
    boolean: type((value) => typeof value === 'boolean'),
    mapping: type(isObject),
    sequence: iterable,
    iterable,
    even: numeric((value) => value % 2 === 0),
    odd: numeric((value) => Math.abs(value % 2) === 1),
    divisibleby: { parameters: ['num'], apply: isDivisible },
    lower: cased((text) => text.toLowerCase()),
    upper: cased((text) => text.toUpperCase()),
    eq: comparison('=='),
    equalto: comparison('=='),
    '==': comparison('=='),
    ne: comparison('!='),
    '!=': comparison('!='),
    lt: comparison('<'),
    lessthan: comparison('<'),
    '<': comparison('<'),
    le: comparison('<='),
    '<=': comparison('<='),
    gt: comparison('>'),
    greaterthan: comparison('>'),
    '>': comparison('>'),
    ge: comparison('>='),
    '>=': comparison('>='),
    in: comparison('in'),
  }),
);

function type(is: (value: JsonValue) => boolean): Test {
  return { parameters: [], apply: (_run, value) => is(value) };
}

function numeric(is: (value: number) => boolean): Test {
  return { parameters: [], apply: (run, value) => is(wantNumber(run, value)) };
}

function cased(change: (text: string) => string): Test {
  return {
    parameters: [],
    apply: (run, value) => {
      if (typeof value !== 'string') return fail(run, `The test needs text, not ${aType(value)}`);
      chargeText(run, value.length);
      return value === change(value);
    },
  };
}

function comparison(operator: ComparisonOperator): Test {
  return {
    parameters: ['other'],
    apply: (run, value, other) => holds(run, operator, value, other),
  };
}

function isDivisible(run: Evaluation, value: JsonValue, by: JsonValue): boolean {
  const divisor = wantNumber(run, by);
  if (divisor === 0) fail(run, 'Division by zero');
  return wantNumber(run, value) % divisor === 0;
}

function wantNumber(run: Evaluation, value: JsonValue): number {
  return typeof value === 'number'
    ? value
    : fail(run, `The test needs a number, not ${aType(value)}`);
}
