import { expect, it } from 'vitest';
import type { Wait } from '../../../machine/state/waiting.ts';
import { shownWaiting } from './shown-waiting.ts';

function waits(count: number, options: readonly string[]): readonly Wait[] {
  return Array.from({ length: count }, (_, index): Wait => {
    const path = `all[${index}]/ask`;
    return { reason: 'gate', gate: path, opening: index + 1, node: 'ask', path, options };
  });
}

function shown(all: readonly Wait[]) {
  const [first = { reason: 'person' }] = all;
  const { waiting, isCut } = shownWaiting({ ...first, all });
  return { waiting, isCut, bytes: JSON.stringify(waiting).length };
}

it('shows all where there is room', () => {
  const all = waits(20, ['yes', 'no']);
  expect(shown(all)).toMatchObject({ waiting: { ...all[0], all }, isCut: undefined });
});

it.each([
  ['many', waits(100_000, ['yes', 'no'])],
  ['long', waits(3, ['x'.repeat(1_000_000)])],
  ['one with a path that has no end', [{ reason: 'person', path: 'p'.repeat(1_000_000) } as const]],
])('shows what fits of what is too %s', (_, all) => {
  const { waiting, isCut, bytes } = shown(all);
  expect(isCut).toBe(true);
  expect(bytes).toBeLessThan(20_000);
  expect(waiting.reason).toBe(all[0]?.reason);
  expect(waiting.all.every((wait, index) => wait.path === all[index]?.path)).toBe(true);
});
