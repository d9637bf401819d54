/** Text that is a whole JSON object or list, as its value; any other text as it is. */
import type { JsonValue } from '../../errors/json.ts';
import { keepsDigits, readJson } from '../exact-number.ts';
import { TEMPLATE_LIMITS } from './limits.ts';
import { exceed, type Run } from './run.ts';

export function structured(run: Run, text: string): JsonValue {
  const inner = text.trim();
  const ends = inner.charAt(0) + inner.charAt(inner.length - 1);
  if (ends !== '{}' && ends !== '[]') return text;
  const value = parsed(inner);
  return value === undefined || !isJson(run, value, 1) ? text : value;
}

function parsed(text: string): JsonValue | undefined {
  try {
    // the text begins and ends like one, so it is an object, a list, or not JSON
    const { value, inexact } = readJson(text, keepsDigits);
    // text keeps its digits
    return inexact === undefined ? value : undefined;
  } catch {
    // text that only looks like JSON, such as `{a, b}`, is text
    return undefined;
  }
}

/** A number such as 1e999 parses as infinity, which no JSON can hold. */
function isJson(run: Run, value: JsonValue, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth > TEMPLATE_LIMITS.valueDepth) exceed(run, 'valueDepth');
  return Object.values(value).every((item) => isJson(run, item, depth + 1));
}
