/** Texts that broke off: the secret that one ends within is not whole, so nothing finds it by its value. */
import { REDACTED } from '../report/bounded-text.ts';
import type { Redactor } from './redact.ts';

/** Shorter ends are words as often as keys, and tell too little of a key. */
const MIN_BEGUN_CHARS = 12;

/** Redacts the configured values, and what the text ends with if that may be most of one. */
export function redactBrokenOff(text: string, { values, begunChars }: Redactor): string {
  const shown = values(text);
  const begun = begunChars?.(shown) ?? 0;
  return begun < MIN_BEGUN_CHARS ? shown : shown.slice(0, shown.length - begun) + REDACTED;
}
