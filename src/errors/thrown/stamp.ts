/**
 * Stamps a failure outside a run with an id and a time. Inside a run the machine stamps everything, from
 * its events, so that a replay is identical. The only file of the pure layers that reads clock and randomness.
 */
import type { Stamp } from '../report/report.ts';

const ALPHABET = 'abcdefghjkmnpqrstuvwxyz023456789';
const ID_CHARS = 16;

interface RandomSource {
  getRandomValues(bytes: Uint8Array): Uint8Array;
}

export function ambientStamp(): Stamp {
  return { id: newId(), at: new Date().toISOString() };
}

function newId(): string {
  const bytes = new Uint8Array(ID_CHARS);
  // absent in Temporal's workflow sandbox, whose Math.random is seeded per run
  const source = (globalThis as { crypto?: RandomSource }).crypto;
  if (source === undefined) bytes.forEach((_, index) => (bytes[index] = Math.random() * 256));
  else source.getRandomValues(bytes);
  return `err_${Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('')}`;
}
