import { describe, expect, it } from 'vitest';
import { excerptAt, positionAt, sourceText } from './source-text.ts';

const source = sourceText('a.yaml', 'one\r\ntwo: three\n\nlast');

describe('a position in a text', () => {
  it.each([
    [0, 1, 1],
    [3, 1, 4],
    [5, 2, 1],
    [10, 2, 6],
    [16, 3, 1],
    [17, 4, 1],
    [21, 4, 5],
    [999, 4, 5],
    [-1, 1, 1],
  ])('%i is line %i, column %i', (offset, line, column) => {
    expect(positionAt(source, offset)).toEqual({ line, column });
  });

  it('is shown with the line before and a caret', () => {
    expect(excerptAt({ source, start: 10, end: 15 })).toBe(
      '1 | one\n2 | two: three\n  |      ^^^^^',
    );
    expect(excerptAt({ source, start: 17, end: 21 })).toBe('4 | last\n  | ^^^^');
    expect(excerptAt({ source: sourceText('a', ''), start: 0, end: 1 })).toBe('');
  });

  it('is shown in the middle of a long line', () => {
    const long = sourceText('a', `${'a'.repeat(500)}HERE${'b'.repeat(500)}`);
    const [line = '', caret = ''] = excerptAt({ source: long, start: 500, end: 504 }).split('\n');
    expect(line.length).toBeLessThan(140);
    expect(line.slice(caret.indexOf('^'), caret.lastIndexOf('^') + 1)).toBe('HERE');
  });

  it('shows neither secrets nor control characters', () => {
    const text = 'key: sk-abcdefghijklmnopqrstuvwx1234567890\u001b[31m\ttab';
    const shown = excerptAt({ source: sourceText('a', text), start: 0, end: 3 });
    expect(shown).not.toContain('sk-abcdef');
    expect(shown).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  });
});
