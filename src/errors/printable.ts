/**
 * Text that may be shown on a terminal or put in a log line: no control characters and no marks
 * that reorder what is read, so that nobody's error message can repaint a screen.
 */
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const ESCAPE_SEQUENCE = /\u001b(?:\[[0-9;?]{0,32}[ -/]{0,4}[@-~]|\][^\u0007\u001b]{0,512}(?:\u0007|\u001b\\)|[@-Z\\^_])/g;
/** Longer texts are cut far below this anyway; no need to clean what nobody will see. */
const MAX_CLEANED_CHARS = 16_384;

export function printable(text: string): string {
  const window = text.length > MAX_CLEANED_CHARS ? text.slice(0, MAX_CLEANED_CHARS) : text;
  const clean = window.replaceAll('\r\n', '\n').replace(ESCAPE_SEQUENCE, '').replace(CONTROL, '');
  return window.length === text.length ? clean : clean + text.slice(MAX_CLEANED_CHARS);
}

export function singleLine(text: string): string {
  return text.length < 4096 && !/\s\s|[\n\t]/.test(text) ? text : text.slice(0, 8192).replace(/\s+/g, ' ').trim();
}
