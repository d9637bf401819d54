/** Filters and tests behind a value. Their names and arguments are checked here, once, at load. */
import { suggest } from '../../errors/suggest.ts';
import type { Expression, FilterStage, Stage, TestStage } from './ast.ts';
import {
  expectName,
  isSymbol,
  nested,
  peek,
  spanFrom,
  takeSymbol,
  takeWord,
  type Cursor,
} from './cursor.ts';
import { FILTERS } from './filters.ts';
import { bindArguments, parseArguments, type GivenArguments } from './parse-arguments.ts';
import { parsePath } from './parse-path.ts';
import { refuse, type Span } from './problem.ts';
import { TESTS } from './tests.ts';

/** What people call these elsewhere, too far away for a guess by spelling. */
const OTHER_WORDS: Readonly<Record<string, string>> = {
  strip: 'trim',
  len: 'length',
  size: 'length',
  str: 'string',
  filter: 'select',
  dump: 'json',
  keys: 'list',
};

export function parsePipe(cursor: Cursor, input: Expression): Expression {
  let stage = parseStage(cursor);
  if (stage === undefined) return input;
  const stages: Stage[] = [];
  while (stage !== undefined) {
    stages.push(stage);
    stage = parseStage(cursor);
  }
  return { kind: 'pipe', input, stages, ...spanFrom(cursor, input) };
}

function parseStage(cursor: Cursor): Stage | undefined {
  if (takeSymbol(cursor, '|')) return parseFilter(cursor);
  return takeWord(cursor, 'is') ? parseTest(cursor) : undefined;
}

function parseFilter(cursor: Cursor): FilterStage {
  const { text: name, ...start } = expectName(cursor, 'the name of a filter');
  if (isSymbol(cursor, '.'))
    refuse(peek(cursor), 'A field of what a filter gives needs parentheses', `(… | ${name}).`);
  const given = isSymbol(cursor, '(') ? parseArguments(cursor) : none(start);
  return bindFilter(name, given, spanFrom(cursor, start));
}

function bindFilter(name: string, given: GivenArguments, span: Span): FilterStage {
  const filter = FILTERS.get(name);
  if (filter === undefined) {
    const meant = OTHER_WORDS[name] ?? suggest(name, FILTERS.keys());
    refuse({ ...span, length: name.length }, `There is no filter \`${name}\``, meant);
  }
  const { each, own } = filter.each === undefined ? { own: given } : splitEach(name, given);
  const args = bindArguments(filter, own, `\`${name}\``);
  return { kind: 'filter', name, args, each, ...span };
}

/** `map('upper')`, `selectattr('state', 'equalto', 'done')`: own arguments, then what is done. */
function splitEach(
  name: string,
  given: GivenArguments,
): { own: GivenArguments; each: Stage | undefined } {
  const does = FILTERS.get(name)?.each;
  const ownCount = does?.after ?? 0;
  const [chosen, ...args] = given.positional.slice(ownCount);
  const own = { ...given, positional: given.positional.slice(0, ownCount) };
  if (chosen === undefined && does?.kind === 'filter' && given.named.length === 0)
    refuse(given, `\`${name}\` needs the name of a filter, or \`attribute\``);
  if (chosen === undefined) return { own, each: undefined };
  if (chosen.kind !== 'literal' || typeof chosen.value !== 'string')
    refuse(chosen, `\`${name}\` needs the name of a ${does?.kind} here, in quotes`);
  const inner = { ...given, positional: args, named: does?.kind === 'filter' ? given.named : [] };
  const span = { offset: chosen.offset, length: chosen.length };
  if (does?.kind === 'test') return { own, each: bindTest(chosen.value, inner, span) };
  return { own: { ...own, named: [] }, each: bindFilter(chosen.value, inner, span) };
}

function parseTest(cursor: Cursor): TestStage {
  const isNegated = takeWord(cursor, 'not');
  const { text: name, ...start } = expectName(cursor, 'the name of a test');
  const takesOne = TESTS.get(name)?.parameters.length === 1;
  const given = takesOne ? parseOperand(cursor, start) : optionalArguments(cursor, start);
  return { ...bindTest(name, given, spanFrom(cursor, start)), isNegated };
}

/** `is divisibleby 3` is `is divisibleby(3)`. */
function parseOperand(cursor: Cursor, start: Span): GivenArguments {
  if (isSymbol(cursor, '(')) return parseArguments(cursor);
  return { ...none(start), positional: [nested(cursor, parsePath)] };
}

function optionalArguments(cursor: Cursor, start: Span): GivenArguments {
  return isSymbol(cursor, '(') ? parseArguments(cursor) : none(start);
}

function bindTest(name: string, given: GivenArguments, span: Span): TestStage {
  const test = TESTS.get(name);
  if (test === undefined) refuse(span, `There is no test \`${name}\``, suggest(name, TESTS.keys()));
  const args = bindArguments(test, given, `\`${name}\``);
  return { kind: 'test', name, isNegated: false, args, ...span };
}

function none({ offset, length }: Span): GivenArguments {
  return { positional: [], named: [], offset, length };
}
