import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { authorKind, runtimeKind } from '../report/arbitraries.cases.ts';
import { isKindName, isReservedKind, isRuntimeKind, matchesKind } from './kinds.ts';

describe('a kind', () => {
  it('of the runtime is reserved, one of an author is not, and both fit the grammar', () => {
    fc.assert(
      fc.property(runtimeKind, authorKind, (ours, theirs) => {
        expect([isKindName(ours), isRuntimeKind(ours), isReservedKind(ours)]).toEqual([
          true,
          true,
          true,
        ]);
        expect([isKindName(theirs), isRuntimeKind(theirs), isReservedKind(theirs)]).toEqual([
          true,
          false,
          false,
        ]);
      }),
    );
  });

  it.each([
    '',
    'order',
    'Order.x',
    'order.',
    '.x',
    'a..b',
    '1a.b',
    'a.1',
    'a b.c',
    'a.b\n',
    `a.${'b'.repeat(200)}`,
    7,
    null,
  ])('is not %j', (value) => {
    expect(isKindName(value)).toBe(false);
  });

  it.each(['constructor', '__proto__', 'toString'])('of the runtime is not %s', (name) => {
    expect(isRuntimeKind(name)).toBe(false);
  });
});

describe('a pattern', () => {
  it.each([
    ['provider.timeout', 'provider.timeout', true],
    ['provider.timeout', 'provider.*', true],
    ['external.git.drift', 'external.git.*', true],
    ['provider.timeout', 'prov.*', false],
    ['provider', 'provider.*', false],
    ['provider.timeout', '*', false],
  ])('%s against %s: %s', (kind, pattern, isMatch) => {
    expect(matchesKind(kind, pattern)).toBe(isMatch);
  });
});
