/** Where a template compares what it reads with a value that is written in it, found without running it. */
import type { JsonValue } from '../../errors/json.ts';
import type { Arguments, Body, ComparisonOperator, Expression, Link, Stage } from './ast.ts';
import { wholePath, type StaticPath } from './proven.ts';
import type { Span } from './problem.ts';

export interface Comparison extends Span {
  readonly path: StaticPath;
  /** Whether the value is compared with the path as a whole, or with an item of it. */
  readonly against: 'value' | 'item';
  readonly isOrder: boolean;
  /** Its span is that of the comparison. */
  readonly value: JsonValue;
}

/** Paths that begin with a name the template itself binds are left out. */
export function comparisonsOf(body: Body): readonly Comparison[] {
  const walk: Walk = { found: [], bound: new Set() };
  walkBody(walk, body);
  return walk.found.filter(({ path }) => !walk.bound.has(String(path[0])));
}

interface Walk {
  readonly found: Comparison[];
  readonly bound: Set<string>;
}

function walkBody(walk: Walk, body: Body): void {
  for (const statement of body) {
    switch (statement.kind) {
      case 'text':
        break;
      case 'output':
        visit(walk, statement.expression);
        break;
      case 'set':
        visit(walk, statement.value);
        for (const target of statement.targets) walk.bound.add(target);
        break;
      case 'capture':
        walkBody(walk, statement.body);
        walk.bound.add(statement.target);
        break;
      case 'for':
        visitAll(walk, [statement.items, statement.condition]);
        for (const target of [...statement.targets, 'loop']) walk.bound.add(target);
        walkBody(walk, statement.body);
        walkBody(walk, statement.otherwise);
        break;
      case 'if':
        for (const { condition, body: inside } of statement.branches) {
          visit(walk, condition);
          walkBody(walk, inside);
        }
        walkBody(walk, statement.otherwise);
        break;
    }
  }
}

function visitAll(walk: Walk, expressions: readonly (Expression | undefined)[]): void {
  for (const expression of expressions) if (expression !== undefined) visit(walk, expression);
}

function visit(walk: Walk, expression: Expression): void {
  switch (expression.kind) {
    case 'literal':
    case 'name':
      return;
    case 'list':
      return visitAll(walk, expression.items);
    case 'dict':
      return visitAll(
        walk,
        expression.entries.flatMap(({ key, value }) => [key, value]),
      );
    case 'range':
      return visitAll(walk, expression.args);
    case 'path':
      visit(walk, expression.root);
      return visitAll(walk, expression.links.flatMap(insideLink));
    case 'pipe':
      return visitPipe(walk, expression.input, expression.stages);
    case 'sign':
    case 'not':
      return visit(walk, expression.operand);
    case 'concat':
      return visitAll(walk, expression.parts);
    case 'logic':
      return visitAll(walk, expression.operands);
    case 'choice':
      return visitAll(walk, [expression.condition, expression.value, expression.otherwise]);
    case 'arithmetic':
      return visitAll(walk, [expression.first, ...expression.rest.map(({ operand }) => operand)]);
    case 'comparison': {
      let left = expression.first;
      visit(walk, left);
      for (const { operator, operand } of expression.rest) {
        compare(walk, operator, left, operand);
        visit(walk, operand);
        left = operand;
      }
    }
  }
}

function insideLink(link: Link): Arguments {
  switch (link.kind) {
    case 'field':
      return [];
    case 'index':
      return [link.index];
    case 'slice':
      return [link.start, link.stop, link.step];
    case 'method':
      return link.args;
  }
}

/** The tests that compare, such as `is equalto 'x'`. */
const TEST_OPERATORS: ReadonlyMap<string, ComparisonOperator> = new Map([
  ['eq', '=='],
  ['equalto', '=='],
  ['==', '=='],
  ['ne', '!='],
  ['!=', '!='],
  ['in', 'in'],
]);

function visitPipe(walk: Walk, input: Expression, stages: readonly Stage[]): void {
  visit(walk, input);
  const [first] = stages;
  const operator = first?.kind === 'test' ? TEST_OPERATORS.get(first.name) : undefined;
  const other = first?.args[0];
  if (operator !== undefined && other !== undefined) compare(walk, operator, input, other);
  for (const stage of stages) visitAll(walk, stage.args);
}

function compare(
  walk: Walk,
  operator: ComparisonOperator,
  left: Expression,
  right: Expression,
): void {
  const isIn = operator === 'in' || operator === 'not in';
  const isOrder = !isIn && operator !== '==' && operator !== '!=';
  const add = (at: Expression, literal: Expression, against: Comparison['against']): void => {
    const path = wholePath(at);
    if (path === undefined || literal.kind !== 'literal') return;
    const { value, offset, length } = literal;
    walk.found.push({ path, against, isOrder, value, offset, length });
  };
  if (isIn) {
    if (right.kind === 'list') for (const item of right.items) add(left, item, 'value');
    else add(right, left, 'item');
    return;
  }
  add(left, right, 'value');
  add(right, left, 'value');
}
