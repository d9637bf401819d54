/**
 * Compiles a pattern to an automaton. Each lookahead or lookbehind is a separate automaton that marks the
 * positions where it holds, so that matching never backtracks.
 */
import { parsePattern, UnusablePattern, type Edge, type PatternNode } from './parse-pattern.ts';

export type Instruction =
  /** Consumes one character that matches the atom of this number. */
  | { readonly type: 'take'; readonly atom: number; readonly next: number }
  | { readonly type: 'split'; readonly next: readonly number[] }
  /** Continues where the position has this mark. */
  | { readonly type: 'mark'; readonly mark: number; readonly next: number }
  | { readonly type: 'match' };

export interface Automaton {
  readonly instructions: readonly Instruction[];
  readonly start: number;
  /** Reads the text from its end. */
  readonly isBackward: boolean;
}

export interface Look extends Automaton {
  readonly isNegated: boolean;
  readonly mark: number;
}

export interface Program {
  readonly main: Automaton;
  /** Each depends only on the marks of earlier ones. */
  readonly looks: readonly Look[];
  readonly atoms: readonly ((character: string) => boolean)[];
}

/** Marks of a position, as bits. */
export const EDGE_MARKS: Readonly<Record<Edge, number>> = {
  start: 1,
  end: 2,
  word: 4,
  'no word': 8,
};
const FIRST_LOOK_BIT = 4;
const MAX_LOOKS = 16;

/** Counts are expanded: `a{1000}` is a thousand instructions. */
const MAX_INSTRUCTIONS = 5_000;

interface Builder {
  readonly atoms: Map<string, number>;
  readonly looks: Look[];
  size: number;
}

/** Throws `UnusablePattern`. */
export function compilePattern(text: string): Program {
  const tree = parsePattern(text);
  const builder: Builder = { atoms: new Map(), looks: [], size: 0 };
  const main = build(tree, false, builder);
  return { main, looks: builder.looks, atoms: Array.from(builder.atoms.keys(), toTest) };
}

/** For one character the built-in engine is safe and fast. */
function toTest(source: string): (character: string) => boolean {
  const one = new RegExp(`^(?:${source})$`, 'u');
  return (character) => one.test(character);
}

function build(tree: PatternNode, isBackward: boolean, builder: Builder): Automaton {
  const instructions: Instruction[] = [];
  const add = (instruction: Instruction): number => {
    if (++builder.size > MAX_INSTRUCTIONS)
      throw new UnusablePattern('must be smaller: its repetition counts make it too large');
    return instructions.push(instruction) - 1;
  };
  const end = add({ type: 'match' });
  const start = compile(tree, end, { add, instructions, isBackward, builder });
  return { instructions, start, isBackward };
}

interface Building {
  readonly add: (instruction: Instruction) => number;
  readonly instructions: Instruction[];
  readonly isBackward: boolean;
  readonly builder: Builder;
}

/** Built from end to beginning, so that the continuation of each part is known. */
function compile(node: PatternNode, next: number, building: Building): number {
  const { add, isBackward, builder } = building;
  switch (node.type) {
    case 'character':
      return add({ type: 'take', atom: atomOf(node.source, builder), next });
    case 'sequence':
      return (isBackward ? node.items : node.items.toReversed()).reduce(
        (after, item) => compile(item, after, building),
        next,
      );
    case 'choice':
      return add({ type: 'split', next: node.items.map((item) => compile(item, next, building)) });
    case 'repeat':
      return compileRepeat(node, next, building);
    case 'edge':
      return add({ type: 'mark', mark: EDGE_MARKS[node.edge], next });
    case 'look':
      return add({ type: 'mark', mark: lookOf(node, builder).mark, next });
  }
}

function atomOf(source: string, { atoms }: Builder): number {
  const known = atoms.get(source);
  if (known !== undefined) return known;
  atoms.set(source, atoms.size);
  return atoms.size - 1;
}

function compileRepeat(
  { item, min, max }: Extract<PatternNode, { type: 'repeat' }>,
  next: number,
  building: Building,
): number {
  const { add, instructions } = building;
  // repeating an empty match changes nothing
  const isTaking = takes(item);
  const least = isTaking ? min : Math.min(min, 1);
  const most = isTaking ? max : Math.min(max, 1);
  let start = next;
  if (most === Infinity) {
    start = add({ type: 'split', next: [] });
    instructions[start] = { type: 'split', next: [compile(item, start, building), next] };
  } else {
    for (let count = least; count < most; count++)
      start = add({ type: 'split', next: [compile(item, start, building), next] });
  }
  for (let count = 0; count < least; count++) start = compile(item, start, building);
  return start;
}

function takes(node: PatternNode): boolean {
  switch (node.type) {
    case 'character':
      return true;
    case 'sequence':
    case 'choice':
      return node.items.some(takes);
    case 'repeat':
      return node.max > 0 && takes(node.item);
    case 'edge':
    case 'look':
      return false;
  }
}

/** A lookahead reads backward, so that each position knows the text after it. */
function lookOf(node: Extract<PatternNode, { type: 'look' }>, builder: Builder): Look {
  const automaton = build(node.item, !node.isBehind, builder);
  if (builder.looks.length >= MAX_LOOKS)
    throw new UnusablePattern(`must not look ahead or behind more than ${MAX_LOOKS} times`);
  const mark = 1 << (FIRST_LOOK_BIT + builder.looks.length);
  const look: Look = { ...automaton, isNegated: node.isNegated, mark };
  builder.looks.push(look);
  return look;
}
