import { describe, expect, it } from 'vitest';
import fc from 'fast-check';
import { failedLine } from './expression-line.ts';
import { diffLines, movedLine, unifiedDiff } from './line-diff.ts';
import { agoWords, axisTicks, clockWords, dateWords, UTC } from './time.ts';
import { bytesWords, grouped, optionWord, spaced, valueText } from './words.ts';
import { runs } from '../../test/runs.ts';

const NOW = Date.parse('2026-11-17T10:00:00.000Z');

describe('times in words', () => {
  it('says how long ago, and how long until', () => {
    expect(agoWords('2026-11-17T09:59:48.000Z', NOW)).toBe('12 s ago');
    expect(agoWords('2026-11-17T09:57:00.000Z', NOW)).toBe('3 min ago');
    expect(agoWords('2026-11-15T09:57:00.000Z', NOW)).toBe('2 d ago');
    expect(agoWords('2026-11-17T10:03:30.000Z', NOW)).toBe('in 3 min');
    expect(agoWords('2026-11-17T12:00:30.000Z', NOW)).toBe('in 2 h');
    expect(agoWords('2026-11-17T11:59:30.000Z', NOW)).toBe('in 1 h 59 min');
    expect(agoWords('2026-11-20T09:59:00.000Z', NOW)).toBe('in 2 d 23 h');
    expect(agoWords('2026-11-17T10:00:00.000Z', NOW)).toBe('now');
  });

  it('writes dates in the zone of the reader', () => {
    expect(dateWords('2026-11-17T23:30:00.000Z', UTC)).toBe('2026-11-17 23:30:00');
    expect(dateWords('2026-11-17T23:30:00.000Z', () => 60)).toBe('2026-11-18 00:30:00');
    expect(clockWords('2026-11-17T10:00:00.123Z', UTC)).toBe('10:00:00.123');
    expect(dateWords('no date', UTC)).toBe('no date');
  });

  it('puts few round times on an axis of any length', () => {
    expect(axisTicks(3500, 8)).toEqual([0, 500, 1000, 1500, 2000, 2500, 3000, 3500]);
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 10 ** 13 }), (length) => {
        const ticks = axisTicks(length, 8);
        return ticks.length <= 9 && ticks.every((tick) => tick >= 0 && tick <= length);
      }),
      { numRuns: runs(200) },
    );
  });
});

describe('words', () => {
  it('shows words of the API as people read them', () => {
    expect(spaced('waiting_person')).toBe('waiting person');
    expect(grouped(1_234_567)).toBe('1,234,567');
    expect(grouped(12)).toBe('12');
    expect(bytesWords(70_000)).toBe('68 KiB');
    expect(optionWord('retry')).toBe('retry');
    expect(optionWord({ approve: { for: 'run' } })).toBe('{"approve":{"for":"run"}}');
    expect(valueText('as it is\n')).toBe('as it is\n');
    expect(valueText({ a: 1 })).toBe('{\n  "a": 1\n}');
  });
});

describe('the difference of two texts', () => {
  it('is empty for the same text', () => {
    expect(unifiedDiff('a.yaml', 'x\n', 'x\n')).toBe('');
  });

  it('is a unified diff with three lines around each change', () => {
    const before = 'a\nb\nc\nd\ne\nf\ng\nh\n';
    const after = 'a\nb\nc\nd\nE\nf\ng\nh\ni\n';
    expect(unifiedDiff('w.yaml', before, after)).toBe(
      '--- a/w.yaml\n+++ b/w.yaml\n@@ -2,7 +2,8 @@\n b\n c\n d\n-e\n+E\n f\n g\n h\n+i\n',
    );
  });

  it('marks a last line without its end', () => {
    expect(unifiedDiff('w', 'a\n', 'a')).toBe(
      '--- a/w\n+++ b/w\n@@ -1,1 +1,1 @@\n-a\n+a\n\\ No newline at end of file\n',
    );
  });

  it('leads from one text to the other, whatever they are', () => {
    const lines = fc.array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 });
    fc.assert(
      fc.property(lines, lines, (before, after) => {
        const diff = diffLines(before, after);
        const of = (left: string): string[] =>
          diff.filter(({ type }) => type !== left).map(({ text }) => text);
        expect(of('added')).toEqual(before);
        expect(of('removed')).toEqual(after);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('a line of a text that is edited', () => {
  it('is found where it stands now', () => {
    const before = 'a\nb\nc\nd\n';
    expect(movedLine(before, before, 3)).toBe(3);
    expect(movedLine(before, `x\ny\n${before}`, 3)).toBe(5);
    expect(movedLine(before, 'a\nb\nchanged\nd\n', 3)).toBe(3);
    expect(movedLine(before, 'a\nd\n', 4)).toBe(2);
    expect(movedLine(before, 'a\nb\nc\nd\nmore\n', 3)).toBe(3);
  });
});

describe('the line that failed', () => {
  const file = [
    'nodes:',
    '  - name: a',
    '    prompt: |',
    '      {{ x.y }}',
    '',
    '      {{ z }} {{ q }}',
  ];
  const lines = [
    ...file,
    '    model: "{{ q }}"',
    '  - { name: b, value: "{{ x.y }}" }',
    'output: {{ w }}',
  ];
  const lineOf = (line: number | undefined, expression?: string): number | undefined =>
    failedLine(
      {
        ...(line === undefined ? {} : { location: { line } }),
        ...(expression === undefined ? {} : { details: { expression } }),
      },
      lines,
    );

  it('is that of the expression within its node', () => {
    expect(lineOf(2, 'x.y')).toBe(4);
    expect(lineOf(2, 'z')).toBe(6);
    expect(lineOf(8, 'x.y')).toBe(8);
  });

  it('is that of the node where the expression is not found, or more than once', () => {
    expect(lineOf(2, 'w')).toBe(2);
    expect(lineOf(2, 'q')).toBe(2);
    expect(lineOf(2)).toBe(2);
    expect(lineOf(undefined, 'x.y')).toBeUndefined();
  });
});
