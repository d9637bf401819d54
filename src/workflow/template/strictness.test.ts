import { describe, expect, it } from 'vitest';
import { detailsOf, failureOf, guardOf, resultOf, textOf, valueOf } from './evaluating.cases.ts';

const names = {
  classify: { output: { label: 'bug', score: null, tags: ['a'] } },
  workflow: { input: { secret: 'hunter two' } },
};

describe('a missing value', () => {
  it.each([
    ['clasify.output', '`clasify` does not exist; did you mean `classify`?'],
    ['classify.output.lable', '`classify.output.lable` does not exist; did you mean `label`?'],
    [`classify['output']['lable']`, "`classify['output']['lable']` does not exist"],
    [
      'classify.output.label.text',
      '`classify.output.label` is a string, so `classify.output.label.text` does not exist',
    ],
    [
      'classify.output.score.x',
      '`classify.output.score` is null, so `classify.output.score.x` does not exist',
    ],
    ['classify.output.tags[3]', '`classify.output.tags[3]` does not exist'],
    [
      'classify.output.tags.length',
      '`classify.output.tags` is a list, so `classify.output.tags.length` does not exist',
    ],
    [
      'classify.output.label.upper',
      '`classify.output.label` is a string, so `classify.output.label.upper` does not exist; did you mean `upper()`?',
    ],
    ['never_ran.output.x', '`never_ran` does not exist'],
    ['classify.constructor', '`classify.constructor` does not exist'],
    ['classify.__proto__', '`classify.__proto__` does not exist'],
    ['toString', '`toString` does not exist'],
    ['loop.index', '`loop` does not exist'],
  ])('is a failure anywhere: %s', (source, message) => {
    expect(failureOf(() => resultOf(source, names)).message).toBe(message);
    expect(failureOf(() => textOf(`a {{ ${source} }}`, names)).message).toBe(message);
    expect(failureOf(() => guardOf(source, names)).message).toBe(message);
    expect(failureOf(() => guardOf(`{% if ${source} %}1{% endif %}`, names)).message).toBe(message);
  });

  it.each([
    'missing or 1',
    'missing | upper | default(1)',
    'missing == none',
    'missing in [1]',
    '[missing]',
    'missing is none',
    'classify.output[missing] | default(1)',
  ])('is not ignored by %s', (source) => {
    expect(failureOf(() => resultOf(source, names)).message).toBe('`missing` does not exist');
  });

  it('is allowed along the whole path by `default` and `is defined`', () => {
    expect(resultOf(`never_ran.output.x | default('y')`, names)).toBe('y');
    expect(resultOf(`classify.output.label.deep[0].er | default('y')`, names)).toBe('y');
    expect(resultOf(`(classify.nope if true else 1) | default('y')`, names)).toBe('y');
    expect(resultOf(`never_ran.get('x') | default('y')`, names)).toBe('y');
    expect(resultOf('never_ran.output.x is defined', names)).toBe(false);
    expect(resultOf('classify.output.score is defined', names)).toBe(true);
    expect(resultOf('classify.output.nope.more is undefined', names)).toBe(true);
  });

  it('is reported with its position in the source', () => {
    const source =
      'First line\n  {{ classify.output.label }} and {{ classify.output.lable | upper }}';
    expect(detailsOf(() => textOf(source, names))).toEqual({
      expression: 'classify.output.lable',
      offset: 48,
      line: 2,
      column: 38,
    });
  });
});

describe('types', () => {
  it.each([
    [`1 < 'a'`, 'No order is defined between a number and a string'],
    ['[1] < [2]', 'No order is defined between a list and a list'],
    ['true < 2', 'No order is defined between a boolean and a number'],
    [`1 + 'a'`, '`+` does not work between a number and a string; `~` joins texts'],
    ['none - 1', '`-` does not work between null and a number'],
    [`'a' * 1.5`, 'The number of repetitions must be a whole number'],
    [`-'a'`, '`-` works on a number, not on a string'],
    ['1 / 0', 'Division by zero'],
    ['1 // 0', 'Division by zero'],
    ['1 % 0', 'Division by zero'],
    ['10 ** 400', 'The result is not a finite number'],
    ['(-8) ** 0.5', 'The result is not a finite number'],
    ['1 in 5', '`in` does not work between a number and a number'],
    [`1 in 'a1'`, '`in` does not work between a number and a string'],
    ['{1: 2}', 'A key must be a string, not a number'],
    ['5[1:]', 'Only text and lists can be sliced, not a number'],
    [`'a'['x':]`, 'A slice needs whole numbers, not a string'],
    ['[1][::0]', 'The step of a slice cannot be zero'],
    ['range(1.5)', '`range` needs whole numbers, not a number'],
    ['range(1, 2, 0)', 'The step of `range` cannot be zero'],
    ['[1].items()', '`items()` works on an object, not on a list'],
    ['5 .lower()', '`lower()` works on a string, not on a number'],
  ])('are never converted implicitly: %s', (source, message) => {
    expect(failureOf(() => resultOf(source, names)).message).toBe(message);
  });

  it.each([
    ['{% for x in 5 %}{% endfor %}', 'A number has no items'],
    ['{% for a, b in [[1, 2], [3]] %}{% endfor %}', 'Expected a list of 2, one for each name'],
    ['{% set a, b = 1 %}', 'Expected a list of 2, one for each name'],
  ])('are checked in statements too: %s', (source, message) => {
    expect(failureOf(() => textOf(source)).message).toBe(message);
  });
});

describe('a failure', () => {
  it.each([
    `workflow.input.secret + 1`,
    `workflow.input.secret | int`,
    `workflow.input.secret.x`,
    `workflow.input[workflow.input.secret]`,
    `workflow.input.secret < 1`,
    `range(workflow.input.secret)`,
    `[classify] | sum(attribute=workflow.input.secret)`,
    `[classify] | selectattr(workflow.input.secret)`,
    `{workflow.input.secret: 1}.hunter`,
    `1 | round(0, workflow.input.secret)`,
    `workflow.input.secret.join(1)`,
    `'a' is divisibleby workflow.input.secret`,
  ])('does not reveal the value of a name: %s', (source) => {
    const { report } = failureOf(() => valueOf(`{{ ${source} }}`, names));
    expect(JSON.stringify(report)).not.toContain('hunter');
  });

  it('has its kind and the action from the catalog', () => {
    const { report } = failureOf(() => resultOf('x'));
    expect(report).toMatchObject({
      kind: 'validation.template',
      category: 'configuration',
      action: { kind: 'fix_file' },
    });
  });
});
