/** One spelling for the codes of servers, which write the same code in many ways. */

export const MAX_CODE_CHARS = 80;
const MAX_REMEMBERED = 4096;

/** Codes are few and recur, so each is normalised once. */
const SPELLED = new Map<string, string>();

/** Where the work was when it failed: `call.in-progress.error-transport-lost`. */
const BEFORE_ERROR = /^[\w.-]{1,60}\.error[-_](?=[a-z]+[-_])/;

/** `ThrottlingException`, `THROTTLING` and `throttling_error` are one code: `throttling`. */
export function normaliseCode(value: string): string {
  const known = SPELLED.get(value);
  if (known !== undefined) return known;
  const snake = value
    .slice(0, MAX_CODE_CHARS)
    .replace(BEFORE_ERROR, '')
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_|_$/g, '');
  const code = snake.replace(/(?:_(?:exception|error|err)){1,2}$/, '');
  if (SPELLED.size < MAX_REMEMBERED) SPELLED.set(value, code);
  return code;
}
