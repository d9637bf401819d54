import { describe, expect, it } from 'vitest';
import type { Diagnostic } from '../diagnostics/diagnostics.ts';
import { SMALL } from './files.cases.ts';
import { loadWorkflowText, type LoadResult } from './load-workflow.ts';
import { expectCheap, expectLinear } from '../../../test/own-time.ts';

function load(text: string): LoadResult {
  return loadWorkflowText(text, { file: 'a.yaml' });
}

function diagnostics(text: string): readonly Diagnostic[] {
  return load(text).diagnostics;
}

function codes(text: string): string[] {
  return diagnostics(text).map(({ code }) => code);
}

describe('a text that is not a workflow', () => {
  it.each([
    ['', 'file-empty'],
    ['# only a comment\n', 'file-empty'],
    ['just text', 'wrong-type'],
    ['[1, 2]', 'wrong-type'],
    ['a: b: c', 'yaml-syntax'],
    ['"open', 'yaml-syntax'],
    ['a: [1', 'yaml-syntax'],
    ['workflow:\n\tname: x', 'yaml-tab'],
    ['a: 1\n---\nb: 2', 'yaml-documents'],
    ['a: !thing x', 'yaml-tag'],
    ['a: !!binary x', 'yaml-tag'],
    ['a: *nowhere', 'yaml-alias'],
    ['a: &a [*a]', 'yaml-alias'],
    ['a: .inf', 'yaml-number'],
    ['a: 9007199254740993', 'yaml-number'],
    ['a: {b: [-12345678901234567890]}', 'yaml-number'],
    ['a: 0xFFFFFFFFFFFFFFFF', 'yaml-number'],
    ['{{ x }}: 1', 'yaml-key'],
    ['__proto__: {a: 1}', 'yaml-key'],
    ['? [a, b]\n: c', 'yaml-key'],
    ['a: 1\na: 2', 'duplicate-key'],
  ])('is refused: %j', (text, code) => {
    const result = load(text);
    expect(result.ok).toBe(false);
    expect(result.diagnostics.map((each) => each.code)).toContain(code);
    for (const each of result.diagnostics) {
      expect(each.file).toBe('a.yaml');
      expect(each.line).toBeGreaterThan(0);
      expect(each.column).toBeGreaterThan(0);
    }
  });

  it('shows several mistakes at once, in the order of the file', () => {
    const found = diagnostics('workflow: {name: 1}\nagent: []\nnodes: 3\noutput: x\n');
    expect(found.map(({ line, code }) => `${line} ${code}`)).toEqual([
      '1 missing-key',
      '1 wrong-type',
      '2 unknown-key',
      '3 wrong-type',
      '4 wrong-type',
    ]);
  });

  it('distinguishes a misspelt name from one that a second node should have', () => {
    const found = diagnostics(`workflow: {name: x, entry_point: classify}
nodes:
  - {name: classify, type: set, value: 1, routes: [{to: answer, when: "{{ output }}"}, {to: answer}]}
  - {name: classify, type: set, value: 2, routes: [{to: anwser}, {on_error: true, to: $end}]}
  - {name: answers, type: set, value: 2}
`);
    expect(found.map(({ line, code, suggestion }) => `${line} ${code} ${suggestion}`)).toEqual([
      '3 unknown-node answers',
      '3 unknown-node answers',
      '4 duplicate-name Rename it, for example to `classify_2`',
      '4 unknown-node answers',
    ]);
  });

  it('reports the mistake itself, not what follows from it', () => {
    const found = diagnostics(`workflow: {name: x, entry_point: classify}
nodes:
  - {name: classify, type: set, value: 1, routes: [{to: reply}]}
  - {name: classify, type: set, value: 2}
`);
    expect(found.map(({ line, code, suggestion }) => `${line} ${code} ${suggestion}`)).toEqual([
      '4 duplicate-name Rename it to `reply`, which a route names and no node has',
    ]);
  });

  it('locates a duplicate key and keeps the first value', () => {
    const [found] = diagnostics(`${SMALL}nodes: []\n`);
    expect(found).toMatchObject({ code: 'duplicate-key', pointer: '/nodes', line: 4, column: 1 });
  });

  it('suggests quotes around a template', () => {
    const suggested = (written: string): string | undefined =>
      diagnostics(SMALL.replace('value: 1', `value: ${written}`))[0]?.suggestion;
    expect(suggested('{{ x }}')).toBe('"{{ x }}"');
    expect(suggested('{{ x | default("a") }}')).toBe(`'{{ x | default("a") }}'`);
  });

  it.each([
    ['? [a]\n: 1', 'A key must be a text, not a list', 'Write a name before the `:`'],
    ['? {a: 1}\n: 1', 'A key must be a text, not a map', 'Write a name before the `:`'],
    ['null: 1', 'The key `null` is read as null, but a key must be a text', '"null"'],
    [': 1', 'There is no key before this `:`', 'Write a name before the `:`'],
    ['__proto__: 1', '`__proto__` cannot be a key', 'Choose another name'],
  ])('explains the invalid key of %j', (written, message, advice) => {
    const [found] = diagnostics(`${SMALL}${written}\n`);
    expect(found).toMatchObject({ code: 'yaml-key', message });
    expect(found?.suggestion).toContain(advice);
  });

  it.each([
    ['!include a.md', '!include', '!file a.md'],
    ['!!binary aGk=', '!!binary', 'Remove it, or put quotes around a text that begins with `!`'],
    ['&x !odd\n      hi', '!odd', 'Remove it, or put quotes around a text that begins with `!`'],
    ['!file', '!file', 'Write the path after it, as in `!file prompts/classify.md`'],
  ])('points at the tag of %j', (written, tag, suggestion) => {
    const text = SMALL.replace('value: 1', `value: ${written}`).replace('[{', '\n  - {');
    const [found] = diagnostics(text);
    expect(found).toMatchObject({ code: 'yaml-tag', suggestion });
    const line = text.split('\n')[(found?.line ?? 0) - 1] ?? '';
    expect(line.slice((found?.column ?? 0) - 1)).toMatch(new RegExp(`^${tag}`));
  });

  it('suggests the anchor that is probably meant', () => {
    const text = SMALL.replace('value: 1', 'values: {a: &polite hi, b: *polit}');
    expect(diagnostics(text)).toMatchObject([{ code: 'yaml-alias', suggestion: '*polite' }]);
  });

  it('suggests true for a bare star', () => {
    const [found] = diagnostics(SMALL.replace('value: 1', 'routes: [{on_error: *, to: a}]'));
    expect(found).toMatchObject({ suggestion: 'on_error: true' });
  });
});

describe('YAML that is unusual and right', () => {
  it.each([
    ['a byte order mark', `\uFEFF${SMALL}`],
    ['Windows line ends', SMALL.replaceAll('\n', '\r\n')],
    ['a document start', `---\n${SMALL}`],
    ['a document end', `${SMALL}...\n`],
    ['a comment for the language server', `# yaml-language-server: $schema=x\n${SMALL}`],
    [
      'JSON',
      '{"workflow": {"name": "x", "entry_point": "a"}, "nodes": [{"name": "a", "type": "set", "value": 1}]}',
    ],
    ['core tags', SMALL.replace('value: 1', 'value: !!str 1')],
    ['an alias', SMALL.replace('value: 1', 'value: &v [1]') + 'output: {x: *v}\n'],
    [
      'a merge key',
      `workflow: {name: m, entry_point: a}
nodes:
  - &base {name: a, type: set, value: 1}
  - {<<: *base, name: b}
`,
    ],
  ])('%s', (_, text) => {
    expect(load(text)).toMatchObject({ ok: true, diagnostics: [] });
  });

  it('reads YAML 1.2: yes and on are texts, 012 is twelve', () => {
    const result = load(SMALL.replace('value: 1', 'value: [yes, on, 012, 0o14, 1.10]'));
    expect(result).toMatchObject({
      ok: true,
      plan: { nodes: [{ value: ['yes', 'on', 12, 12, 1.1] }] },
    });
  });

  it('keeps arguments and variables as written', () => {
    const text = SMALL.replace(
      'type: set, value: 1',
      'type: script, command: x, args: [1.10, 08, true], env: {V: 1.10}',
    );
    expect(load(text)).toMatchObject({
      plan: { nodes: [{ args: ['1.10', '08', 'true'], env: { V: '1.10' } }] },
    });
  });
});

describe('hostile YAML', () => {
  const levels = (n: number): string =>
    Array.from(
      { length: n },
      (_, i) => `a${i}: &a${i} [${i === 0 ? 'x' : `*a${i - 1}, `.repeat(9)}]`,
    ).join('\n');

  it('refuses an alias bomb', () => {
    expect(codes(levels(12))).toEqual(['yaml-alias-bomb']);
    // a reader that follows the aliases reads nine times as much at each level, so millions of times as
    // much; one that stops at the bound reads about a hundred times as much as three levels have
    expectCheap(
      () => codes(levels(12)),
      () => codes(levels(3)),
      500,
    );
  });

  it.each([
    ['brackets', '['],
    ['dashes', '- '],
    ['question marks', '? '],
    ['maps', '{a: '],
    ['compact maps', 'a: &a '],
  ])('refuses a tower of %s', (_, piece) => {
    expect(codes(piece.repeat(50_000))).toEqual(['yaml-too-deep']);
    expectLinear((floors) => codes(piece.repeat(floors)), 50_000);
  });

  it('refuses a staircase of maps', () => {
    const stairs = Array.from({ length: 300 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n');
    expect(codes(stairs)).toEqual(['yaml-too-deep']);
  });

  it('ignores brackets in texts', () => {
    const text = SMALL.replace('value: 1', `value: "${'['.repeat(500)}"`);
    expect(load(text).ok).toBe(true);
  });

  it('refuses more than 10 MB at once', () => {
    const large = `a: ${'x'.repeat(10 * 1024 * 1024)}`;
    expect(codes(large)).toEqual(['file-too-large']);
    // less than it costs to read a tenth of it
    const tenth = large.slice(0, large.length / 10);
    expectCheap(
      () => codes(large),
      () => codes(tenth),
      1,
    );
  });

  it('finds a duplicate among twenty thousand keys', () => {
    const keys = (count: number): string =>
      Array.from({ length: count }, (_, index) => `k${index}: 1\n`).join('');
    expect(codes(`${keys(20_000)}k7: 1`)).toContain('duplicate-key');
    expectLinear((count) => codes(`${keys(count)}k7: 1`), 20_000);
  });

  it('stops counting at two hundred diagnostics', () => {
    const keys = Array.from({ length: 1000 }, (_, index) => `k${index}: 1`).join('\n');
    expect(diagnostics(keys)).toHaveLength(200);
  });
});
