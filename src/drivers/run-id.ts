/**
 * Names of runs. All that tells the idempotency keys of two stores apart is the name of the run in
 * them, so it has 120 random bits; in letters that cannot be mistaken for each other, to be typed.
 */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const CHARS = 24;

/** Loaded on demand: a process that goes on with a run names none, and would wait for it. */
export function newRunId(): string {
  const bytes = process.getBuiltinModule('node:crypto').randomBytes(CHARS);
  return Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join('');
}
