/** `docs/reference/templates.md`: the filters, tests and methods that templates have. */
import { FILTERS } from '../../src/workflow/template/filters.ts';
import { METHODS } from '../../src/workflow/template/evaluate/methods.ts';
import type { Signature } from '../../src/workflow/template/signature.ts';
import { TESTS } from '../../src/workflow/template/evaluate/tests.ts';

export const TEMPLATES_PAGE = 'docs/reference/templates.md';

const FILTER_TEXTS: Readonly<Record<string, string>> = {
  default:
    'what to take where the value, or anything along its path, is missing; with `true` as second argument also where it is empty',
  d: 'the same as `default`',
  length: 'how many characters, items or keys',
  count: 'the same as `length`',
  string: 'as text',
  json: 'as JSON, indented',
  tojson: 'as JSON in one line',
  lower: 'in small letters',
  upper: 'in capitals',
  capitalize: 'the first letter as a capital, the others small',
  title: 'the first letter of each word as a capital',
  trim: 'without white space, or other characters, at both ends',
  replace: 'with one text in place of another',
  split: 'a list of the parts between separators',
  truncate: 'cut to a length, with `…` or another end',
  indent: 'each line indented',
  int: 'as a whole number',
  float: 'as a number',
  abs: 'without its sign',
  round: 'rounded; `method` is `common`, `ceil` or `floor`',
  list: 'as a list',
  first: 'the first item',
  last: 'the last item',
  join: 'the items as one text, with something between them',
  sum: 'the items added up',
  reverse: 'the other way round',
  items: 'a map as a list of `[key, value]`',
  sort: 'sorted',
  min: 'the least item',
  max: 'the greatest item',
  unique: 'each item once',
  dictsort: 'a map as a sorted list of `[key, value]`',
  select: 'the items for which a test holds: `select("odd")`',
  reject: 'the items for which a test does not hold',
  selectattr: 'the items for whose field a test holds: `selectattr("state", "equalto", "done")`',
  rejectattr: 'the items for whose field a test does not hold',
  map: 'a field of each item, `map(attribute="id")`, or a filter of each, `map("upper")`',
};

const TEST_TEXTS: Readonly<Record<string, string>> = {
  defined: 'it is there, and everything along its path',
  undefined: 'it, or something along its path, is missing',
  'none, None, null': 'it is null',
  'true, True': 'it is `true`',
  'false, False': 'it is `false`',
  string: 'it is a text',
  number: 'it is a number',
  integer: 'it is a whole number',
  float: 'it is a number that is not whole',
  boolean: 'it is `true` or `false`',
  mapping: 'it is a map',
  'sequence, iterable': 'it is a list, a map or a text',
  even: 'it is an even number',
  odd: 'it is an odd number',
  divisibleby: 'it can be divided by a number',
  lower: 'it is a text in small letters',
  upper: 'it is a text in capitals',
  'eq, equalto, ==': 'it equals another value',
  'ne, !=': 'it does not equal another value',
  'lt, lessthan, <': 'it is less',
  'le, <=': 'it is less or equal',
  'gt, greaterthan, >': 'it is greater',
  'ge, >=': 'it is greater or equal',
  in: 'it is an item of a list, a key of a map or a part of a text',
};

export function renderTemplates(): string {
  return [
    '# Templates',
    '<!-- Made by `npm run docs` from src/workflow/template. Do not edit. -->',
    'Templates are Jinja: `{{ expression }}`, `{% if %}`, `{% for %}`, `{% set %}` and `{# comment #}`. A value that is a single `{{ expression }}` keeps its type. A name or a field that is not there is an error; `default` and `is defined` allow for it.',
    '## Names',
    NAMES,
    '## Filters',
    'Behind a value and a `|`: `{{ ticket.title | upper | truncate(40) }}`. An argument with `?` may be left out.',
    table('filter', FILTERS, FILTER_TEXTS),
    '## Tests',
    'After `is` or `is not`: `{{ "yes" if count is even else "no" }}`.',
    table('test', TESTS, TEST_TEXTS),
    '## Methods',
    table('method', METHODS, {}),
  ]
    .join('\n\n')
    .concat('\n');
}

const NAMES = `| name | what it is | where |
|---|---|---|
| \`workflow.input.NAME\` | an input | everywhere |
| \`workflow.name\`, \`workflow.dir\`, \`workflow.file\` | the workflow, its folder and its file; both are relative to the folder of the file that the run was started with, in which scripts run | everywhere |
| \`NODE.output.FIELD\` | what a node gave | after it ran |
| \`NODE.error.kind\`, \`.message\`, \`.details\` | the failure of a node | after it failed |
| \`GROUP.outputs\`, \`GROUP.errors\` | what the members gave and how they failed: maps by name, or by key with \`key_by\`; the outputs of a \`for_each\` without it are a list with one entry for each item, in which a member that failed is \`null\`: \`{{ each.outputs \\| select("mapping") \\| list \\| length }}\` counts those that gave a map | after the group |
| \`state.KEY\` | what nodes share | everywhere |
| \`output\`, \`error\` | what this node gave, or its failure | its \`routes\` and \`assert\` |
| \`failing.node\`, \`failing.error\`, \`failing.output\` | the failure that led here | behind an error route |
| \`attempt\` | 0 for the first try | in a node |
| \`_index\`, \`_key\`, and the name in \`as\` | the place, the key and the item | inside a \`for_each\` |`;

function table(
  noun: string,
  all: ReadonlyMap<string, Signature & { readonly on?: string }>,
  texts: Readonly<Record<string, string>>,
): string {
  const rows = noun === 'test' ? testRows(texts) : [...all].map(([name, each]) => row(name, each));
  return [`| ${noun} | what it gives |`, '|---|---|', ...rows].join('\n');

  function row(name: string, { parameters, on }: Signature & { readonly on?: string }): string {
    const text =
      texts[name] ??
      (on === undefined ? missing(name) : `of ${on === 'text' ? 'a text' : 'a map'}, as in Python`);
    const given = parameters.length === 0 ? '' : `(${parameters.join(', ')})`;
    return `| \`${name}${given}\` | ${text} |`;
  }
}

function testRows(texts: Readonly<Record<string, string>>): readonly string[] {
  const named = new Set(Object.keys(texts).flatMap((names) => names.split(', ')));
  for (const name of TESTS.keys()) if (!named.has(name)) missing(name);
  return Object.entries(texts).map(
    ([names, text]) =>
      `| ${names
        .split(', ')
        .map((name) => `\`${name}\``)
        .join(', ')} | whether ${text} |`,
  );
}

function missing(name: string): never {
  throw new Error(`scripts/docs/templates.ts says nothing of ${name}`);
}
