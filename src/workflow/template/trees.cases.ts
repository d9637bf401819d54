/** Random expressions as trees, and two ways to write each of them. */
import fc from 'fast-check';

export type Tree =
  | { readonly kind: 'leaf'; readonly text: string }
  | { readonly kind: 'unary'; readonly operator: 'not' | '-'; readonly operand: Tree }
  | { readonly kind: 'binary'; readonly operator: string; readonly operands: readonly [Tree, Tree] }
  | { readonly kind: 'choice'; readonly parts: readonly [Tree, Tree, Tree] }
  | { readonly kind: 'filter'; readonly filter: string; readonly operand: Tree }
  | { readonly kind: 'list'; readonly items: readonly Tree[] };

/** Higher binds tighter. A comparison has no other comparison as operand, which would be a chain. */
const LEVELS: readonly (readonly string[])[] = [
  ['if'],
  ['or'],
  ['and'],
  ['not'],
  ['==', '!=', '<', '<=', '>', '>=', 'in', 'not in'],
  ['+', '-'],
  ['~'],
  ['*', '/', '//', '%'],
  ['**'],
];
/** A filter applies to the signed value. */
const FILTER_LEVEL = LEVELS.length;
const SIGN_LEVEL = FILTER_LEVEL + 1;
const COMPARISON_LEVEL = 4;
const BINARY = LEVELS.flat().filter((word) => word !== 'if' && word !== 'not');

const LEAVES = [
  '0',
  '1',
  '2',
  '3.5',
  'true',
  'none',
  `'a'`,
  `'ab'`,
  '[]',
  `{'a': 1}`,
  'a',
  'a.b',
  'b[0]',
  'b',
];

export const { tree: arbitraryTree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('leaf' as const),
        text: fc.constantFrom(...LEAVES),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('unary' as const),
        operator: fc.constantFrom('not' as const, '-' as const),
        operand: tie('tree'),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('binary' as const),
        operator: fc.constantFrom(...BINARY, 'and', 'or', '+', '*', '=='),
        operands: fc.tuple(tie('tree'), tie('tree')),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('choice' as const),
        parts: fc.tuple(tie('tree'), tie('tree'), tie('tree')),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('filter' as const),
        filter: fc.constantFrom(
          '| string',
          '| abs',
          '| length',
          '| default(1)',
          'is none',
          'is not string',
        ),
        operand: tie('tree'),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        kind: fc.constant('list' as const),
        items: fc.array(tie('tree'), { maxLength: 2 }),
      }),
    },
  ),
}));

export function printFully(tree: Tree): string {
  return print(tree, (inner) => `(${printFully(inner)})`);
}

/** Brackets only where the meaning would change without them. */
export function printTightly(tree: Tree): string {
  const own = levelOf(tree);
  return print(tree, (inner, side) => {
    const level = levelOf(inner);
    const isSafe = level > own || (level === own && side === 'left' && own !== COMPARISON_LEVEL);
    return isSafe ? printTightly(inner) : `(${printTightly(inner)})`;
  });
}

function print(tree: Tree, part: (inner: Tree, side: 'left' | 'right') => string): string {
  switch (tree.kind) {
    case 'leaf':
      return tree.text;
    case 'unary':
      return `${tree.operator} ${part(tree.operand, 'left')}`;
    case 'binary': {
      const [left, right] = tree.operands;
      return `${part(left, 'left')} ${tree.operator} ${part(right, 'right')}`;
    }
    case 'choice': {
      const [value, condition, otherwise] = tree.parts;
      return `${part(value, 'right')} if ${part(condition, 'right')} else ${part(otherwise, 'left')}`;
    }
    case 'filter':
      return `${part(tree.operand, 'left')} ${tree.filter}`;
    case 'list':
      return `[${tree.items.map((item) => printTightly(item)).join(', ')}]`;
  }
}

function levelOf(tree: Tree): number {
  switch (tree.kind) {
    case 'leaf':
    case 'list':
      return SIGN_LEVEL + 1;
    case 'filter':
      return FILTER_LEVEL;
    case 'unary':
      return tree.operator === 'not'
        ? LEVELS.findIndex((level) => level.includes('not'))
        : SIGN_LEVEL;
    case 'choice':
      return 0;
    case 'binary':
      return LEVELS.findIndex((level) => level.includes(tree.operator));
  }
}
