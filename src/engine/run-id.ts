/**
 * Ids of runs. The run's id is all that separates the idempotency keys of two stores, so it has 120
 * random bits; in letters that are not mistaken for each other when typed.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync } from 'node:fs';

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const CHARS = 24;

const DEVICE = '/dev/urandom';

export function newRunId(): string {
  const bytes = randomBytes(CHARS);
  return Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join('');
}

/** From the kernel, where it has a device for them: `node:crypto` takes longer to load than most commands to run. */
function randomBytes(count: number): Uint8Array {
  return deviceBytes(count) ?? process.getBuiltinModule('node:crypto').randomBytes(count);
}

function deviceBytes(count: number): Uint8Array | undefined {
  if (!existsSync(DEVICE)) return undefined;
  const device = openSync(DEVICE, 'r');
  try {
    const bytes = new Uint8Array(count);
    // a file that somebody put in its place would give the same bytes each time
    const isDevice = fstatSync(device).isCharacterDevice();
    return isDevice && readSync(device, bytes) === count ? bytes : undefined;
  } finally {
    closeSync(device);
  }
}
