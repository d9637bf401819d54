/** Writes a value as one line of YAML, for suggestions that can be copied. */
import { isArray, isPlainObject } from '../../errors/support/safe-json.ts';

/** Longer values are not shown in messages. */
const MAX_CHARS = 120;

/** Undefined where the value is too long. */
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

/** Texts that YAML would read as another type. */
function isWord(value: string): boolean {
  return /^(true|false|null|~|yes|no|on|off|\.inf|\.nan)$/i.test(value);
}
