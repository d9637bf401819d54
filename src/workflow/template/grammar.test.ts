import { describe, expect, it } from 'vitest';
import { resultOf, textOf, valueOf } from './evaluating.cases.ts';

const names = {
  n: 5,
  s: 'abc',
  t: true,
  nothing: null,
  list: [3, 1, 2],
  rows: [
    { id: 1, tags: ['x'] },
    { id: 2, tags: [] },
  ],
  map: { b: 2, a: 1 },
  emoji: 'h😀y',
};

describe('an expression', () => {
  it.each([
    // literals
    ['1_000', 1000],
    ['1.5e3', 1500],
    [`'it\\'s'`, "it's"],
    [`"a\\n\\t\\\\\\"b"`, 'a\n\t\\"b'],
    [`'\\x41\\u00e9\\d'`, 'Aé\\d'],
    [`'one ' "two"`, 'one two'],
    ['[true, True, false, False]', [true, true, false, false]],
    ['[none, None, null]', [null, null, null]],
    ['[1, [2, 3],]', [1, [2, 3]]],
    ['(1, 2)', [1, 2]],
    ['(1,)', [1]],
    ['()', []],
    [`{'a': 1, 'b': {'c': []}}`, { a: 1, b: { c: [] } }],
    ['{}', {}],
    // paths
    ['rows[0].id', 1],
    ['rows.1.id', 2],
    ['rows[-1]["tags"]', []],
    ['rows.0.tags.0', 'x'],
    [`map['a' ~ '']`, 1],
    ['s[0] ~ s[-1]', 'ac'],
    ['emoji[1]', '😀'],
    [`{'0': 'zero'}[0]`, 'zero'],
    // slices
    ['s[1:]', 'bc'],
    ['s[:-1]', 'ab'],
    ['s[::-1]', 'cba'],
    ['list[1:]', [1, 2]],
    ['list[::2]', [3, 2]],
    ['list[-1:0:-1]', [2, 1]],
    ['list[7:]', []],
    ['list[-9:2]', [3, 1]],
    ['emoji[::-1]', 'y😀h'],
    // arithmetic
    ['n + 2 * 3 - 4 / 2', 9],
    ['7 // 2', 3],
    ['-7 // 2', -4],
    ['-7 % 3', 2],
    ['7 % -3', -2],
    ['2 ** 3 ** 2', 64],
    ['-2 ** 2', 4],
    ['2 ** -1', 0.5],
    ['0 * -1', 0],
    ['--n', 5],
    ['+n', 5],
    [`'a' + 'b'`, 'ab'],
    [`'ab' * 2`, 'abab'],
    [`'ab' * -1`, ''],
    ['[1] * 2 + [2]', [1, 1, 2]],
    [`1 ~ 2 * 3`, '16'],
    [`'a' ~ 1.5 ~ true ~ none ~ [1]`, 'a1.5truenull[1]'],
    // comparison
    ['1 < 2 < 3', true],
    ['1 < 3 < 2', false],
    ['1 == 1 != 2', true],
    [`3 == '3'`, false],
    ['1 == true', false],
    ['0 == false', false],
    [`none == ''`, false],
    [`{'a': [1, 2], 'b': 3} == {'b': 3, 'a': [1, 2]}`, true],
    [`[1, [2]] != [1, [3]]`, true],
    [`'a' < 'b'`, true],
    [`'b' in s`, true],
    [`'' in s`, true],
    ['4 not in list', true],
    [`'a' in map`, true],
    [`[2] in [[1], [2]]`, true],
    ['not n in list', true],
    // logic
    ['t and n', 5],
    [`nothing or 'else'`, 'else'],
    [`'' or 0 or []`, []],
    ['not not n', true],
    ['not n == 5', false],
    [`1 if t else 2`, 1],
    [`1 if nothing else 2 if nothing else 3`, 3],
    [`'x' if nothing`, ''],
    ['t or missing', true],
    ['nothing and missing', null],
    ['1 < 0 < missing', false],
    // filters and tests
    ['-3 | abs', 3],
    ['list | sort | first', 1],
    ['(rows | first).id', 1],
    ['n is odd and n is not even', true],
    ['n is divisibleby 5', true],
    ['n is in [1, 5]', true],
    [`1 + '2' | int`, 3],
    ['range(3)', [0, 1, 2]],
    ['range(1, 6, 2)', [1, 3, 5]],
    ['range(2, 0, -1)', [2, 1]],
    ['range(3, 3)', []],
    // methods
    [
      `map.items()`,
      [
        ['b', 2],
        ['a', 1],
      ],
    ],
    ['map.keys()', ['b', 'a']],
    ['map.values()', [2, 1]],
    [`map.get('a')`, 1],
    [`map.get('z')`, null],
    [`map.get('z', 0)`, 0],
    [`' a b '.strip().upper().lower()`, 'a b'],
    [`s.startswith('ab') and s.endswith('c')`, true],
    [`'a,b,c'.split(',')`, ['a', 'b', 'c']],
    [`'a,b,c'.split(',', 1)`, ['a', 'b,c']],
    [`' a  b '.split()`, ['a', 'b']],
    [`s.replace('b', '-')`, 'a-c'],
    [`', '.join(list)`, '3, 1, 2'],
  ])('%s', (source, expected) => {
    expect(resultOf(source, names)).toEqual(expected);
    expect(valueOf(`{{ ${source} }}`, names)).toEqual(expected);
  });

  it('may span lines and touch its braces', () => {
    expect(valueOf('{{n\n+\n1}}', names)).toBe(6);
  });

  it('reads `{{-5}}` as Jinja does, with a sign that removes white space', () => {
    expect(textOf('a {{-5}}')).toBe('a5');
  });
});

describe('a statement', () => {
  it.each([
    ['{% if n > 5 %}gt{% elif n == 5 %}eq{% else %}lt{% endif %}', 'eq'],
    ['{% if nothing %}a{% elif t %}{% if n %}b{% endif %}{% endif %}', 'b'],
    ['{% for x in list %}{{ x }}{% if not loop.last %}, {% endif %}{% endfor %}', '3, 1, 2'],
    ['{% for x in list if x > 1 %}{{ loop.index }}/{{ loop.length }} {% endfor %}', '1/2 2/2 '],
    ['{% for x in [] %}x{% else %}none{% endfor %}', 'none'],
    ['{% for x in list if x > 9 %}x{% else %}none{% endfor %}', 'none'],
    ['{% for k, v in map.items() %}{{ k }}={{ v }};{% endfor %}', 'b=2;a=1;'],
    ['{% for (k, v) in map | dictsort %}{{ k }}={{ v }};{% endfor %}', 'a=1;b=2;'],
    ['{% for k in map %}{{ k }}{% endfor %}', 'ba'],
    ['{% for c in emoji %}[{{ c }}]{% endfor %}', '[h][😀][y]'],
    [
      '{% for x in [1, 2] %}{% for y in [3] %}{{ x * y }}{% endfor %}{{ loop.index0 }}{% endfor %}',
      '3061',
    ],
    [
      '{% for x in list %}{{ loop.previtem | default("-") }}{{ loop.nextitem | default("+") }}{% endfor %}',
      '-1321+',
    ],
    [
      '{% for x in [1] %}{{ loop.first }}{{ loop.revindex }}{{ loop.revindex0 }}{% endfor %}',
      'true10',
    ],
    ['{% set x = 1 %}{% for i in [2, 3] %}{% set x = i %}{{ x }}{% endfor %}{{ x }}', '231'],
    ['{% set x = 1 %}{% if t %}{% set x = 2 %}{% endif %}{{ x }}', '2'],
    ['{% set a, b = [1, 2] %}{{ b }}{{ a }}', '21'],
    ['{% set note %}n is {{ n }}{% endset %}{{ note | upper }}', 'N IS 5'],
    ['{% for n in [1] %}{{ n }}{% endfor %}{{ n }}', '15'],
    ['a{# not seen {{ #}b', 'ab'],
    ['{% raw %}{{ as }} {% is %}{% endraw %}', '{{ as }} {% is %}'],
    ['{ {not} } %} }}', '{ {not} } %} }}'],
  ])('%s', (source, expected) => {
    expect(textOf(source, names)).toBe(expected);
  });

  it.each([
    ['a {%- if t -%} b {%- endif -%} c', 'abc'],
    ['a {{- s -}} b', 'aabcb'],
    ['a {#- x -#} b', 'ab'],
    ['a\n{%+ if t +%}\nb{% endif %}', 'a\n\nb'],
    ['x {%- raw -%} y {%- endraw -%} z', 'xyz'],
    ['a\n', 'a\n'],
    ['{% if t %}\n{% endif %}\n', '\n\n'],
  ])('handles white space as written: %j', (source, expected) => {
    expect(textOf(source, names)).toBe(expected);
  });
});
