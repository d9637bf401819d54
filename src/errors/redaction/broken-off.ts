/** Texts that broke off: a secret that is cut off at the end cannot be found by its value. */
import { REDACTED } from '../report/bounded-text.ts';
import type { Redactor } from './redact.ts';

/** Fewer characters of a secret reveal nothing, and often end an ordinary word. */
const MIN_BEGUN_CHARS = 8;

/** Redacts the configured values, and the end of the text if it may be the beginning of one. */
export function redactBrokenOff(text: string, { values, begunChars }: Redactor): string {
  const shown = values(text);
  const begun = begunChars?.(shown) ?? 0;
  return begun < MIN_BEGUN_CHARS ? shown : shown.slice(0, shown.length - begun) + REDACTED;
}
