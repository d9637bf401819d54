/**
 * References of a template to names outside it, found without running it. Names bound by `for` and
 * `set` are left out after they are bound.
 */
import type {
  Body,
  Expression,
  ForNode,
  IfNode,
  LogicNode,
  PipeNode,
  Stage,
  Statement,
} from '../parse/ast.ts';
import { expressionParts, linkParts, stageParts } from './expression-parts.ts';
import { FILTERS } from '../filters.ts';
import { provenPaths, staticPath, type StaticPath } from './proven-paths.ts';
import type { Span } from '../template-error.ts';
import { TESTS } from '../evaluate/tests.ts';

export interface Reference extends Span {
  /** The name, then fields and indexes, as long as they are constant. */
  readonly path: StaticPath;
  /** It is followed by `default`, `is defined` or `is undefined`, which accept missing values. */
  readonly isForgiven: boolean;
  /** It is read only after `is defined` has proved the path or a prefix of it. */
  readonly isGuarded: boolean;
  /** The path ends in a method, as in `node.output.items()`. */
  readonly isCall: boolean;
}

/** Gets each expression that may hold others, and whether the template itself binds a name there. */
export type OnExpression = (expression: Expression, isBound: (name: string) => boolean) => void;

interface Walk {
  readonly found: Reference[];
  readonly onExpression: OnExpression;
  readonly bound: BoundNames;
  readonly proven: readonly StaticPath[];
}

interface BoundNames {
  readonly names: Set<string>;
  readonly outer: BoundNames | undefined;
}

/** More guards than anybody writes around one expression; further ones would only cost time. */
const MAX_PROVEN = 64;

export function referencesOf(
  body: Body,
  onExpression: OnExpression = () => undefined,
): readonly Reference[] {
  const found: Reference[] = [];
  const bound = { names: new Set<string>(), outer: undefined };
  walkBody({ found, onExpression, bound, proven: [] }, body);
  return found;
}

function walkBody(walk: Walk, body: Body): void {
  for (const statement of body) walkStatement(walk, statement);
}

function walkStatement(walk: Walk, statement: Statement): void {
  const { names } = walk.bound;
  switch (statement.kind) {
    case 'text':
      return;
    case 'output':
      return visit(walk, statement.expression);
    case 'set':
      visit(walk, statement.value);
      for (const target of statement.targets) names.add(target);
      return;
    case 'capture':
      walkBody(walk, statement.body);
      names.add(statement.target);
      return;
    case 'for':
      return walkFor(walk, statement);
    case 'if':
      return walkIf(walk, statement);
  }
}

/** After the `if`, a name counts as bound if any branch binds it; branches do not see each other's names. */
function walkIf(walk: Walk, { branches, otherwise }: IfNode): void {
  let outside = walk;
  const insides: Walk[] = [];
  for (const { condition, body } of branches) {
    visit(outside, condition);
    const inside = within(proving(outside, condition, true));
    walkBody(inside, body);
    insides.push(inside);
    outside = proving(outside, condition, false);
  }
  const last = within(outside);
  walkBody(last, otherwise);
  for (const { bound } of [...insides, last])
    for (const name of bound.names) walk.bound.names.add(name);
}

function walkFor(walk: Walk, { items, targets, condition, body, otherwise }: ForNode): void {
  visit(walk, items);
  const round = within(walk);
  for (const target of targets) round.bound.names.add(target);
  if (condition !== undefined) visit(round, condition);
  round.bound.names.add('loop');
  walkBody(condition === undefined ? round : proving(round, condition, true), body);
  walkBody(within(walk), otherwise);
}

function within(walk: Walk): Walk {
  return { ...walk, bound: { names: new Set(), outer: walk.bound } };
}

function proving(walk: Walk, condition: Expression, truth: boolean): Walk {
  const more = provenPaths(condition, truth);
  if (more.length === 0 || walk.proven.length >= MAX_PROVEN) return walk;
  return { ...walk, proven: [...walk.proven, ...more].slice(0, MAX_PROVEN) };
}

function isBound(name: string, bound: BoundNames | undefined): boolean {
  return bound !== undefined && (bound.names.has(name) || isBound(name, bound.outer));
}

function visit(walk: Walk, expression: Expression, isForgiven = false): void {
  walk.onExpression(expression, (name) => isBound(name, walk.bound));
  switch (expression.kind) {
    case 'name':
    case 'path':
      return visitPath(walk, expression, isForgiven);
    case 'pipe':
      return visitPipe(walk, expression);
    case 'logic':
      return visitLogic(walk, expression);
    case 'choice': {
      const { condition, value, otherwise } = expression;
      visit(walk, condition);
      visit(proving(walk, condition, true), value, isForgiven);
      if (otherwise !== undefined) visit(proving(walk, condition, false), otherwise, isForgiven);
      return;
    }
    default:
      visitAll(walk, expressionParts(expression));
  }
}

/** Each operand is read only when those before it were true (`and`) or false (`or`). */
function visitLogic(walk: Walk, { operator, operands }: LogicNode): void {
  let inside = walk;
  for (const operand of operands) {
    visit(inside, operand);
    inside = proving(inside, operand, operator === 'and');
  }
}

function visitAll(walk: Walk, expressions: readonly Expression[]): void {
  for (const expression of expressions) visit(walk, expression);
}

function visitPath(
  walk: Walk,
  expression: Extract<Expression, { kind: 'name' | 'path' }>,
  isForgiven: boolean,
): void {
  const links = expression.kind === 'path' ? expression.links : [];
  for (const link of links) visitAll(walk, linkParts(link));
  const root = expression.kind === 'path' ? expression.root : expression;
  if (root.kind !== 'name') return visit(walk, root, isForgiven);
  if (isBound(root.name, walk.bound)) return;

  const { path, links: read } = staticPath(root, links);
  const last = read.at(-1) ?? root;
  walk.found.push({
    path,
    offset: expression.offset,
    length: last.offset + last.length - expression.offset,
    isForgiven,
    isGuarded: walk.proven.some((proven) => isStartOf(proven, path)),
    isCall: links[read.length]?.kind === 'method',
  });
}

function visitPipe(walk: Walk, { input, stages }: PipeNode): void {
  const [first] = stages;
  visit(walk, input, first !== undefined && isForgiving(first));
  visitAll(walk, stages.flatMap(stageParts));
}

function isForgiving({ kind, name }: Stage): boolean {
  return (kind === 'filter' ? FILTERS : TESTS).get(name)?.isForgiving === true;
}

function isStartOf(start: StaticPath, path: StaticPath): boolean {
  return start.every((key, index) => path[index] === key);
}
