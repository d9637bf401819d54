/** Parses the filters and tests after a value. Checks their names and arguments once, at load. */
import { suggest } from '../../../errors/support/suggest.ts';
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
} from './token-cursor.ts';
import { FILTERS } from '../filters.ts';
import type { EachSignature } from '../filters/filter.ts';
import { bindArguments, parseArguments, type ParsedArguments } from './parse-arguments.ts';
import { parsePath } from './parse-path.ts';
import { refuse, type Span } from '../template-error.ts';
import { TESTS } from '../evaluate/tests.ts';

/** Names in other languages that no spelling suggestion would find. */
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

/** Lists all names, for a word that resembles none of them. */
function oneOf(names: Iterable<string>): string {
  return `Use one of ${[...names].toSorted().join(', ')}; docs/reference/templates.md explains them`;
}

/** Tests with a word as name, each in one spelling. */
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
    refuse(
      peek(cursor),
      'Reading a field of the result of a filter needs parentheses',
      `(… | ${name}).`,
    );
  const parsed = isSymbol(cursor, '(') ? parseArguments(cursor) : none(start);
  return bindFilter(cursor, name, parsed, spanFrom(cursor, start));
}

function bindFilter(
  cursor: Cursor,
  name: string,
  parsed: ParsedArguments,
  span: Span,
): FilterStage {
  const filter = FILTERS.get(name);
  if (filter === undefined) {
    const meant = OTHER_WORDS.get(name) ?? suggest(name, FILTERS.keys());
    refuse(span, `There is no filter \`${name}\``, meant ?? oneOf(FILTERS.keys()));
  }
  const { each: named } = filter;
  const each = named === undefined ? undefined : bindEach(cursor, name, parsed, named);
  const own = named === undefined ? parsed : ownArguments(parsed, named, each);
  return { kind: 'filter', name, args: bindArguments(filter, own, `\`${name}\``), each, ...span };
}

/** The filter or test that `map('upper')` or `selectattr('state', 'equalto', 'done')` applies to each item. */
function bindEach(
  cursor: Cursor,
  name: string,
  parsed: ParsedArguments,
  { kind, after }: EachSignature,
): Stage | undefined {
  const [chosen, ...positional] = parsed.positional.slice(after);
  if (chosen === undefined) {
    if (kind === 'test' || parsed.named.length > 0) return undefined;
    refuse(parsed, `\`${name}\` needs the name of a filter, or \`attribute\``);
  }
  const { value, offset, length } = chosen.kind === 'literal' ? chosen : { ...chosen, value: null };
  const span = { offset, length };
  if (typeof value !== 'string')
    return refuse(span, `\`${name}\` needs the name of a ${kind} here, in quotes`);
  if (kind === 'test') return bindTest(value, { ...parsed, positional, named: [] }, span);
  return nested(cursor, () => bindFilter(cursor, value, { ...parsed, positional }, span));
}

/** A named filter takes all further arguments, keyword arguments too. */
function ownArguments(
  parsed: ParsedArguments,
  { after }: EachSignature,
  each: Stage | undefined,
): ParsedArguments {
  const positional = parsed.positional.slice(0, after);
  return { ...parsed, positional, named: each?.kind === 'filter' ? [] : parsed.named };
}

function parseTest(cursor: Cursor): TestStage {
  const isNegated = takeWord(cursor, 'not');
  const { text: name, ...start } = expectName(cursor, 'the name of a test');
  const takesOne = TESTS.get(name)?.parameters.length === 1;
  const parsed = takesOne ? parseOperand(cursor, start) : optionalArguments(cursor, start);
  return { ...bindTest(name, parsed, spanFrom(cursor, start)), isNegated };
}

/** `is divisibleby 3` is `is divisibleby(3)`. */
function parseOperand(cursor: Cursor, start: Span): ParsedArguments {
  if (isSymbol(cursor, '(')) return parseArguments(cursor);
  return { ...none(start), positional: [parsePath(cursor)] };
}

function optionalArguments(cursor: Cursor, start: Span): ParsedArguments {
  return isSymbol(cursor, '(') ? parseArguments(cursor) : none(start);
}

function bindTest(name: string, parsed: ParsedArguments, span: Span): TestStage {
  const test = TESTS.get(name);
  if (test === undefined) {
    const meant = OTHER_TESTS.get(name) ?? suggest(name, TESTS.keys());
    refuse(span, `There is no test \`${name}\``, meant ?? oneOf(testNames()));
  }
  const args = bindArguments(test, parsed, `\`${name}\``);
  return { kind: 'test', name, isNegated: false, args, ...span };
}

function none({ offset, length }: Span): ParsedArguments {
  return { positional: [], named: [], offset, length };
}
