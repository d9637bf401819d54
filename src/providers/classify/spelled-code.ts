/** The codes of servers: one spelling for each, which is written in many ways, and the codes that stand in a text. */

const MAX_CODE_CHARS = 80;
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

/** One word, whatever joins its parts; a sentence is not a code. */
export function isCode(value: string): boolean {
  return value.length <= MAX_CODE_CHARS && /^[\w.:*#-]+$/.test(value);
}

/** Words that mean no more than "error". */
export const WORDLESS: ReadonlySet<string> = new Set([
  '',
  'error',
  'none',
  'null',
  'undefined',
  'unknown',
  'failed',
  'failure',
]);

/** `Error Code: rate_limited`, `[model_not_found] …`, or nothing but the code. */
const PRINTED_CODE =
  /(?:\b(?:code|type|reason|status)["']?\s{0,2}[:=]\s{0,2}["'(]?|^\[)([A-Za-z]{2,30}(?:_[A-Za-z]{2,30}){1,6})\b|^([a-z]{2,30}(?:_[a-z]{2,30}){1,6})$|\bcode: ?([a-z]{4,40}(?:\.[a-z]{4,40})?) message:/i;

export function printedCode(text: string): string | undefined {
  if (!text.includes('_') && !text.includes('code:')) return undefined;
  const found = PRINTED_CODE.exec(text);
  return found?.[1] ?? found?.[2] ?? found?.[3];
}
