/**
 * The parts of an expression, one level down: only this file knows where each kind of expression
 * contains others.
 */
import type { Arguments, Expression, Link, Stage } from '../parse/ast.ts';

/** In the order in which they are evaluated. */
export function expressionParts(expression: Expression): readonly Expression[] {
  return parts(expression).filter((part) => part !== undefined);
}

/** The expressions inside one link of a path, such as the `i` of `[i]`. */
export function linkParts(link: Link): readonly Expression[] {
  return insideLink(link).filter((part) => part !== undefined);
}

/** The arguments of a filter or a test, and of the filter or test that it applies to each item. */
export function stageParts(stage: Stage): readonly Expression[] {
  const each = stage.kind === 'filter' ? stage.each : undefined;
  const own = stage.args.filter((part) => part !== undefined);
  return each === undefined ? own : [...own, ...stageParts(each)];
}

function parts(expression: Expression): Arguments {
  switch (expression.kind) {
    case 'literal':
    case 'name':
      return [];
    case 'list':
      return expression.items;
    case 'dict':
      return expression.entries.flatMap(({ key, value }) => [key, value]);
    case 'range':
      return expression.args;
    case 'path':
      return [expression.root, ...expression.links.flatMap(linkParts)];
    case 'pipe':
      return [expression.input, ...expression.stages.flatMap(stageParts)];
    case 'sign':
    case 'not':
      return [expression.operand];
    case 'concat':
      return expression.parts;
    case 'arithmetic':
    case 'comparison':
      return [expression.first, ...expression.rest.map(({ operand }) => operand)];
    case 'logic':
      return expression.operands;
    case 'choice':
      return [expression.condition, expression.value, expression.otherwise];
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
