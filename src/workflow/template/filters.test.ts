import { describe, expect, it } from 'vitest';
import { failureOf, resultOf } from './evaluating.cases.ts';
import { FILTERS } from './filters.ts';
import { TESTS } from './evaluate/tests.ts';

const names = {
  rows: [
    { name: 'x', size: 3, state: 'open', by: { team: 'b' } },
    { name: 'y', size: 1, state: 'done', by: { team: 'A' } },
    { name: 'Z', size: 2, state: 'open', by: { team: 'c' } },
  ],
  tags: ['b', 'A', 'c', 'a'],
  map: { b: 1, A: 2 },
  lines: 'one\ntwo\n\nthree',
  nothing: null,
};

const FILTER_CASES: readonly (readonly [string, unknown])[] = [
  [`nothing | default('x')`, 'x'],
  [`missing | default('x')`, 'x'],
  [`missing.at.all[0] | d`, ''],
  [`'' | default('x')`, ''],
  [`'' | default('x', true)`, 'x'],
  [`0 | default(1, boolean=true)`, 1],
  [`false | default(true)`, false],
  [`missing | default(gone) | default('z')`, 'z'],
  [`1 | default(gone)`, 1],
  [`[rows | length, 'abc' | length, map | count, '😀' | length]`, [3, 3, 2, 1]],
  [`map | json`, '{\n  "b": 1,\n  "A": 2\n}'],
  [`[] | json ~ {} | json`, '[]{}'],
  [`map | tojson`, '{"b":1,"A":2}'],
  [`[1] | tojson(indent=1)`, '[\n 1\n]'],
  [`'a"<b>' | tojson`, '"a\\"<b>"'],
  [`[1, 'a', none] | string`, '[1,"a",null]'],
  [`'ÉCOLE' | lower ~ 'straße' | upper`, 'écoleSTRASSE'],
  [`'hello WORLD' | capitalize`, 'Hello world'],
  [`'foo-bar (baz' | title`, 'Foo-Bar (Baz'],
  [`'  x ' | trim ~ '|' ~ 'xxaxx' | trim('x')`, 'x|a'],
  [`'aaa' | replace('a', 'b', 2)`, 'bba'],
  [`'a, b' | split(', ')`, ['a', 'b']],
  [`'a b c' | split(none, 1)`, ['a', 'b c']],
  [`'' | split`, []],
  [`'hello world foo' | truncate(11)`, 'hello world foo'],
  [`'hello world foo bar' | truncate(11)`, 'hello...'],
  [`'hello world' | truncate(9, true, leeway=0)`, 'hello ...'],
  [`'hello big world' | truncate(12, end='…', leeway=0)`, 'hello big…'],
  [`'😀😀😀😀' | truncate(3, true, '.', 0)`, '😀😀.'],
  [`lines | indent(2)`, 'one\n  two\n\n  three'],
  [`lines | indent('> ', first=true, blank=true)`, '> one\n> two\n> \n> three'],
  [
    `['42' | int, 3.9 | int, -3.9 | int, ' 7 ' | int, true | int, '1e2' | int]`,
    [42, 3, -3, 7, 1, 100],
  ],
  [
    `['12345678901234567890' | int(9), '1763304000000000000' | int, '+007' | int]`,
    [9, 1763304000000000000, 7],
  ],
  [`['x' | int(9), 'x' | int(default=none), '' | float(1.5)]`, [9, null, 1.5]],
  [`'3.5' | float`, 3.5],
  [`[2.567 | round(2), 2.5 | round, -2.5 | round, 1234 | round(-2)]`, [2.57, 3, -3, 1200]],
  [`[2.1 | round(0, 'ceil'), 2.91 | round(1, method='floor')]`, [3, 2.9]],
  [`-3 | abs`, 3],
  [`rows | map(attribute='name') | join(', ')`, 'x, y, Z'],
  [`rows | join('/', attribute='by.team')`, 'b/A/c'],
  [`rows | map(attribute='nope', default='?') | first`, '?'],
  [`tags | map('upper') | join`, 'BACA'],
  [`['aa'] | map('replace', 'a', 'b')`, ['bb']],
  [`[[1, 2], [3]] | map('sum')`, [3, 3]],
  [`[none, 1] | map('default', 'z')`, ['z', 1]],
  [`[[1, 2]] | map('map', 'string')`, [['1', '2']]],
  [`[[1, 'a'], [2, 'b']] | map(attribute=1)`, ['a', 'b']],
  [`rows | selectattr('state', 'equalto', 'open') | map(attribute='size') | sum`, 5],
  [`rows | rejectattr('size', 'gt', 1) | map(attribute='name')`, ['y']],
  [`rows | selectattr('by.team', 'in', ['b', 'c']) | length`, 2],
  [`rows | selectattr('nope', 'defined')`, []],
  [`[0, 1, '', none, 'a'] | select`, [1, 'a']],
  [`[1, 2, 3] | reject('odd')`, [2]],
  [`rows | sum(attribute='size') + ([1] | sum(start=10))`, 17],
  [`[3, 1, 2] | sort(reverse=true)`, [3, 2, 1]],
  [`tags | sort`, ['A', 'a', 'b', 'c']],
  [`tags | sort(case_sensitive=true)`, ['A', 'a', 'b', 'c']],
  [`['b', 'B', 'A'] | sort(case_sensitive=true)`, ['A', 'B', 'b']],
  [`rows | sort(attribute='size') | map(attribute='name')`, ['y', 'Z', 'x']],
  [`tags | unique`, ['b', 'A', 'c']],
  [`[1, '1', {'a': 1, 'b': 2}, {'b': 2, 'a': 1}, 1] | unique`, [1, '1', { a: 1, b: 2 }]],
  [`[[3, 1] | min, [3, 1] | max]`, [1, 3]],
  [`(rows | max(attribute='size')).name ~ ([] | min | default('-'))`, 'x-'],
  [
    `[tags | first, tags | last, [] | first | default('none'), 'abc' | first]`,
    ['b', 'a', 'none', 'a'],
  ],
  [`[none] | first`, null],
  [
    `[map | list, 'ab' | list]`,
    [
      ['b', 'A'],
      ['a', 'b'],
    ],
  ],
  [
    `map | items`,
    [
      ['b', 1],
      ['A', 2],
    ],
  ],
  [
    `map | dictsort`,
    [
      ['A', 2],
      ['b', 1],
    ],
  ],
  [
    `map | dictsort(by='value', reverse=true)`,
    [
      ['A', 2],
      ['b', 1],
    ],
  ],
  [`[[1, 2] | reverse, 'ab' | reverse]`, [[2, 1], 'ba']],
];

const TEST_CASES: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['defined', ['map', 'nothing'], ['missing', 'map.nope.more']],
  ['undefined', ['missing'], ['map']],
  ['none', ['nothing'], ['0']],
  ['None', ['nothing'], ['0']],
  ['null', ['nothing'], ['0']],
  ['true', ['true'], ['1']],
  ['True', ['true'], ['1']],
  ['false', ['false'], ['0', 'none']],
  ['False', ['false'], ['0']],
  ['string', [`''`], ['1']],
  ['number', ['1', '1.5'], ['true', `'1'`]],
  ['integer', ['1', '2.0'], ['1.5', 'true']],
  ['float', ['1.5'], ['1', `'1.5'`]],
  ['boolean', ['true'], ['1']],
  ['mapping', ['map'], ['tags']],
  ['sequence', ['tags', `'a'`], ['1']],
  ['iterable', ['tags', 'map'], ['none']],
  ['even', ['2', '0'], ['3', '1.5']],
  ['odd', ['3', '-3'], ['2', '1.5']],
  ['divisibleby 3', ['9'], ['10']],
  ['lower', [`'abc'`], [`'aBc'`]],
  ['upper', [`'ABC'`], [`'aBC'`]],
  ['eq 1', ['1'], [`'1'`]],
  ['equalto 1', ['1'], ['true']],
  ['ne 1', [`'1'`], ['1']],
  ['lt(2)', ['1'], ['2']],
  ['lessthan(2)', ['1'], ['2']],
  ['le(2)', ['2'], ['3']],
  ['gt(2)', ['3'], ['2']],
  ['greaterthan(2)', ['3'], ['2']],
  ['ge(2)', ['2'], ['1']],
  [`in ['a', 'b']`, [`'a'`], [`'c'`]],
];

describe('a filter', () => {
  it.each(FILTER_CASES)('%s', (source, expected) => {
    expect(resultOf(source, names)).toEqual(expected);
  });

  it('is never without a case here', () => {
    const text = FILTER_CASES.map(([source]) => source).join('\n');
    const without = [...FILTERS.keys()].filter((name) => !new RegExp(`\\| ${name}\\b`).test(text));
    expect(without).toEqual([]);
  });

  it.each([
    [`none | lower`, '`lower` works on text, not on null'],
    [`[1] | trim`, '`trim` works on text, not on a list'],
    [`'x' | int`, '`int` cannot convert this text to a number'],
    [
      `'12345678901234567890' | int`,
      '`int` cannot convert this text: the number is too large to be exact',
    ],
    [`none | float`, '`float` cannot convert null to a number'],
    [`'x' | abs`, '`abs` works on a number, not on a string'],
    [`1 | join`, '`join` works on a list, not on a number'],
    [`5 | length`, '`length` does not work on a number'],
    [`[1] | items`, '`items` works on an object, not on a list'],
    [`[1, 'a'] | sum`, '`sum` cannot add a string'],
    [`[1, 'a'] | sort`, 'No order is defined between a string and a number'],
    [`[] | first`, '`first` has nothing to choose from: the list is empty'],
    [`rows | map(attribute='nam')`, '`nam` does not exist; did you mean `name`?'],
    [`rows | selectattr('nope')`, '`nope` does not exist'],
    [`'a' | replace('', 'b')`, '`old` must not be empty'],
    [`'a' | split('')`, '`separator` must not be empty'],
    [`1 | round('x')`, '`precision` must be a whole number'],
    [`'abc' | truncate(1)`, '`length` must have room for `end`, and `leeway` must not be negative'],
  ])('explains its failure: %s', (source, message) => {
    expect(failureOf(() => resultOf(source, names)).message).toBe(message);
  });
});

describe('a test', () => {
  it.each(TEST_CASES)('is %s', (test, yes, no) => {
    for (const value of yes)
      expect([value, resultOf(`${value} is ${test}`, names)]).toEqual([value, true]);
    for (const value of no)
      expect([value, resultOf(`${value} is ${test}`, names)]).toEqual([value, false]);
    for (const value of yes) expect(resultOf(`${value} is not ${test}`, names)).toBe(false);
  });

  it('is never without a case here, except symbols, which are names of comparisons in `select`', () => {
    const tested = new Set(TEST_CASES.map(([test]) => /^\w+/.exec(test)?.[0]));
    expect([...TESTS.keys()].filter((name) => /^\w/.test(name) && !tested.has(name))).toEqual([]);
    expect(resultOf(`[1, 2, 3] | select('>=', 2) | select('!=', 3) | select('==', 2)`)).toEqual([
      2,
    ]);
  });

  it('needs a value of its own type', () => {
    expect(failureOf(() => resultOf(`'a' is even`)).message).toBe(
      'The test needs a number, not a string',
    );
  });
});
