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
  return { id: newId(), at: timeNow() };
}

let lastMs = NaN;
let lastTime = '';

/** Failures come in bursts, and writing a time costs more than reading the clock. */
function timeNow(): string {
  const ms = Date.now();
  if (ms !== lastMs) lastTime = new Date(ms).toISOString();
  lastMs = ms;
  return lastTime;
}

/** Random bytes for many ids at once: asking for a few costs as much as asking for many. */
const POOL_BYTES = 256 * ID_CHARS;
const pool = new Uint8Array(POOL_BYTES);
let used = POOL_BYTES;

function newId(): string {
  // absent in Temporal's workflow sandbox, whose Math.random is seeded per run
  const source = (globalThis as { crypto?: RandomSource }).crypto;
  if (source !== undefined && used >= POOL_BYTES) {
    source.getRandomValues(pool);
    used = 0;
  }
  let id = 'err_';
  for (let at = 0; at < ID_CHARS; at++) {
    const byte = source === undefined ? Math.floor(Math.random() * 256) : (pool[used++] ?? 0);
    id += ALPHABET.charAt(byte % ALPHABET.length);
  }
  return id;
}
