/**
 * The validator's errors as findings: only the innermost, in our own words. Its own texts quote
 * values; of them only what comes from the schema is taken over: names, bounds, allowed values.
 */
import type { Finding } from './value-check.ts';

/** What is read of one error of the validator. */
export interface Unit {
  readonly keyword: string;
  readonly keywordLocation: string;
  readonly instanceLocation: string;
  readonly error: string;
}

/** These only say that something below them failed. */
const WRAPPERS = new Set(
  '$ref $recursiveRef properties patternProperties additionalProperties unevaluatedProperties items prefixItems additionalItems unevaluatedItems allOf if then else dependentSchemas'.split(
    ' ',
  ),
);

/** What fails below these are the branches of a choice; told one by one they contradict each other. */
const CHOICES = new Set(['anyOf', 'oneOf', 'contains', 'minContains', 'propertyNames']);

export function tellValueFindings(units: readonly Unit[]): readonly Finding[] {
  const hidden = units.filter(({ keyword }) => CHOICES.has(keyword)).map(branchesOf);
  const findings: Finding[] = [];
  let isHidden = false;
  for (const unit of units) {
    // `false` has no place of its own in the schema, and follows the error that led to it
    if (unit.keyword !== 'false') {
      isHidden = hidden.some((prefix) => unit.keywordLocation.startsWith(prefix));
    }
    if (isHidden || isWrapper(unit)) continue;
    findings.push({ of: 'value', pointer: pointerOf(unit), message: wordsFor(unit) });
  }
  return findings;
}

function branchesOf({ keyword, keywordLocation }: Unit): string {
  const location =
    keyword === 'minContains'
      ? keywordLocation.replace(/minContains$/, 'contains')
      : keywordLocation;
  return `${location}/`;
}

function isWrapper({ keyword, error }: Unit): boolean {
  return WRAPPERS.has(keyword) || (keyword === 'dependencies' && error.endsWith('schema.'));
}

const MAX_POINTER_CHARS = 300;

/** `#/a%20b` is how the validator writes `/a b`. */
function pointerOf({ instanceLocation }: Unit): string {
  const pointer = decodeURIComponent(instanceLocation.slice(1));
  return pointer.length <= MAX_POINTER_CHARS ? pointer : `${pointer.slice(0, MAX_POINTER_CHARS)}…`;
}

function wordsFor({ keyword, error }: Unit): string {
  for (const [pattern, words] of WORDS.get(keyword) ?? []) {
    const found = pattern.exec(error);
    if (found !== null) return words(found.slice(1).map((part) => part ?? ''));
  }
  return `must fit ${keyword} of its schema`;
}

type Rule = readonly [pattern: RegExp, words: (parts: readonly string[]) => string];

const MAX_QUOTE_CHARS = 200;

function quote(text = ''): string {
  return text.length <= MAX_QUOTE_CHARS ? text : `${text.slice(0, MAX_QUOTE_CHARS)}…`;
}

const ARTICLES: Readonly<Record<string, string>> = { array: 'an', integer: 'an', object: 'an' };

function typeNames(list = ''): string {
  const named = list
    .split('", "')
    .map((name) => (name === 'null' ? name : `${ARTICLES[name] ?? 'a'} ${name}`));
  return named.join(' or ');
}

const BOUND = /(?:less|greater) than(?: or equal to)? +(\S+)\.$/;

const WORDS: ReadonlyMap<string, readonly Rule[]> = new Map<string, readonly Rule[]>([
  ['type', [[/Expected "(.*)"\.$/s, ([types]) => `must be ${typeNames(types)}`]]],
  ['const', [[/^Instance does not match (.*)\.$/s, ([value]) => `must be ${quote(value)}`]]],
  ['enum', [[/any of (.*)\.$/s, ([values]) => `must be one of ${quote(values)}`]]],
  [
    'required',
    [[/required property "(.*)"\.$/s, ([name]) => `must have the property "${quote(name)}"`]],
  ],
  ['false', [[/^/, () => 'must not be there']]],
  ['not', [[/^/, () => 'must not fit what its schema excludes']]],
  [
    'oneOf',
    [
      [/\(0 matches\)/, () => 'must fit one of the shapes that its schema allows'],
      [/\((\d+) matches\)/, ([count]) => `must fit exactly one shape, and fits ${count}`],
    ],
  ],
  ['anyOf', [[/^/, () => 'must fit one of the shapes that its schema allows']]],
  ['contains', [[/^/, () => 'must have an item that its schema asks for']]],
  [
    'minContains',
    [
      [
        /(?:least|minContains) \(?(\d+)/,
        ([n]) => `must have at least ${n} items that its schema asks for`,
      ],
    ],
  ],
  [
    'maxContains',
    [[/at most (\d+)/, ([n]) => `must have at most ${n} items that its schema asks for`]],
  ],
  ['propertyNames', [[/^/, () => 'must not have a property of that name']]],
  ['minProperties', [[/(\d+) properties/, ([n]) => `must have at least ${n} properties`]]],
  ['maxProperties', [[/(\d+) properties/, ([n]) => `must have at most ${n} properties`]]],
  ['minItems', [[/< (\d+)\)/, ([n]) => `must have at least ${n} items`]]],
  ['maxItems', [[/> (\d+)\)/, ([n]) => `must have at most ${n} items`]]],
  ['uniqueItems', [[/^/, () => 'must not have the same item twice']]],
  ['minLength', [[/< (\d+)\)/, ([n]) => `must have at least ${n} characters`]]],
  ['maxLength', [[/> (\d+)\)/, ([n]) => `must have at most ${n} characters`]]],
  ['pattern', [[/^/, () => 'must match the pattern of its schema']]],
  ['format', [[/format "(.*)"\.$/s, ([name]) => `must have the format ${quote(name)}`]]],
  ['minimum', [[BOUND, ([n]) => `must be at least ${n}`]]],
  ['maximum', [[BOUND, ([n]) => `must be at most ${n}`]]],
  ['exclusiveMinimum', [[BOUND, ([n]) => `must be above ${n}`]]],
  ['exclusiveMaximum', [[BOUND, ([n]) => `must be below ${n}`]]],
  ['multipleOf', [[/multiple of (\S+)\.$/, ([n]) => `must be a multiple of ${n}`]]],
  [
    'dependentRequired',
    [[/does not have "(.*)"\.$/s, ([name]) => `must have the property "${quote(name)}"`]],
  ],
  [
    'dependencies',
    [[/does not have "(.*)"\.$/s, ([name]) => `must have the property "${quote(name)}"`]],
  ],
]);
