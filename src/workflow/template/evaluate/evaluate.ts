/** Evaluates expressions. Every operation is a step; a missing value fails where a value is required. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import { missingLink, read } from './attribute-access.ts';
import type {
  Arguments,
  ChoiceNode,
  ComparisonNode,
  DictNode,
  Expression,
  FilterStage,
  Link,
  ListNode,
  LogicNode,
  NameNode,
  PathNode,
  RangeNode,
  SignNode,
  Stage,
  TestStage,
} from '../parse/ast.ts';
import { FILTERS } from '../filters.ts';
import { callMethod } from './methods.ts';
import { demand, isMissing, missing, notThere, type Value } from './missing.ts';
import { calculate, concat, finite, holds } from './operators.ts';
import { rangeOf } from './range.ts';
import { carryBuilt, charge, fail, markBuilt, type Evaluation } from './evaluation.ts';
import { slice } from './slice.ts';
import { TESTS } from './tests.ts';
import { aType, isTruthy } from './values.ts';

/** Returns the value of an expression; fails where it is missing. */
export function evaluate(run: Evaluation, expression: Expression): JsonValue {
  return demand(run, resolve(run, expression));
}

export function isTrue(run: Evaluation, expression: Expression): boolean {
  return isTruthy(run, evaluate(run, expression));
}

function resolve(run: Evaluation, expression: Expression): Value {
  charge(run, 1);
  run.at = expression;
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'name':
      return resolveName(run, expression);
    case 'path':
      return resolvePath(run, expression);
    case 'pipe':
      return expression.stages.reduce<Value>(
        (value, stage) => applyStage(run, stage, value),
        resolve(run, expression.input),
      );
    case 'list':
      return makeList(run, expression);
    case 'dict':
      return makeDict(run, expression);
    case 'range':
      return makeRange(run, expression);
    case 'sign':
      return applySign(run, expression);
    case 'not':
      return !isTrue(run, expression.operand);
    case 'arithmetic':
      return expression.rest.reduce<JsonValue>(
        (left, { operator, operand }) => {
          const right = evaluate(run, operand);
          run.at = expression;
          return calculate(run, operator, left, right);
        },
        evaluate(run, expression.first),
      );
    case 'concat': {
      const parts = expression.parts.map((part) => evaluate(run, part));
      run.at = expression;
      return concat(run, parts);
    }
    case 'comparison':
      return isHolding(run, expression);
    case 'logic':
      return decide(run, expression);
    case 'choice':
      return choose(run, expression);
  }
}

function resolveName(run: Evaluation, { name, offset, length }: NameNode): Value {
  let bindings: Evaluation['bindings'] | undefined = run.bindings;
  while (bindings !== undefined) {
    const bound = bindings.names.get(name);
    if (bound !== undefined) return bound;
    bindings = bindings.outer;
  }
  const value = run.context.lookup(name);
  if (value !== undefined) return value;
  return missing({ offset, length }, () => notThere(name, name, run.context.names()));
}

function resolvePath(run: Evaluation, path: PathNode): Value {
  let value = resolve(run, path.root);
  for (const link of path.links) {
    if (isMissing(value)) return value;
    charge(run, 1);
    value = follow(run, path, link, value);
  }
  return value;
}

function follow(run: Evaluation, path: PathNode, link: Link, base: JsonValue): Value {
  switch (link.kind) {
    case 'field':
      return enter(run, path, link, [base, link.key]);
    case 'index':
      return enter(run, path, link, [base, evaluate(run, link.index)]);
    case 'slice': {
      const bounds = evaluateAll(run, [link.start, link.stop, link.step]);
      run.at = path;
      return carryBuilt(run, base, slice(run, base, bounds));
    }
    case 'method': {
      const args = evaluateAll(run, link.args);
      run.at = path;
      return carryBuilt(run, base, callMethod(run, link.name, base, args));
    }
  }
}

function enter(
  run: Evaluation,
  path: PathNode,
  link: Link,
  [base, key]: readonly [JsonValue, JsonValue],
): Value {
  run.at = path;
  const found = read(run, base, key);
  return found === undefined ? missingLink(run, path, link, base) : found;
}

function applyStage(run: Evaluation, stage: Stage, value: Value): Value {
  charge(run, 1);
  return stage.kind === 'filter' ? applyFilter(run, stage, value) : applyTest(run, stage, value);
}

function applyFilter(run: Evaluation, stage: FilterStage, input: Value): Value {
  const { name } = stage;
  const filter = FILTERS.get(name) ?? fail(run, `There is no filter \`${name}\``);
  if (filter.isForgiving === true) {
    const args = stage.args.map((arg) => (arg === undefined ? undefined : resolve(run, arg)));
    run.at = stage;
    return filter.apply({ run, name, input, args, each: undefined });
  }
  const present = demand(run, input);
  const args = evaluateAll(run, stage.args);
  const { each: inner } = stage;
  const each = inner === undefined ? undefined : (item: Value) => applyStage(run, inner, item);
  run.at = stage;
  return carryBuilt(run, present, filter.apply({ run, name, input: present, args, each }));
}

function applyTest(run: Evaluation, stage: TestStage, input: Value): JsonValue {
  const { name, isNegated } = stage;
  const test = TESTS.get(name) ?? fail(run, `There is no test \`${name}\``);
  if (test.isForgiving === true) return test.apply(run, input) !== isNegated;
  const present = demand(run, input);
  const [argument = null] = evaluateAll(run, stage.args);
  run.at = stage;
  return test.apply(run, present, argument) !== isNegated;
}

function evaluateAll(run: Evaluation, expressions: Arguments): readonly (JsonValue | undefined)[] {
  return expressions.map((each) => (each === undefined ? undefined : evaluate(run, each)));
}

function makeList(run: Evaluation, { items }: ListNode): JsonValue {
  return markBuilt(
    run,
    items.map((item) => evaluate(run, item)),
  );
}

function makeDict(run: Evaluation, { entries }: DictNode): JsonValue {
  const pairs = entries.map(({ key, value }): [string, JsonValue] => {
    const name = evaluate(run, key);
    run.at = key;
    if (typeof name !== 'string') return fail(run, `A key must be a string, not ${aType(name)}`);
    return [name, evaluate(run, value)];
  });
  return markBuilt(run, Object.fromEntries(pairs));
}

function makeRange(run: Evaluation, range: RangeNode): JsonValue {
  const args = range.args.map((arg) => evaluate(run, arg));
  run.at = range;
  return rangeOf(run, args);
}

function applySign(run: Evaluation, node: SignNode): JsonValue {
  const operand = evaluate(run, node.operand);
  run.at = node;
  if (typeof operand !== 'number')
    return fail(run, `\`${node.sign}\` works on a number, not on ${aType(operand)}`);
  return finite(run, node.sign === '-' ? -operand : operand);
}

/** `a < b < c` evaluates both comparisons, and stops at the first false one. */
function isHolding(run: Evaluation, comparison: ComparisonNode): boolean {
  let left = evaluate(run, comparison.first);
  return comparison.rest.every(({ operator, operand }) => {
    const right = evaluate(run, operand);
    run.at = comparison;
    const isHeld = holds(run, operator, left, right);
    left = right;
    return isHeld;
  });
}

/** Returns the deciding operand, as in Python: `name or 'nobody'`. */
function decide(run: Evaluation, { operator, operands }: LogicNode): JsonValue {
  let value: JsonValue = null;
  for (const operand of operands) {
    value = evaluate(run, operand);
    if (isTruthy(run, value) === (operator === 'or')) break;
  }
  return value;
}

/** Without an `else`, the other result is an empty text. */
function choose(run: Evaluation, { condition, value, otherwise }: ChoiceNode): Value {
  if (isTrue(run, condition)) return resolve(run, value);
  return otherwise === undefined ? '' : resolve(run, otherwise);
}
