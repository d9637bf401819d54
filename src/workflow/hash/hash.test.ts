import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { blake2s, blakeHex } from './blake2s.ts';
import { murmur128Bytes, murmurHex } from './murmur3.ts';
import { sipHash } from './siphash.ts';
import { hex, utf8Words, type Utf8Words } from './utf8-words.ts';

/** The bytes 0, 1, 2 and so on, each of which is a character of its own. */
const counting = (length: number): string =>
  String.fromCharCode(...Array.from({ length }, (_, byte) => byte));

describe('SipHash-2-4', () => {
  // from `vectors.h` of the reference implementation: the key and the text are the bytes 0, 1, 2, …
  const key = [0x03020100, 0x07060504, 0x0b0a0908, 0x0f0e0d0c] as const;

  it.each([
    [0, '310e0edd47db6f72'],
    [1, 'fd67dc93c539f874'],
    [2, '5a4fa9d909806c0d'],
    [3, '2d7efbd796666785'],
    [4, 'b7877127e09427cf'],
    [5, '8da699cd64557618'],
    [6, 'cee3fe586e46c9cb'],
    [7, '37d1018bf50002ab'],
    [8, '6224939a79f5f593'],
    [9, 'b0e4a90bdf82009e'],
    [15, 'e545be4961ca29a1'],
    [16, 'db9bc2577fcc2a3f'],
    [17, '9447be2cf5e99a69'],
    [24, '94af49f6c650adb8'],
    [31, '42c341d8fa92d832'],
    [32, 'ce7cf2722f512771'],
    [33, 'e37859f94623f3a7'],
    [40, 'd0a704536ba93e0e'],
    [47, 'eb75095ccd986cd0'],
    [48, '51a9cb9ecba312e6'],
    [55, '9924a43cc1315724'],
    [56, 'bd838d3aafbf8db7'],
    [62, '575ff28e60381be5'],
    [63, '724506eb4c328a95'],
  ])('of %i bytes is the published one', (length, published) => {
    const [high, low] = sipHash(counting(length), key);
    const bytes = (hex(high) + hex(low)).match(/../g) ?? [];
    expect(bytes.toReversed().join('')).toBe(published);
  });
});

describe('MurmurHash3_x86_128', () => {
  function hashed(bytes: Uint8Array, seed: number): Uint8Array {
    const room = new Uint8Array(Math.ceil(bytes.length / 4) * 4 + 16);
    room.set(bytes);
    const text: Utf8Words = {
      bytes: room,
      words: new Int32Array(room.buffer),
      length: bytes.length,
    };
    return new Uint8Array(Int32Array.from(murmur128Bytes(text, seed)).buffer);
  }

  it('has the verification value that SMHasher publishes: the hash of the hashes of 256 texts', () => {
    const counted = Uint8Array.from({ length: 256 }, (_, byte) => byte);
    const hashes = new Uint8Array(256 * 16);
    for (let length = 0; length < 256; length++)
      hashes.set(hashed(counted.subarray(0, length), 256 - length), length * 16);
    const [first] = new Uint32Array(hashed(hashes, 0).buffer);
    expect(first).toBe(0xb3ece62a);
  });

  it('of a text is the one of its bytes in UTF-8', () => {
    expect(murmurHex('')).toBe('0'.repeat(32));
    const text = 'é😀'.repeat(5000);
    const bytes = hashed(new TextEncoder().encode(text), 0);
    const words = [...new Int32Array(bytes.buffer)];
    expect(murmurHex(text)).toBe(words.map(hex).join(''));
  });
});

describe('BLAKE2s', () => {
  const whole = (text: string): string =>
    Buffer.from(Int32Array.from(blake2s(utf8Words(text), 32)).buffer).toString('hex');

  it('has the hash of `abc` that RFC 7693 prints', () => {
    expect(whole('abc')).toBe('508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982');
  });

  it('is that of OpenSSL for texts of every length around a block, and for a long one', () => {
    const letters = 'aé😀'.repeat(40_000);
    for (const length of [...Array.from({ length: 200 }, (_, index) => index), letters.length]) {
      const text = letters.slice(0, length);
      expect(whole(text)).toBe(createHash('blake2s256').update(text).digest('hex'));
    }
  });

  it('of 160 bits is another hash than the beginning of a longer one', () => {
    expect(blakeHex('abc')).toBe('5ae3b99be29b01834c3b508521ede60438f8de17');
  });
});
