import { describe, expect, it } from 'vitest';
import { positionAt } from './source-text.ts';
import { memoryFiles } from './files.cases.ts';
import { loadWorkflow } from './load-workflow.ts';

const TEXT = `workflow: {name: x, entry_point: a}
nodes:
  - name: a
    prompt: |
      First line
        second BAD line

      last BAD
    system_prompt: plain BAD text
    description: "quoted BAD text"
    routes:
      - {to: $end, when: 'single BAD'}
      - to: $end
        when: "escaped \\t BAD"
      - {to: $end, when: "\${V:-x} BAD"}
  - name: b
    prompt: !file b.md
    system_prompt: >
      folded
      BAD text
`;

const loaded = loadWorkflow('a.yaml', memoryFiles({ 'a.yaml': TEXT, 'b.md': 'one\ntwo BAD\n' }));

function locate(pointer: string, value: string, occurrence = 0): string {
  const offset = value.split('BAD', occurrence + 1).join('BAD').length;
  const span = loaded.sources.span('a.yaml', pointer, { offset, length: 3 });
  if (span === undefined) throw new Error('nowhere');
  const { line, column } = positionAt(span.source, span.start);
  return `${span.source.file}:${line}:${column} ${span.source.text.slice(span.start, span.end)}`;
}

describe('a part of a text', () => {
  it.each([
    ['/nodes/0/prompt', 'First line\n  second BAD line\n\nlast BAD\n', 0, 'a.yaml:6:16 BAD'],
    ['/nodes/0/prompt', 'First line\n  second BAD line\n\nlast BAD\n', 1, 'a.yaml:8:12 BAD'],
    ['/nodes/0/system_prompt', 'plain BAD text', 0, 'a.yaml:9:26 BAD'],
    ['/nodes/0/description', 'quoted BAD text', 0, 'a.yaml:10:26 BAD'],
    ['/nodes/0/routes/0/when', 'single BAD', 0, 'a.yaml:12:34 BAD'],
    ['/nodes/1/prompt', 'one\ntwo BAD\n', 0, 'b.md:2:5 BAD'],
  ])('%s is found at its exact position', (pointer, value, occurrence, expected) => {
    expect(locate(pointer, value, occurrence)).toBe(expected);
  });

  it.each([
    ['/nodes/0/routes/1/when', 'escaped \t BAD', 'a.yaml:14:15'],
    ['/nodes/0/routes/2/when', 'x BAD', 'a.yaml:15:26'],
    ['/nodes/1/system_prompt', 'folded BAD text\n', 'a.yaml:18:20'],
  ])('%s is found at the start of the value', (pointer, value, expected) => {
    expect(locate(pointer, value)).toContain(expected);
  });

  it('that does not exist is found at its parent', () => {
    const span = loaded.sources.span('a.yaml', '/nodes/0/routes/9/when');
    expect(span && positionAt(span.source, span.start)).toEqual({ line: 11, column: 5 });
    expect(loaded.sources.span('other.yaml', '')).toBeUndefined();
  });
});
