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
import type { EachSignature } from './filters/filter.ts';
import { bindArguments, parseArguments, type GivenArguments } from './parse-arguments.ts';
import { parsePath } from './parse-path.ts';
import { refuse, type Span } from './problem.ts';
import { TESTS } from './tests.ts';

/** What people call these elsewhere, too far away for a guess by spelling. */
const OTHER_WORDS: ReadonlyMap<string, string> = new Map([
  ['uppercase', 'upper'],
  ['toupper', 'upper'],
  ['to_upper', 'upper'],
  ['upcase', 'upper'],
  ['lowercase', 'lower'],
  ['tolower', 'lower'],
  ['to_lower', 'lower'],
  ['downcase', 'lower'],
  ['titlecase', 'title'],
  ['to_json', 'json'],
  ['jsonify', 'json'],
  ['stringify', 'json'],
  ['dump', 'json'],
  ['number', 'float'],
  ['to_int', 'int'],
  ['integer', 'int'],
  ['tostring', 'string'],
  ['to_string', 'string'],
  ['text', 'string'],
  ['concat', 'join'],
  ['coalesce', 'default'],
  ['fallback', 'default'],
  ['or', 'default'],
  ['head', 'first'],
  ['tail', 'last'],
  ['distinct', 'unique'],
  ['uniq', 'unique'],
  ['where', 'selectattr'],
  ['pluck', 'map'],
  ['order', 'sort'],
  ['sort_by', 'sort'],
  ['total', 'sum'],
  ['substring', 'truncate'],
  ['ellipsis', 'truncate'],
  ['strip', 'trim'],
  ['len', 'length'],
  ['size', 'length'],
  ['str', 'string'],
  ['filter', 'select'],
  ['keys', 'list'],
]);

const OTHER_TESTS: ReadonlyMap<string, string> = new Map([
  ['empty', 'Write `x | length == 0`, or `not x`'],
  ['blank', 'Write `x | length == 0`, or `not x`'],
  ['list', 'sequence'],
  ['array', 'sequence'],
  ['dict', 'mapping'],
  ['map', 'mapping'],
  ['object', 'mapping'],
  ['text', 'string'],
  ['str', 'string'],
  ['int', 'integer'],
  ['bool', 'boolean'],
  ['set', 'defined'],
  ['present', 'defined'],
  ['missing', 'undefined'],
  ['equal', 'equalto'],
  ['contains', 'Write `x in list`'],
]);

/** All there are, for a word that is like none of them. */
function oneOf(names: Iterable<string>): string {
  return `Use one of ${[...names].toSorted().join(', ')}; docs/reference/templates.md explains them`;
}

/** Those that are words, each in one spelling. */
function testNames(): readonly string[] {
  return [...TESTS.keys()].filter((name) => /^[a-z]+$/.test(name));
}

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
  return bindFilter(cursor, name, given, spanFrom(cursor, start));
}

function bindFilter(cursor: Cursor, name: string, given: GivenArguments, span: Span): FilterStage {
  const filter = FILTERS.get(name);
  if (filter === undefined) {
    const meant = OTHER_WORDS.get(name) ?? suggest(name, FILTERS.keys());
    refuse(span, `There is no filter \`${name}\``, meant ?? oneOf(FILTERS.keys()));
  }
  const { each: named } = filter;
  const each = named === undefined ? undefined : bindEach(cursor, name, given, named);
  const own = named === undefined ? given : ownArguments(given, named, each);
  return { kind: 'filter', name, args: bindArguments(filter, own, `\`${name}\``), each, ...span };
}

/** What `map('upper')` or `selectattr('state', 'equalto', 'done')` does to each item, if named. */
function bindEach(
  cursor: Cursor,
  name: string,
  given: GivenArguments,
  { kind, after }: EachSignature,
): Stage | undefined {
  const [chosen, ...positional] = given.positional.slice(after);
  if (chosen === undefined) {
    if (kind === 'test' || given.named.length > 0) return undefined;
    refuse(given, `\`${name}\` needs the name of a filter, or \`attribute\``);
  }
  const { value, offset, length } = chosen.kind === 'literal' ? chosen : { ...chosen, value: null };
  const span = { offset, length };
  if (typeof value !== 'string')
    return refuse(span, `\`${name}\` needs the name of a ${kind} here, in quotes`);
  if (kind === 'test') return bindTest(value, { ...given, positional, named: [] }, span);
  return nested(cursor, () => bindFilter(cursor, value, { ...given, positional }, span));
}

/** A filter that is named takes the rest of the arguments with it, those with names as well. */
function ownArguments(
  given: GivenArguments,
  { after }: EachSignature,
  each: Stage | undefined,
): GivenArguments {
  const positional = given.positional.slice(0, after);
  return { ...given, positional, named: each?.kind === 'filter' ? [] : given.named };
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
  return { ...none(start), positional: [parsePath(cursor)] };
}

function optionalArguments(cursor: Cursor, start: Span): GivenArguments {
  return isSymbol(cursor, '(') ? parseArguments(cursor) : none(start);
}

function bindTest(name: string, given: GivenArguments, span: Span): TestStage {
  const test = TESTS.get(name);
  if (test === undefined) {
    const meant = OTHER_TESTS.get(name) ?? suggest(name, TESTS.keys());
    refuse(span, `There is no test \`${name}\``, meant ?? oneOf(testNames()));
  }
  const args = bindArguments(test, given, `\`${name}\``);
  return { kind: 'test', name, isNegated: false, args, ...span };
}

function none({ offset, length }: Span): GivenArguments {
  return { positional: [], named: [], offset, length };
}
