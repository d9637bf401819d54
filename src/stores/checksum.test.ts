import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chainDigest, digestOf, rowChecksum } from './checksum.ts';

describe('a digest', () => {
  it('is the same in every version, because stores keep it', () => {
    expect(['', 'a', 'é😀', 'errand'.repeat(1000)].map(digestOf)).toMatchInlineSnapshot(`
      [
        "00000000000000000000000000000000",
        "a794933c5556b01b5556b01b5556b01b",
        "5f651b6d43af443f1b6ff0b41b6ff0b4",
        "5c6d7ff5a15fae31339481ae18ae963a",
      ]
    `);
    expect(rowChecksum([1, 'a', null])).toMatchInlineSnapshot(`1557017993`);
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

  it('of a commit covers its position and everything before it', () => {
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
