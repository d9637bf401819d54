/** A value as one would write it in a line of YAML, for suggestions that can be copied. */
import { isArray, isPlainObject } from '../../errors/json.ts';

/** Longer than that nobody reads in a message. */
const MAX_CHARS = 120;

/** Undefined where it is too long to be shown. */
export function flowText(value: unknown): string | undefined {
  const text = written(value);
  return text.length > MAX_CHARS ? undefined : text;
}

function written(value: unknown): string {
  if (isArray(value)) return `[${value.map(written).join(', ')}]`;
  if (isPlainObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => `${key}: ${written(item)}`);
    return `{${entries.join(', ')}}`;
  }
  if (typeof value !== 'string') return String(value);
  return /^[A-Za-z_$.][\w$./ -]*$|^\d+(\.\d+)?(ms|s|m|h|d)$/.test(value) && !isWord(value)
    ? value.trim()
    : JSON.stringify(value);
}

/** What YAML reads as something else than a text. */
function isWord(value: string): boolean {
  return /^(true|false|null|~|yes|no|on|off|\.inf|\.nan)$/i.test(value);
}
