/** The measure itself can fail: it tells linear work from quadratic work. */
import { expect, it } from 'vitest';
import { expectCheap, expectLinear } from './own-time.ts';

const text = (size: number): string => 'a'.repeat(size);

it.each<[string, (size: number) => unknown]>([
  ['constant work', () => text(10).indexOf('b')],
  ['linear work', (size) => /^a*$/.test(text(size))],
  ['work of n log n', (size) => numbersTo(size).sort((a, b) => (a % 97) - (b % 97))],
])('accepts %s', (_, work) => {
  expectLinear(work, 65_536);
});

it.each<[string, (size: number) => unknown]>([
  ['a pattern that begins again at each character', (size) => /a+b/.test(text(size))],
  ['a list that is searched for each item', (size) => unique(numbersTo(size))],
])('refuses %s', (_, work) => {
  expect(() => expectLinear(work, 4096)).toThrow('times the cost');
});

it('compares one kind of work to another', () => {
  const cheap = (): unknown => text(1000).indexOf('b');
  const dear = (): unknown => text(1_000_000).indexOf('b');
  expectCheap(cheap, dear, 1);
  expect(() => expectCheap(dear, cheap, 10)).toThrow('times the cost');
});

function numbersTo(size: number): number[] {
  return Array.from(text(size), (_, at) => at);
}

function unique(items: readonly unknown[]): readonly unknown[] {
  return items.reduce<unknown[]>(
    (kept, item) => (kept.includes(item) ? kept : [...kept, item]),
    [],
  );
}
