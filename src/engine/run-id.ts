/**
 * Ids of runs. The run's id is all that separates the idempotency keys of two stores, so it has 120
 * random bits; in letters that are not mistaken for each other when typed.
 */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const CHARS = 24;

/** The shape of such an id; by chance, one contains a word such as `key`. */
export const RUN_ID: RegExp = new RegExp(`^[${LETTERS}]{${CHARS}}$`);

const DEVICE = '/dev/urandom';

/** `device` gives random bytes; where it cannot be read, `node:crypto` does. */
export function newRunId(device = DEVICE): string {
  let id = '';
  for (const byte of randomBytes(CHARS, device)) id += LETTERS.charAt(byte % LETTERS.length);
  return id;
}

/** From the kernel, where it has a device for them: `node:crypto` takes longer to load than most commands to run. */
function randomBytes(count: number, device: string): Uint8Array {
  return deviceBytes(count, device) ?? process.getBuiltinModule('node:crypto').randomBytes(count);
}

function deviceBytes(count: number, path: string): Uint8Array | undefined {
  let device: number | undefined;
  try {
    device = openSync(path, 'r');
    const bytes = new Uint8Array(count);
    // a file that somebody put in its place would give the same bytes each time
    const isDevice = fstatSync(device).isCharacterDevice();
    return isDevice && readSync(device, bytes) === count ? bytes : undefined;
  } catch {
    // Windows has none, and a sandbox or Node's own permissions may keep it from being read
    return undefined;
  } finally {
    if (device !== undefined) closeSync(device);
  }
}
