/**
 * Reproducible randomness: a stream of numbers that its seed words determine. Streams are forked by
 * name and never shared, so that one more draw in one stream changes nothing in another.
 */
export interface Random {
  /** From 0 up to, and never, 1. */
  next(): number;
  /** From 0 up to, and never, `below`. */
  int(below: number): number;
  chance(probability: number): boolean;
  /** Throws on an empty list. */
  pick<T>(list: readonly T[]): T;
}

export type SeedWord = string | number;

export function randomFrom(...words: readonly SeedWord[]): Random {
  const draw = sfc32(words.join('\u0000'));
  return {
    next: draw,
    int: (below) => Math.floor(draw() * below),
    // the draw is made in any case: a probability changed to 0 must not shift later draws
    chance: (probability) => draw() < probability,
    pick: (list) => {
      const chosen = list[Math.floor(draw() * list.length)];
      if (chosen === undefined) throw new RangeError('There is nothing to pick from');
      return chosen;
    },
  };
}

/** Chris Doty-Humphrey's small fast counter, seeded by four hashes of the text. */
function sfc32(text: string): () => number {
  let a = hash(text, 0x9e3779b9);
  let b = hash(text, 0x243f6a88);
  let c = hash(text, 0xb7e15162);
  let counter = 1;
  const draw = (): number => {
    const sum = (((a + b) | 0) + counter) | 0;
    counter = (counter + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (((c << 21) | (c >>> 11)) + sum) | 0;
    return (sum >>> 0) / 2 ** 32;
  };
  // neighbouring seeds begin alike until they are mixed
  for (let round = 0; round < 12; round++) draw();
  return draw;
}

function hash(text: string, basis: number): number {
  let mixed = basis ^ text.length;
  for (let index = 0; index < text.length; index++) {
    mixed = Math.imul(mixed ^ text.charCodeAt(index), 0x85ebca6b);
    mixed = (mixed << 13) | (mixed >>> 19);
  }
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0xc2b2ae35);
  return mixed ^ (mixed >>> 15);
}
