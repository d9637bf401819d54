/**
 * Text that may be shown on a terminal or put in a log line: no control characters and no marks
 * that reorder what is read, so that nobody's words can repaint a screen. What is shown says that
 * they were there; what is stored of a message is without them.
 */
const CONTROL =
  /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufff9-\ufffb]/g;
const ESCAPE_SEQUENCE =
  /\u001b(?:\[[0-9;:?]{0,32}[ -/]{0,4}[@-~]|\][^\u0007\u001b]{0,512}(?:\u0007|\u001b\\)|[@-Z\\^_])/g;

/** What else ends a line somewhere: a carriage return, the breaks of Unicode and of old printers. */
const FOREIGN_BREAK = /\r\n|[\r\u000b\u000c\u0085\u2028\u2029]/g;

/** All that a screen is not to get as it is, but for line feeds and tabs. */
const UNSEEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Keeps line breaks and tabs. */
export function printable(text: string): string {
  return text.replace(ESCAPE_SEQUENCE, '').replace(FOREIGN_BREAK, '\n').replace(CONTROL, '');
}

export function singleLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}

/** As it is, with `\u001b` for an escape character and so on; keeps line feeds and tabs. */
export function visible(text: string): string {
  return text.replace(UNSEEN, escaped);
}

/** The same on one line: what stands below a line is never the words of someone else. */
export function oneLine(text: string): string {
  return visible(text.replace(FOREIGN_BREAK, '\n').replace(/[\n\t]/g, ' '));
}

/** JSON that can be shown: inside of its texts the escapes of JSON stand for the same characters. */
export function jsonText(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSEEN, escaped);
}

/** Each unit by itself: JSON has no other way to write what is beyond the first 65,536 characters. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
