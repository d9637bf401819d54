/**
 * Text that may be shown on a terminal or put in a log line: no control characters and no marks
 * that reorder what is read, so that nobody's error message can repaint a screen.
 */
const CONTROL =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const ESCAPE_SEQUENCE =
  /\u001b(?:\[[0-9;:?]{0,32}[ -/]{0,4}[@-~]|\][^\u0007\u001b]{0,512}(?:\u0007|\u001b\\)|[@-Z\\^_])/g;

/** Keeps line breaks and tabs. */
export function printable(text: string): string {
  return text.replaceAll('\r\n', '\n').replace(ESCAPE_SEQUENCE, '').replace(CONTROL, '');
}

export function singleLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
