/**
 * Parts of a secret that are secrets by themselves: the lines of a key in PEM, which programs indent and
 * print one by one, and the fields of credentials in JSON. Each part is searched for as written.
 */
import { isArray, isPlainObject } from '../support/safe-json.ts';
import { isSecretName } from './secret-names.ts';

/** Shorter lines occur in other texts too. */
const MIN_LINE_CHARS = 8;
/** A shorter field under an ordinary name may be any word. */
const MIN_FIELD_CHARS = 16;
const MAX_PARTS = 1000;

/** Lines without a secret: marks of a format (`-----BEGIN KEY-----`), addresses without a password. */
const NO_SECRET = /^(?:-----|#|https?:\/\/[^@\s]*$)/;

export function partsOf(secret: string): readonly string[] {
  const fields = fieldsOf(secret);
  return (fields ?? linesOf(secret)).slice(0, MAX_PARTS);
}

function linesOf(text: string): readonly string[] {
  if (!/[\r\n]/.test(text)) return [];
  return text
    .split(/[\r\n]+/)
    .map((line) => line.trim())
    .filter((line) => line.length >= MIN_LINE_CHARS && !NO_SECRET.test(line));
}

/** Undefined for a text that is not JSON with fields. */
function fieldsOf(text: string): readonly string[] | undefined {
  if (!/^\s*[{[]/.test(text)) return undefined;
  try {
    return leavesOf(JSON.parse(text), '');
  } catch {
    // a text that only begins like JSON
    return undefined;
  }
}

function leavesOf(value: unknown, name: string): readonly string[] {
  if (typeof value === 'string') {
    if (isSecretName(name)) return [value, ...linesOf(value)];
    const isLong = value.length >= MIN_FIELD_CHARS && !/\s/.test(value.trim());
    return [...(isLong && !NO_SECRET.test(value) ? [value] : []), ...linesOf(value)];
  }
  if (isArray(value)) return value.flatMap((item) => leavesOf(item, name));
  if (!isPlainObject(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => leavesOf(inner, key));
}
