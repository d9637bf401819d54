/** Texts that broke off: the secret that one ends within is not whole, so nothing finds it by its value. */
import { REDACTED } from '../report/bounded-text.ts';
import type { Redactor } from './redact.ts';

/** Fewer characters of a secret tell nothing, and are often the end of an ordinary word. */
const MIN_BEGUN_CHARS = 8;

/** Redacts the configured values, and what the text ends with if that may be the beginning of one. */
export function redactBrokenOff(text: string, { values, begunChars }: Redactor): string {
  const shown = values(text);
  const begun = begunChars?.(shown) ?? 0;
  return begun < MIN_BEGUN_CHARS ? shown : shown.slice(0, shown.length - begun) + REDACTED;
}
