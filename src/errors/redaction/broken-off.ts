/** Texts that broke off. */
import { REDACTED } from '../report/bounded-text.ts';
import type { Redactor } from './redact.ts';

/** Fewer characters of a secret tell nothing, and are often the end of an ordinary word. */
const MIN_BEGUN_CHARS = 4;

/** Its end may be the beginning of a secret, which is not recognised without the rest. */
export function redactBrokenOff(text: string, redactor: Redactor): string {
  const begun = redactor.begunChars?.(text) ?? 0;
  if (begun < MIN_BEGUN_CHARS) return redactor.values(text);
  return redactor.values(text.slice(0, -begun)) + REDACTED;
}
