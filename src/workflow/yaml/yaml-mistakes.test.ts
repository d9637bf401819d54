import { describe, expect, it } from 'vitest';
import { renderDiagnostic } from '../diagnostics/diagnostics.ts';
import { loadWorkflowText } from './load-workflow.ts';

/** All diagnostics of a text that is not YAML, as `line:column message → suggestion`. */
function diagnosticsOf(text: string): string[] {
  return loadWorkflowText(text, { file: 'a.yaml' }).diagnostics.map(
    ({ line, column, message, suggestion }) =>
      `${line}:${column} ${message} → ${suggestion ?? 'nothing'}`,
  );
}

const COMMA = 'Not YAML: a comma is missing before';
const TEXT = 'Not YAML: a text that contains `: ` needs quotes, because YAML reads it as a map';

describe('a comma that is missing', () => {
  it.each([
    ['nodes:\n  - {name: a, type: set value: 1}\n', `2:24 ${COMMA} \`value\` → Write \`, value\``],
    [
      'nodes:\n  - {name: a, prompt: hi\n     routes: [{to: $end}]}\n',
      `2:25 ${COMMA} \`routes\` → Write \`, routes\``,
    ],
    [
      'nodes:\n  - {name: a, prompt: "hi" routes: [{to: $end}]}\n',
      `2:27 ${COMMA} \`routes\` → Write \`, routes\``,
    ],
    [
      'nodes:\n  - {name: a, routes: [{to: b} {to: $end}]}\n',
      `2:31 ${COMMA} \`{\` → Write \`, {\``,
    ],
    [
      'nodes:\n  - {name: a, routes: [{to: b}] prompt: x}\n',
      `2:32 ${COMMA} \`prompt\` → Write \`, prompt\``,
    ],
    ['nodes:\n  - {name: a, args: ["a" "b"]}\n', `2:25 ${COMMA} \`"b"\` → Write \`, "b"\``],
    [
      'nodes:\n  - {name: a, timeout_seconds: 5 prompt: hi}\n',
      `2:33 ${COMMA} \`prompt\` → Write \`, prompt\``,
    ],
    [
      'workflow: {name: x entry_point: a}\n',
      `1:19 ${COMMA} \`entry_point\` → Write \`, entry_point\``,
    ],
  ])('%j', (text, expected) => {
    expect(diagnosticsOf(text)).toEqual([expected]);
  });

  it('has its caret in the right column of a cut line', () => {
    const long = `nodes:\n  - {name: a, prompt: "${'x '.repeat(100)}", type: set value: 1}\n`;
    const [found] = loadWorkflowText(long, { file: 'a.yaml' }).diagnostics;
    const rows = (found?.excerpt ?? '').split('\n');
    const caret = rows.at(-1)?.indexOf('^') ?? -1;
    expect(rows.at(-2)?.slice(caret - 3)).toMatch(/^set value/);
    expect(found === undefined ? '' : renderDiagnostic(found)).toContain('Write `, value`');
  });
});

describe('a bracket that is never closed', () => {
  it.each([
    ['nodes:\n  - {name: a, prompt: hi\n  - {name: b}\n', '2:5 Not YAML: this `{` is never closed'],
    ['nodes:\n  - {name: a, routes: [{to: b}, x: 1}\n', '2:23 Not YAML: this `[` is never closed'],
  ])('%j', (text, expected) => {
    const found = diagnosticsOf(text);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(expected);
  });
});

describe('a line that is indented by mistake', () => {
  const item = (spaces: string, list: string): string =>
    `This \`-\` is indented by ${spaces}, but the list it belongs to by ${list}`;
  const line = (spaces: string, map: string): string =>
    `This line is indented by ${spaces}, but the map it belongs to by ${map}`;

  it.each([
    ['nodes:\n  - name: a\n    value: 1\n - name: b\n', `4:2 ${item('1 space', '2 (line 2)')}`, 2],
    [
      'nodes:\n  - name: a\n    value: 1\n   - name: b\n',
      `4:4 ${item('3 spaces', '2 (line 2)')}`,
      2,
    ],
    [
      'nodes:\n  - name: a\n    value: 1\n    - name: b\n',
      `4:5 ${item('4 spaces', '2 (line 2)')}`,
      2,
    ],
    [
      'nodes:\n  - name: a\n    routes:\n      - {to: b}\n     - {to: $end}\n',
      `5:6 ${item('5 spaces', '6 (line 4)')}`,
      6,
    ],
    [
      'nodes:\n  - name: a\n    routes:\n    - {to: b}\n   - {to: $end}\n',
      `5:4 ${item('3 spaces', '4 (line 4)')}`,
      4,
    ],
    ['workflow:\n  name: x\n   entry_point: a\n', `3:4 ${line('3 spaces', '2 (line 2)')}`, 2],
    ['workflow:\n  name: x\n entry_point: a\n', `3:2 ${line('1 space', '2 (line 2)')}`, 2],
    [
      'nodes:\n  - name: a\n   type: set\n    value: 1\n',
      `3:4 ${line('3 spaces', '4 (line 2)')}`,
      4,
    ],
    [
      'nodes:\n  - name: a\n     type: set\n    value: 1\n',
      `3:6 ${line('5 spaces', '4 (line 2)')}`,
      4,
    ],
    [
      'nodes:\n  - name: a\n    prompt: |\n      - not an item\n      still text: yes\n   type: set\n',
      `6:4 ${line('3 spaces', '4 (line 3)')}`,
      4,
    ],
  ])('%j', (text, expected, wanted) => {
    expect(diagnosticsOf(text)).toEqual([`${expected} → Indent it by ${wanted} spaces`]);
  });

  it('of a list that is not indented is not to be indented', () => {
    expect(diagnosticsOf('nodes:\n- {name: a}\n - {name: b}\n')).toEqual([
      `3:2 ${item('1 space', '0 (line 2)')} → Do not indent it`,
    ]);
  });
});

describe('a text that needs quotes, and a key that is not one', () => {
  it.each([
    ['a:\n  prompt: Label this: hi\n', `2:11 ${TEXT} → "Label this: hi"`],
    ['a:\n  prompt: Label this: {{ x }}\n', `2:11 ${TEXT} → "Label this: {{ x }}"`],
    ['a:\n  prompt: Say "this": hi\n', `2:11 ${TEXT} → 'Say "this": hi'`],
    ['a:\n  - {prompt: Label this: hi}\n', `2:14 ${TEXT} → "Label this: hi"`],
    [
      "a:\n  when: 'it's'\n",
      '2:9 Not YAML: the quoted text ends before column 13, but more follows → "it\'s"',
    ],
    [
      'a:\n  when: "x" == y\n',
      '2:9 Not YAML: the quoted text ends before column 13, but more follows → \'"x" == y\'',
    ],
    ['a:\n  prompt: @file\n', '2:11 Not YAML: a text that begins with `@` needs quotes → "@file"'],
    [
      'workflow:\n  name:x\n  entry_point: a\n',
      '2:3 Not YAML: the `:` of `name` needs a space after it → name: x',
    ],
    [
      'workflow:\n  name x\n  entry_point: a\n',
      '2:3 Not YAML: there is no `:` after `name` → name: x',
    ],
    ['workflow\n  name: x\n', '1:1 Not YAML: there is no `:` after `workflow` → workflow:'],
    [
      'nodes:\n  -name: a\n   type: set\n',
      '2:3 Not YAML: an item of a list begins with `- `, with a space → - name: a',
    ],
  ])('%j', (text, expected) => {
    expect(diagnosticsOf(text)).toEqual([expected]);
  });
});
