/**
 * Readings of a secret: as written, as a screen shows it, and, where it is not ASCII, as programs misread
 * it that disagree on the encoding or on the form of an accent.
 */
import { asSeen } from './seen-text.ts';

export function readingsOf(value: string): readonly string[] {
  const readings = /^[\t\n -~]*$/.test(value)
    ? [value]
    : [value, value.normalize('NFC'), value.normalize('NFD')].flatMap((form) => [
        form,
        utf8AsLatin1(form),
        form.replace(/[\u0080-\u00ff]/g, '\ufffd'),
      ]);
  return [...new Set(readings.flatMap((reading) => [reading, asSeen(reading)]))];
}

/** `Ã¤` for `ä`. */
function utf8AsLatin1(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(/%([\dA-F]{2})/g, (_code, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
}
