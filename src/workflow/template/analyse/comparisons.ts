/** Comparisons of a template between something it reads and a literal, found without running it. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import type {
  Body,
  ComparisonNode,
  ComparisonOperator,
  Expression,
  PipeNode,
} from '../parse/ast.ts';
import { wholePath, type StaticPath } from './proven-paths.ts';
import { referencesOf } from './template-references.ts';
import type { Span } from '../template-error.ts';

export interface Comparison extends Span {
  readonly path: StaticPath;
  /** Whether the value is compared with the whole value at the path, or with one of its items. */
  readonly against: 'value' | 'item';
  readonly isOrder: boolean;
  /** The literal, whose span is that of the comparison. */
  readonly value: JsonValue;
}

/** Leaves out paths that begin with a name that the template itself binds there. */
export function comparisonsOf(body: Body): readonly Comparison[] {
  const found: Comparison[] = [];
  referencesOf(body, (expression, isBound) => {
    const walk: Walk = { found, isBound };
    if (expression.kind === 'comparison') visitComparison(walk, expression);
    if (expression.kind === 'pipe') visitTest(walk, expression);
  });
  return found;
}

interface Walk {
  readonly found: Comparison[];
  readonly isBound: (name: string) => boolean;
}

/** `a < b < c` compares neighbours. */
function visitComparison(walk: Walk, { first, rest }: ComparisonNode): void {
  let left = first;
  for (const { operator, operand } of rest) {
    compare(walk, operator, left, operand);
    left = operand;
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

function visitTest(walk: Walk, { input, stages: [first] }: PipeNode): void {
  const operator = first?.kind === 'test' ? TEST_OPERATORS.get(first.name) : undefined;
  const other = first?.args[0];
  if (operator !== undefined && other !== undefined) compare(walk, operator, input, other);
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
    if (walk.isBound(String(path[0]))) return;
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
