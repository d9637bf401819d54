/** Parses a text that is a whole JSON object or list; returns any other text unchanged. */
import type { JsonValue } from '../../../errors/support/safe-json.ts';
import { keepsDigits, readJson } from '../../json-schema/exact-number.ts';
import { TEMPLATE_LIMITS } from '../template-limits.ts';
import { exceed, type Evaluation } from './evaluation.ts';

export function structured(run: Evaluation, text: string): JsonValue {
  const inner = text.trim();
  const ends = inner.charAt(0) + inner.charAt(inner.length - 1);
  if (ends !== '{}' && ends !== '[]') return text;
  const value = parsed(inner);
  return value === undefined || !isJson(run, value, 1) ? text : value;
}

function parsed(text: string): JsonValue | undefined {
  try {
    // by its first and last character the text is an object, a list, or not JSON
    const { value, inexact } = readJson(text, keepsDigits);
    // parsing would lose digits
    return inexact === undefined ? value : undefined;
  } catch {
    // text that only resembles JSON, such as `{a, b}`, stays text
    return undefined;
  }
}

/** A number such as 1e999 parses as infinity, which JSON cannot represent. */
function isJson(run: Evaluation, value: JsonValue, depth: number): boolean {
  if (typeof value === 'number') return Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return true;
  if (depth > TEMPLATE_LIMITS.valueDepth) exceed(run, 'valueDepth');
  return Object.values(value).every((item) => isJson(run, item, depth + 1));
}
