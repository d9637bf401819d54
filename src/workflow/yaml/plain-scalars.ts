/** Reads plain scalars of YAML 1.2, for unquoted values that consist of a variable. */
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { isExact } from '../json-schema/exact-number.ts';

export function resolvePlain(text: string): JsonValue {
  if (/^(true|True|TRUE)$/.test(text)) return true;
  if (/^(false|False|FALSE)$/.test(text)) return false;
  if (/^(null|Null|NULL|~)$/.test(text)) return null;
  if (!/^[-+]?(\.\d+|\d+(\.\d*)?)([eE][-+]?\d+)?$/.test(text)) return text;
  const number = Number(text);
  return isExact(text, number) ? number : text;
}

/** True for exactly one `${VAR}`. */
export function isOneReference(text: string): boolean {
  return /^\$\{[A-Z_][A-Z0-9_]*(:-[^}]*)?\}$/.test(text);
}
