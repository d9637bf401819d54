import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chainDigest, digestOf, rowChecksum } from './checksum.ts';

describe('a digest', () => {
  it('is the same in every version, because stores keep it', () => {
    expect(['', 'a', 'é😀', 'errand'.repeat(1000)].map(digestOf)).toMatchInlineSnapshot(`
      [
        "12d9192c940316b5ed632f16d6a508e5",
        "69299776ff9bce80cc96db336ae12f79",
        "d28527290edf6f4593ce609f189b363c",
        "24eaa44ed086855bcdb7cae41db468e2",
      ]
    `);
    expect(rowChecksum([1, 'a', null])).toMatchInlineSnapshot(`692860496`);
  });

  it('does not depend on what was hashed before, nor on how long that was', () => {
    const before = digestOf('[{"seq":1}]');
    for (const length of [10, 5000, 3_000_000]) {
      digestOf('x'.repeat(length));
      expect(digestOf('[{"seq":1}]')).toBe(before);
    }
  });

  it('shows every change of one character, and every cut', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 200 }), fc.nat(), (text, at) => {
        const place = at % text.length;
        const other = text[place] === 'x' ? 'y' : 'x';
        const changed = `${text.slice(0, place)}${other}${text.slice(place + 1)}`;
        const results = [text, changed, text.slice(0, place)].map(digestOf);
        expect(new Set(results).size).toBe(3);
      }),
    );
  });

  it('of a commit covers its place and everything before it', () => {
    const link = { run: 1, seq: 2, count: 3, text: '[]' };
    const others = [
      chainDigest('b', link),
      ...[{ run: 2 }, { seq: 3 }, { count: 4 }, { text: '[ ]' }].map((change) =>
        chainDigest('a', { ...link, ...change }),
      ),
    ];
    expect(new Set([chainDigest('a', link), ...others]).size).toBe(6);
  });
});
