/**
 * The id and the time of a failure that nobody else stamps: one raised outside a run. Everything
 * inside a run is stamped by the machine, from what happened, so that a replay is identical. The
 * only file of the pure layers that looks at the world.
 */
import type { Stamp } from './report.ts';

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
