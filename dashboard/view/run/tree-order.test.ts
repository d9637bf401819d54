import { describe, expect, it } from 'vitest';
import { newStep } from '../../../src/history/run-view/steps.ts';
import { inTreeOrder } from './tree-order.ts';

function ordered(...paths: readonly string[]): readonly string[] {
  const steps = paths.map((path, seq) =>
    newStep({ path, node: path.split('/').at(-1) ?? path }, { at: '2026-01-01T00:00:00Z', seq }),
  );
  return inTreeOrder(steps).map(({ path }) => path);
}

describe('steps as a tree is read', () => {
  it('keeps the order of a run without groups and children', () => {
    expect(ordered('b', 'a', 'c')).toEqual(['b', 'a', 'c']);
  });

  it('has each step before those inside it, and the members of a group one after another', () => {
    expect(
      ordered(
        'list',
        'each',
        'each[1]/one',
        'each[2]/one',
        'each[1]/one/ask',
        'after',
        'each[1]/fix',
      ),
    ).toEqual([
      'list',
      'each',
      'each[1]/one',
      'each[1]/one/ask',
      'each[1]/fix',
      'each[2]/one',
      'after',
    ]);
  });

  it('leaves no step out whose surroundings are not there', () => {
    expect(ordered('a', 'each[1]/one', 'b')).toEqual(['a', 'each[1]/one', 'b']);
  });
});
