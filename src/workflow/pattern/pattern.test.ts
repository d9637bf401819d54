import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createMeter, OutOfSteps, type Meter } from '../json-schema/step-budget.ts';
import { Matcher } from './matcher.ts';
import { UnusablePattern } from './parse-pattern.ts';
import { compilePattern } from './compile-pattern.ts';
import { runs } from '../../../test/runs.ts';

function counting(): Meter & { readonly spent: () => number } {
  let spent = 0;
  return { spend: (steps) => void (spent += steps), spent: () => spent };
}

function test(pattern: string, text: string): boolean {
  return new Matcher(compilePattern(pattern), counting()).test(text);
}

describe('a pattern', () => {
  const same: readonly [string, readonly string[]][] = [
    ['^[a-z]+$', ['abc', 'ab1', '', 'a\n']],
    ['', ['', 'x']],
    ['^$', ['', 'x', '\n']],
    ['a|bc|', ['', 'bc', 'x']],
    ['^(?:a|bc){2,3}$', ['a', 'abc', 'bcbca', 'aaaa']],
    ['^(?<year>\\d{4})-\\d\\d?$', ['2026-1', '26-1', '2026-123']],
    ['\\bcat\\b', ['a cat.', 'concat', 'cat']],
    ['\\Bat', ['cat', 'at']],
    ['^.$', ['a', '😀', '\n', '\u2028', '\ud800', 'ab']],
    ['^[^]$', ['\n', '', 'ab']],
    ['[]', ['', 'a']],
    ['^[\\]\\-x]+$', [']-x', 'y']],
    ['^\\u{1F600}\\x41\\cJ\\u0042$', ['😀A\nB', 'A']],
    ['^\\ud83d\\ude00$', ['😀', '\ud83d']],
    ['^\\p{Lu}\\P{Lu}$', ['Éa', 'aé', 'ÉÉ']],
    ['^\\s+\\S$', ['\u00a0\ufeffx', 'x']],
    ['^(?=.*\\d)(?=.*[a-z])(?!.*\\s).{4,}$', ['ab12', 'abcd', '1234', 'a b1', 'a1b']],
    ['(?<=\\$)\\d+(?!\\d|%)', ['$42', '42', '$4%', 'a$1.']],
    ['(?<!a)b', ['ab', 'cb', 'b', 'abb']],
    ['^(?=(?=a)a(?!c)).b?', ['ab', 'ac', 'b']],
    ['(?:(?=a)|b){3}c', ['ac', 'bbbc', 'c', 'bc']],
    ['^(?:)*x{0}$', ['', 'x']],
    ['^(?:a*)*$', ['aaa', 'b', '']],
    ['^(?:a*?|b+?)+?c$', ['aabbc', 'c', 'ab']],
    ['^a{3}b{2,}c{0,1}$', ['aaabb', 'aaabbbc', 'aab', 'aaabcc']],
  ];
  it.each(same)('%s matches as the built-in engine says', (pattern, texts) => {
    for (const text of texts)
      expect([text, test(pattern, text)]).toEqual([text, new RegExp(pattern, 'u').test(text)]);
  });

  it('matches exactly what the built-in engine matches', () => {
    const { tree } = fc.letrec<{ tree: string }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\d', '\\w', 'é', '\\b', '\\B', '^', '$'),
        fc.array(tie('tree'), { maxLength: 3 }).map((items) => items.join('')),
        fc
          .array(tie('tree'), { minLength: 1, maxLength: 3 })
          .map((items) => `(?:${items.join('|')})`),
        fc
          .tuple(tie('tree'), fc.constantFrom('*', '+', '?', '*?', '{2}', '{1,3}', '{2,}', '{0}'))
          .map(([item, count]) => `(${item})${count}`),
        fc
          .tuple(fc.constantFrom('?=', '?!', '?<=', '?<!'), tie('tree'))
          .map(([look, item]) => `(${look}${item})`),
      ),
    }));
    const text = fc
      .array(fc.constantFrom('a', 'b', '1', '_', ' ', '\n', 'é'), { maxLength: 8 })
      .map((characters) => characters.join(''));
    fc.assert(
      fc.property(tree, text, (pattern, subject) => {
        expect(test(pattern, subject)).toBe(new RegExp(pattern, 'u').test(subject));
      }),
      { numRuns: runs(3000) },
    );
  });

  it.each([
    ['(a)\\1', 'must not contain back references'],
    ['(?<x>a)\\k<x>', 'must not contain back references'],
    ['(', 'must be a regular expression'],
    ['(?:a{1000}){1000}', 'must be smaller: its repetition counts make it too large'],
    ['(?:'.repeat(300) + ')'.repeat(300), 'must not be nested deeper than 100 levels'],
    ['a'.repeat(20_000), 'must have at most 10000 characters'],
    ['(?=a)'.repeat(20), 'must not look ahead or behind more than 16 times'],
  ])('%s is refused', (pattern, message) => {
    expect(() => compilePattern(pattern)).toThrow(UnusablePattern);
    expect(() => compilePattern(pattern)).toThrow(message);
  });
});

describe('the steps of a match', () => {
  /** Patterns that take the built-in engine exponential or polynomial time. */
  const HOSTILE = [
    '^([a-z]+)+$',
    '^(([a-z])+.)+[A-Z]([a-z])+$',
    '(a|aa)+$',
    '^(a|a?)+$',
    '(.*)*=(.*)*$',
    '^(.*a){12}$',
    '(?=(a+)+b)',
    '^(?:a?){30}a{30}$',
    '\\s+$',
    '(?:x+x+)+y',
    '^(?=(?:.*[a-z]){8})(?=(?:.*!){2}).*$',
  ];

  it.each(HOSTILE)('%s grow with the text, however it is made', (pattern) => {
    const steps = (chars: number): number => {
      const meter = counting();
      const text = `${'a'.repeat(chars)}!`;
      new Matcher(compilePattern(pattern), meter).test(text);
      return meter.spent();
    };
    expect(steps(60)).toBeLessThan(20_000);
    expect(steps(20_000)).toBeLessThan(20_000 * 12);
  });

  it('of any pattern are bounded by its size and the text', () => {
    const piece = fc.constantFrom('a', 'b', '.', '(', ')', '|', '*', '+', '?', '{1,9}', '(?=', '$');
    const text = fc.array(fc.constantFrom('a', 'b', '!'), { maxLength: 200 });
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 30 }), text, (pieces, characters) => {
        let program;
        try {
          program = compilePattern(pieces.join(''));
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(UnusablePattern);
          return;
        }
        const meter = counting();
        new Matcher(program, meter).test(characters.join(''));
        const size = [program.main, ...program.looks].reduce(
          (sum, { instructions }) => sum + instructions.length + 3,
          program.atoms.length + 3,
        );
        expect(meter.spent()).toBeLessThanOrEqual((characters.length + 2) * 3 * size);
      }),
      { numRuns: runs(2000) },
    );
  });

  it('end the match when they are used up', () => {
    const matcher = new Matcher(compilePattern('^(a|b)*c'), createMeter(100));
    expect(() => matcher.test('ab'.repeat(100))).toThrow(OutOfSteps);
  });

  it('do not depend on what was matched before', () => {
    const program = compilePattern('^(a|ab)*c');
    const spent = (): number => {
      const meter = counting();
      new Matcher(program, meter).test('ab'.repeat(20));
      return meter.spent();
    };
    expect(spent()).toBe(spent());
  });
});
