/**
 * Ids of runs. The run's id is all that separates the idempotency keys of two stores, so it has 120
 * random bits; in letters that are not mistaken for each other when typed.
 */
const LETTERS = '0123456789abcdefghjkmnpqrstvwxyz';
const CHARS = 24;

/** Loads `node:crypto` on demand: a process that resumes a run makes no id. */
export function newRunId(): string {
  const bytes = process.getBuiltinModule('node:crypto').randomBytes(CHARS);
  return Array.from(bytes, (byte) => LETTERS[byte % LETTERS.length]).join('');
}
