/** Proven paths: those that a condition with `is defined` shows to exist, when it is true or false. */
import type { Expression, Link, NameNode } from '../parse/ast.ts';

export type StaticPath = readonly (string | number)[];

export function provenPaths(condition: Expression, truth: boolean): readonly StaticPath[] {
  if (condition.kind === 'not') return provenPaths(condition.operand, !truth);
  if (condition.kind === 'logic') {
    // when an `and` is true, all operands are; when an `or` is false, none is
    const isEach = (condition.operator === 'and') === truth;
    return isEach ? condition.operands.flatMap((operand) => provenPaths(operand, truth)) : [];
  }
  if (condition.kind !== 'pipe') return [];
  const [stage, ...more] = condition.stages;
  if (stage?.kind !== 'test' || more.length > 0) return [];
  const isAsking = stage.name === 'defined' || stage.name === 'undefined';
  const saysDefined = (stage.name === 'defined') !== stage.isNegated;
  const path = wholePath(condition.input);
  return isAsking && saysDefined === truth && path !== undefined ? [path] : [];
}

/** The constant part of a path, and the links that it covers. */
export function staticPath(
  root: NameNode,
  links: readonly Link[],
): { readonly path: StaticPath; readonly links: readonly Link[] } {
  const path: (string | number)[] = [root.name];
  for (const link of links) {
    const key = fixedKey(link);
    if (key === undefined) break;
    path.push(key);
  }
  return { path, links: links.slice(0, path.length - 1) };
}

/** Undefined when a part of the path is known only at run time. */
export function wholePath(expression: Expression): StaticPath | undefined {
  if (expression.kind === 'name') return [expression.name];
  if (expression.kind !== 'path' || expression.root.kind !== 'name') return undefined;
  const { path, links } = staticPath(expression.root, expression.links);
  return links.length === expression.links.length ? path : undefined;
}

function fixedKey(link: Link): string | number | undefined {
  if (link.kind === 'field') return link.key;
  if (link.kind !== 'index' || link.index.kind !== 'literal') return undefined;
  const { value } = link.index;
  return typeof value === 'string' || typeof value === 'number' ? value : undefined;
}
