import { describe, expect, it } from 'vitest';
import { failureOf, guardOf, parsed, resultOf, textOf, valueOf } from './evaluating.cases.ts';
import { contextOf } from './context.ts';
import { evaluateTemplate, parseExpression, parseTemplate, renderText } from './template.ts';

const names = {
  n: 3,
  list: [1, 'a'],
  map: { a: null },
  text: '{"a": 1}',
  version: '1.10',
  on: true,
};

describe('a value', () => {
  it.each([
    ['{{ n }}', 3],
    ['  {{ n }}\n', 3],
    ['{{ n }} {# how many #}', 3],
    ['{{ list }}', [1, 'a']],
    ['{{ map.a }}', null],
    ['{{ text }}', '{"a": 1}'],
    ['{{ n }}{{ n }}', '33'],
    ['n: {{ n }}', 'n: 3'],
    ['{% if on %}{{ n }}{% endif %}', '3'],
    ['1.10', '1.10'],
    ['{{ version }} ', '1.10'],
    ['true', 'true'],
    ['"x"', '"x"'],
    ['', ''],
  ])('keeps its type only as a single expression: %j', (source, expected) => {
    expect(valueOf(source, names)).toEqual(expected);
  });

  it.each([
    ['{"n": {{ n }}, "list": {{ list }}}', { n: 3, list: [1, 'a'] }],
    [' [{{ n }}, {{ map | tojson }}]\n', [3, { a: null }]],
    ['{% if on %}[1]{% endif %}', [1]],
    ['{}', {}],
    ['{a, b}', '{a, b}'],
    ['[{{ n }}', '[3'],
    ['{"a": 1} {"b": 2}', '{"a": 1} {"b": 2}'],
    ['[1e999]', '[1e999]'],
    ['{"id": 9007199254740993}', '{"id": 9007199254740993}'],
    ['[{{ n }}, 1763304000000000000, 0.1]', [3, 1_763_304_000_000_000_000, 0.1]],
  ])('is parsed where the whole text is a JSON object or list: %j', (source, expected) => {
    expect(valueOf(source, names)).toEqual(expected);
  });

  it('has `__proto__` as a key like any other', () => {
    const made = valueOf(`{{ {'__proto__': 1} }}`);
    expect(Object.keys(made as object)).toEqual(['__proto__']);
    expect(resultOf(`{'__proto__': 7}.__proto__`)).toBe(7);
    expect(valueOf('{"__proto__": {{ n }} }', names)).toEqual(JSON.parse('{"__proto__": 3}'));
  });
});

describe('text', () => {
  it('prints every value as JSON, except text itself', () => {
    const values = { values: [1, 1.5, -0, true, null, 'a "b"', [1, 'x'], { k: [] }] };
    const source = '{% for value in values %}{{ value }}|{% endfor %}';
    expect(textOf(source, values)).toBe('1|1.5|0|true|null|a "b"|[1,"x"]|{"k":[]}|');
  });

  it('is text even where a value would have another type', () => {
    expect(textOf(' {{ n }}\n', names)).toBe(' 3\n');
    expect(textOf('{"n": {{ n }}}', names)).toBe('{"n": 3}');
    expect(renderText(parsed(parseExpression('list')), contextOf(names))).toBe('[1,"a"]');
  });
});

describe('a guard', () => {
  it.each([
    ['n == 3', true],
    [`n >= 2 and version == '1.10'`, true],
    ['list', true],
    ['map.a', false],
    ['{{ n > 5 }}', false],
    ['{{ list | length }}', true],
    ['{% if on %} TRUE {% endif %}', true],
    ['{% if on %}yes{% else %}no{% endif %}', true],
    ['{{ n }}{{ "" }}{# text #} ', undefined],
    ['{% if not on %}true{% endif %}', false],
    ['{% if on %}0{% endif %}', false],
    ['{% if on %}No{% endif %}', false],
    ['{% if on %}1{% endif %}', true],
    ['{% if on %}perhaps{% endif %}', undefined],
  ])('%s', (source, expected) => {
    if (expected !== undefined) expect(guardOf(source, names)).toBe(expected);
    else
      expect(failureOf(() => guardOf(source, names)).message).toBe(
        'A guard must be true or false, but this text is neither',
      );
  });
});

describe('a template', () => {
  it('knows whether it is a single expression', () => {
    const isSingle = (source: string): boolean => parsed(parseTemplate(source)).isSingleExpression;
    expect(isSingle(' {{ a }} ')).toBe(true);
    expect(isSingle('{{ a }}{{ b }}')).toBe(false);
    expect(isSingle('a')).toBe(false);
    expect(parsed(parseExpression('a')).isSingleExpression).toBe(true);
  });

  it('is parsed once and cannot be changed', () => {
    const template = parsed(parseTemplate('{{ once }}'));
    expect(parsed(parseTemplate('{{ once }}'))).toBe(template);
    expect(Object.isFrozen(template)).toBe(true);
    expect(Object.isFrozen(template.references)).toBe(true);
  });

  it('is not confused with a bare expression of the same source', () => {
    expect(parsed(parseTemplate('n')).isSingleExpression).toBe(false);
    expect(resultOf('n', names)).toBe(3);
    expect(valueOf('n', names)).toBe('n');
  });

  it('reads names from the scope only when needed', () => {
    const asked: string[] = [];
    const scope = {
      lookup: (name: string) => (asked.push(name), name === 'a' ? 1 : undefined),
      names: () => ['a'],
    };
    expect(evaluateTemplate(parsed(parseTemplate('{{ a if a else b }}')), scope)).toBe(1);
    expect(asked).toEqual(['a', 'a']);
  });

  it('returns the value it reads without copying it', () => {
    const big = { rows: Array.from({ length: 300_000 }, (_, index) => index) };
    expect(valueOf(`{{ big if 'x' in ['x'] else [] }}`, { big })).toBe(big);
    expect(valueOf('{{ big.nope | default(big.rows) }}', { big })).toBe(big.rows);
  });
});
