import { describe, expect, it } from 'vitest';
import { problemOf } from './evaluating.cases.ts';
import { FILTERS } from './filters.ts';
import { parseExpression, parseTemplate } from './template.ts';

const ALL_FILTERS = `Use one of ${[...FILTERS.keys()].toSorted().join(', ')}; docs/reference/templates.md explains them`;
const ALL_TESTS = expect.stringMatching(
  /^Use one of boolean, defined, .*upper; docs\/reference\/templates\.md explains them$/,
) as string;

/** The source with the problem between `«` and `»`, the message, the suggestion. */
const PROBLEMS: readonly (readonly [marked: string, message: string, suggestion?: string])[] = [
  ['a «{{» b', '`{{` is never closed', 'Write `}}` where it ends'],
  ['«{%» if a', '`{%` is never closed', 'Write `%}` where it ends'],
  ['Pay «{{» n | length invoices?', '`{{` is never closed', 'Write `}}` where it ends'],
  ["Pay «{{» n, isn't it", '`{{` is never closed', 'Write `}}` where it ends'],
  ['Pay «{{» n invoices? {{ b }}', '`{{` is never closed', 'Write `}}` where it ends'],
  ['«{%» if a ? b', '`{%` is never closed', 'Write `%}` where it ends'],
  [
    '{{ a «?» {b: {c: 1}} }}',
    '`?` has no meaning in an expression',
    'Write `a if condition else b`, or `default()` for what may be missing',
  ],
  ['{{ a.b «}»', '`{{` is closed with `}}`, but this is a single `}`', '{{ a.b }}'],
  ['x {{ a.b «}» and more', '`{{` is closed with `}}`, but this is a single `}`', '{{ a.b }}'],
  ['{% if a «}» b', '`{%` is closed with `%}`, but this is a single `}`', '{% if a %}'],
  ['a «{#» b', '`{#` is never closed'],
  ['«{% raw %}» a', '`{% raw %}` is never closed', '{% endraw %}'],
  ['{{ «}}»', 'Expected an expression, found `}}`'],
  ['{{ a «b» }}', 'Expected `}}`, found `b`'],
  ['{{ a.«}}»', 'Expected the name of a field, found `}}`'],
  ['{{ a «!» b }}', '`!` has no meaning in an expression', 'not'],
  ['{{ a «&»& b }}', '`&` has no meaning in an expression', 'and'],
  ['{{ a |«|» b }}', '`|` has no meaning here', 'or'],
  ['{{ a «=» b }}', '`=` has no meaning here', '=='],
  ['{{ a ==«=» b }}', '`=` has no meaning here', '=='],
  ['{{ a !=«=» b }}', '`=` has no meaning here', '!='],
  [
    '{{ a «?» b : c }}',
    '`?` has no meaning in an expression',
    'Write `a if condition else b`, or `default()` for what may be missing',
  ],
  ['{{ «$»a }}', '`$` has no meaning in an expression'],
  ["{{ «'»abc }}", 'A quoted text is never closed', "'"],
  ['{{ «(»a }}', '`(` is not closed before `}`'],
  ['{{ a«]» }}', '`]` closes nothing', 'Remove the `]`'],
  ['{{ [1 «2»] }}', 'Expected `,` or `]`, found `2`'],
  ['{{ {1«}» }}', 'Expected `:`, found `}`'],
  ['{{ «in» a }}', 'Expected an expression, found `in`'],
  ['{{ «12345678901234567890» }}', 'This number is too large to be exact'],
  ['{{ «1e999» }}', 'This number is too large to be exact'],
  ['{{ a | «uper» }}', 'There is no filter `uper`', 'upper'],
  ['{{ a | «uppercase» }}', 'There is no filter `uppercase`', 'upper'],
  ["{{ a | map(«'lowercase'») }}", 'There is no filter `lowercase`', 'lower'],
  ['{{ a | «constructor» }}', 'There is no filter `constructor`', ALL_FILTERS],
  ['{{ a is «list» }}', 'There is no test `list`', 'sequence'],
  ['{{ a is «constructor» }}', 'There is no test `constructor`', ALL_TESTS],
  ['{{ a | «strip» }}', 'There is no filter `strip`', 'trim'],
  [
    '{{ a | first«.»b }}',
    'Reading a field of the result of a filter needs parentheses',
    '(… | first).',
  ],
  ['{{ a | upper(«1») }}', '`upper` takes no arguments'],
  ['{{ a | json(1, «2») }}', '`json` takes one argument'],
  ['{{ a | replace«(1)» }}', '`replace` needs `new`'],
  ['{{ a | «replace» }}', '`replace` needs `old`'],
  ['{{ a | sort(«atribute=1») }}', '`sort` has no argument `atribute`', 'attribute'],
  ['{{ a | indent(1, «width=1») }}', '`width` is passed twice'],
  ['{{ a | indent(width=1, «2») }}', 'Arguments without a name must come before those with one'],
  ['{{ a | select(«b») }}', '`select` needs the name of a test here, in quotes'],
  ["{{ a | select(«'od'») }}", 'There is no test `od`', 'odd'],
  ["{{ a | map(«'uper'») }}", 'There is no filter `uper`', 'upper'],
  ['{{ a | «map» }}', '`map` needs the name of a filter, or `attribute`'],
  ['{{ a is «defind» }}', 'There is no test `defind`', 'defined'],
  ['{{ «lenght»(a) }}', 'There is no function `lenght`; the only one is `range`'],
  ['{{ «length»(a) }}', 'There is no function `length`; the only one is `range`', 'value | length'],
  ['{{ «rang»(3) }}', 'There is no function `rang`; the only one is `range`', 'range'],
  ['{{ range«()» }}', '`range` needs `start`'],
  ['{{ a.«title»() }}', 'There is no method `title()`', '| title'],
  ['{{ a.«stripp»() }}', 'There is no method `stripp()`', 'strip'],
  ['{{ a.«append»(1) }}', 'There is no method `append()`'],
  ['{{ a[0]«(»1) }}', 'Only `range` and a few methods can be called'],
  ["{% «include» 'x' %}", '`{% include %}` is not supported'],
  ["{% «import» 'x' as y %}", '`{% import %}` is not supported'],
  ['{% «macro» a() %}{% endmacro %}', '`{% macro %}` is not supported'],
  ["{% «extends» 'x' %}", '`{% extends %}` is not supported'],
  ['{% «block» a %}{% endblock %}', '`{% block %}` is not supported'],
  ['{% «fore» x in y %}', 'There is no tag `fore`', 'for'],
  ['{% «%}»', 'Expected the name of a tag, found `%}`'],
  ['a «{%» if a %}b', '`{% if %}` is never closed', '{% endif %}'],
  ['«{%-» for a in b %}{% else %}', '`{% for %}` is never closed', '{% endfor %}'],
  ['«{%» set a %}b', '`{% set %}` is never closed', '{% endset %}'],
  ['a {% «endif» %}', '`{% endif %}` has no matching opening tag here'],
  ['{% for a in b %}{% «elif» a %}{% endfor %}', '`{% elif %}` has no matching opening tag here'],
  ['{% if a %}{% else «if» b %}{% endif %}', 'Expected `%}`, found `if`'],
  ['{% for a «of» b %}{% endfor %}', 'Expected `in`, found `of`'],
  ['{% for «loop» in b %}{% endfor %}', '`loop` is reserved for the loop itself'],
  ['{% set «true» = 1 %}', '`true` cannot be a name'],
  ['{% for «in» in b %}{% endfor %}', '`in` cannot be a name'],
  ['{% for a in b «recursive» %}{% endfor %}', '`recursive` is not supported'],
  ['{% set «a».b = 1 %}', 'Only a name can be set, not a field'],
];

describe('a source that is not a template', () => {
  it.each(PROBLEMS)('%s', (...[marked = '', message, suggestion]) => {
    const [before = '', inside = ''] = marked.split(/[«»]/);
    const problem = problemOf(parseTemplate(marked.replace(/[«»]/g, '')));
    expect(problem).toEqual({
      message,
      offset: before.length,
      length: inside.length,
      ...(suggestion === undefined ? {} : { suggestion }),
    });
  });

  it.each([
    ['', 'Expected an expression, found the end', 0],
    ['  ', 'Expected an expression, found the end', 2],
    ['a ==', 'Expected an expression, found the end', 4],
    ['exit_code = 0', '`=` has no meaning here', 10],
    ['a b', 'Expected the end, found `b`', 2],
    ['(a', '`(` is never closed', 0],
    ['{{ a }}', 'A key', -1],
  ])('a bare expression: %j', (source, message, offset) => {
    const problem = problemOf(parseExpression(source));
    if (offset === -1) expect(problem.message).toMatch(/^Expected/);
    else expect(problem).toMatchObject({ message, offset });
  });
});
