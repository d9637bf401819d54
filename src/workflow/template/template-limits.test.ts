import { describe, expect, it } from 'vitest';
import { detailsOf, failureOf, problemOf, textOf, valueOf } from './evaluating.cases.ts';
import { TEMPLATE_LIMITS, type LimitName } from './template-limits.ts';
import { parseExpression, parseTemplate } from './template.ts';
import { expectCheap, expectLinear } from '../../../test/own-time.ts';
import { IS_FAST } from '../../../test/runs.ts';

const million = 'a'.repeat(TEMPLATE_LIMITS.outputChars);
const names = {
  million,
  pairs: '😀'.repeat(TEMPLATE_LIMITS.outputChars / 2),
  needle: `${'a'.repeat(200_000)}b${'a'.repeat(200_000)}`,
  words: 'a '.repeat(TEMPLATE_LIMITS.outputChars / 2),
  list: Array.from({ length: 90_000 }, (_, index) => index),
  texts: Array.from({ length: 20_000 }, (_, index) => 'x'.repeat(400) + String(index)),
  wide: Object.fromEntries(Array.from({ length: 60_000 }, (_, index) => [`k${index}`, index])),
  deep: JSON.parse('['.repeat(5000) + ']'.repeat(5000)),
};

function often(body: string): string {
  return `{% for i in range(10000) %}${body}{% endfor %}`;
}

function filled(part: string, chars: number): string {
  return part.repeat(Math.floor(chars / part.length));
}

/** Leaves room for what stands around. */
const LONG = TEMPLATE_LIMITS.sourceChars - 10;
/** Uses up its steps with the cheapest there are. */
const PLAIN_STEPS = often('{{ i + 1 + 2 + 3 + 4 + 5 + 6 + 7 + 8 + 9 + 10 + 11 }}');
/** Almost as long as a template may be, and with almost as many words and symbols. */
const LONG_TEMPLATE = `{{ ${filled('amount + ', LONG)}1 }}`;
/** Far more than one step may cost beyond another, and far less than work that nobody counts. */
const MOST_TIMES = 40;

describe('a template that exceeds a limit', () => {
  it.each<[string, LimitName]>([
    // loops
    ['{% for a in range(101) %}{% for b in range(100) %}{% endfor %}{% endfor %}', 'iterations'],
    ['{% for a in list %}{% endfor %}', 'iterations'],
    [PLAIN_STEPS, 'steps'],
    // growth
    [`{{ 'a' * 1000000000 }}`, 'outputChars'],
    [`{{ ('a' * 1000000) * 1000000 }}`, 'outputChars'],
    ['{{ [1] * 1000000000 }}', 'listItems'],
    ['{{ list + list }}', 'listItems'],
    ['{{ million ~ "a" }}', 'outputChars'],
    ['{{ million + "a" }}', 'outputChars'],
    ['{{ list | join(million) }}', 'outputChars'],
    [`{{ million | replace('a', million) }}`, 'steps'],
    [`{{ 'ab' | replace('a', million) }}`, 'outputChars'],
    [`{{ million | indent(million, first=true) }}`, 'outputChars'],
    ['{{ words | title }}', 'steps'],
    [`{{ million | split('a') }}`, 'listItems'],
    ['{{ words | split }}', 'listItems'],
    ['{{ million }}{{ million }}', 'outputChars'],
    [often('{{ "x" * 1000 }}'), 'outputChars'],
    ['{{ range(1000000000) }}', 'listItems'],
    ['{{ range(-1000000000, 1000000000) }}', 'listItems'],
    ['{{ 2 ** 1025 }}', 'exponent'],
    // one value many times
    ['{{ [million, million] }}', 'outputChars'],
    ['{{ [list] * 1000 }}', 'outputChars'],
    ['{{ ([list] * 1000) | reverse }}', 'outputChars'],
    [`{{ {'a': {'b': [texts, texts]}} }}`, 'outputChars'],
    [`{% set a = [1] %}${'{% set a = [a, a] %}'.repeat(300)}{{ a }}`, 'valueDepth'],
    [`{% set a = [1, 2] %}${'{% set a = [a, a] %}'.repeat(60)}{{ a }}`, 'steps'],
    [
      `{% set a = [1] %}{% set b = [1] %}${'{% set a = [a, a] %}{% set b = [b, b] %}'.repeat(60)}{{ a == b }}`,
      'steps',
    ],
    // depth of values
    ['{{ deep | tojson }}', 'valueDepth'],
    ['{{ deep == [deep] }}', 'valueDepth'],
    ['[{{ "[" * 300 }}{{ "]" * 300 }}]', 'valueDepth'],
    // the same work again and again
    [often('{{ million | upper | length }}'), 'steps'],
    [often('{{ pairs | length }}'), 'steps'],
    [often('{{ pairs[5] }}'), 'steps'],
    [often('{{ pairs[:5] }}'), 'steps'],
    [often('{{ million[:5] }}'), 'steps'],
    [often('{{ million[::2] | length }}'), 'steps'],
    [often('{{ list[1:] | length }}'), 'steps'],
    [often('{{ list | reverse | length }}'), 'steps'],
    [often('{{ list | select("odd") | length }}'), 'steps'],
    [often('{{ -1 in list }}'), 'steps'],
    [often('{{ needle in million }}'), 'steps'],
    [often('{{ million == million }}'), 'steps'],
    [often('{% if wide %}{% endif %}'), 'steps'],
    [often('{{ wide | first }}'), 'steps'],
    [often('{{ wide == wide }}{{ wide | tojson | length }}'), 'steps'],
    [often(`{{ million | trim('a') }}`), 'steps'],
    [often('{{ million is lower }}'), 'steps'],
    [often('{{ million.upper() | length }}'), 'steps'],
    [often(`{{ million.split('b') | length }}`), 'steps'],
    [often('{{ million.startswith(million) }}'), 'steps'],
    [often('{% set text %}{{ million }}{% endset %}'), 'steps'],
    ['{{ "x" | trim(million) }}', 'steps'],
    ['{{ list | map(attribute=million, default=0) }}', 'steps'],
    [`{{ ('\\n' * 1000000) | indent(0) }}`, 'steps'],
    ['{{ texts | sort | first }}', 'steps'],
    ['{{ texts | unique | length }}', 'steps'],
    ['{{ pairs | reverse }}', 'steps'],
    ['{% for character in million %}{% endfor %}', 'steps'],
  ])('ends, and costs no more than plain steps do: %s', (source, limit) => {
    const evaluate = (text: string) => () => detailsOf(() => valueOf(text, names));
    expect(evaluate(source)()).toMatchObject({ limit, max: TEMPLATE_LIMITS[limit] });
    if (!IS_FAST) expectCheap(evaluate(source), evaluate(PLAIN_STEPS), MOST_TIMES);
  });

  it.each<[string, string, LimitName]>([
    ['a long source', 'a'.repeat(TEMPLATE_LIMITS.sourceChars + 1), 'sourceChars'],
    ['many signs', `{{ ${filled('1+', LONG)}1 }}`, 'tokens'],
    ['many texts', `{{ ${filled(`'a'`, LONG)}}}`, 'tokens'],
    ['parentheses', `{{ ${'('.repeat(5000)}1${')'.repeat(5000)} }}`, 'nesting'],
    ['lists', `{{ ${'['.repeat(5000)}${']'.repeat(5000)} }}`, 'nesting'],
    ['objects', `{{ ${`{'a':`.repeat(3000)}1${'}'.repeat(3000)} }}`, 'nesting'],
    ['indexes', `{{ ${'a['.repeat(5000)}1${']'.repeat(5000)} }}`, 'nesting'],
    ['not', `{{ ${'not '.repeat(5000)}1 }}`, 'nesting'],
    ['signs', `{{ ${'- '.repeat(10_000)}1 }}`, 'nesting'],
    ['choices', `{{ ${'1 if 0 else '.repeat(2000)}1 }}`, 'nesting'],
    ['blocks', '{% if 1 %}'.repeat(2000), 'nesting'],
    ['loops', '{% for a in b %}'.repeat(1000) + '{% endfor %}'.repeat(1000), 'nesting'],
    ['captures', '{% set a %}'.repeat(2000), 'nesting'],
    ['arguments', `{{ ${'a|join('.repeat(3000)}1${')'.repeat(3000)} }}`, 'nesting'],
    ['filters of filters', `{{ a | map(${`'map', `.repeat(5000)}'upper') }}`, 'nesting'],
  ])('is refused before it runs: %s', (_what, source, limit) => {
    const problem = problemOf(parseTemplate(source));
    expect(problem).toMatchObject({ limit });
    expect(problem.offset + problem.length).toBeLessThanOrEqual(source.length);
    if (IS_FAST) return;
    expectCheap(
      () => parseTemplate(source),
      () => parseTemplate(LONG_TEMPLATE),
      MOST_TIMES,
    );
  });

  it.each<[string, readonly [string, string, string]]>([
    ['unclosed comments', ['', '{# ', '']],
    ['unclosed raw', ['', '{% raw %}', '']],
    ['raw that almost ends', ['{% raw %}', '{%- endra', '']],
    ['an unclosed text', [`{{ '`, '\\\\', '']],
    ['white space', ['{{', ' ', '}}']],
    ['digits', ['{{ ', '1', ' }}']],
    ['braces', ['', '{', '']],
  ])('is refused at a cost that grows with it: %s', (_what, [before, part, after]) => {
    const source = (chars: number): string => before + filled(part, chars) + after;
    expect(parseTemplate(source(LONG)).ok).toBe(false);
    expectLinear((chars) => parseTemplate(source(chars)), LONG);
  });

  it('fails with the name of the limit', () => {
    expect(failureOf(() => textOf('{{ range(1000000) }}')).message).toBe(
      'A list that a template builds may have at most 100,000 items',
    );
    expect(problemOf(parseExpression('('.repeat(70) + ')'.repeat(70))).message).toBe(
      'Brackets and blocks may be nested at most 64 deep',
    );
  });
});

describe('a template within the limits', () => {
  it.each([
    ['ten thousand rounds', () => textOf(often('x')).length, 10_000],
    [
      'a text as long as the output may be',
      () => textOf('{{ million }}', names).length,
      million.length,
    ],
    ['a part of a long text', () => textOf('{{ text[:5] }}', { text: million.repeat(4) }), 'aaaaa'],
    [
      'the start of a long text',
      () => textOf('{{ text | trim | truncate(5) }}', { text: million.repeat(4) }),
      'aa...',
    ],
    ['a long list', () => valueOf('{{ list | length }}', names), 90_000],
    ['a search in a long text', () => valueOf('{{ needle in million }}', names), false],
    [
      'brackets and blocks, sixty deep',
      () =>
        textOf(
          `${'{% if 1 %}'.repeat(30)}{{ ${'('.repeat(30)}1${')'.repeat(30)} }}${'{% endif %}'.repeat(30)}`,
        ),
      '1',
    ],
    ['a large scope', () => valueOf('{{ wide.k59999 }}', names), 59_999],
  ])('is evaluated: %s', (_what, evaluate, expected) => {
    expect(evaluate()).toBe(expected);
  });
});
