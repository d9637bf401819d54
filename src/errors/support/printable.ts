/**
 * Makes text printable on a terminal or in a log line: no control characters and no marks that
 * reorder the text, so that foreign text cannot repaint a screen. A screen shows them as escapes;
 * stored messages omit them.
 */
import { once } from './once.ts';

export const CONTROL =
  /[\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u206f\ufff9-\ufffb]/g;
/** Sequences of ECMA-48: colours and cursor, window titles and links, character sets, all others. */
export const ESCAPE_SEQUENCE =
  /(?:\u001b\[|\u009b(?=[0-?]))[0-?]{0,32}[ -/]{0,4}[@-~]|\u001b[\]PX^_][^\u0007\u001b\u009c]{0,512}(?:\u0007|\u009c|\u001b\\)|\u001b[ -/]{1,4}[0-~]|\u001b[0-Z\\^-~]/g;

/** Other line breaks: a carriage return, the breaks of Unicode and of old printers. */
export const FOREIGN_BREAK = /\r\n|[\r\u000b\u000c\u0085\u2028\u2029]/g;

const IGNORABLE = String.raw`\p{Default_Ignorable_Code_Point}`;

/** Everything that a screen interprets or does not show, except line feeds and tabs. */
const UNSEEN = String.raw`[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufff9-\ufffb]|${IGNORABLE}`;

/** Scripts in which a joiner or a non-joiner is part of the spelling. */
const JOINING = `Arabic Syriac Mandaic Nko Mongolian Devanagari Bengali Gurmukhi Gujarati Oriya Tamil
  Telugu Kannada Malayalam Sinhala Khmer Myanmar`;

/** The first group stays unchanged. Properties of Unicode take milliseconds to look up, and few texts need them. */
const drawnOrUnseen = once(() => new RegExp(`(${drawn()})|${UNSEEN}`, 'gu'));

/** Invisible by itself, and changes how its neighbour is drawn. */
function drawn(): string {
  const joining = JOINING.split(/\s+/)
    .map((script) => String.raw`\p{Script=${script}}`)
    .join('');
  return [
    // an invisible neighbour does not make it visible
    String.raw`(?<=[${joining}])(?<!${IGNORABLE})[\u200c\u200d](?=[${joining}])(?!${IGNORABLE})`,
    String.raw`(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d(?=\p{Extended_Pictographic})`,
    String.raw`(?<=[\p{Extended_Pictographic}0-9#*])[\ufe0e\ufe0f]`,
    String.raw`(?<=\p{Script=Han})[\ufe00-\ufe02\u{e0100}-\u{e01ef}]`,
    String.raw`(?<=\p{Script=Mongolian})[\u180b-\u180d\u180f]`,
  ].join('|');
}

/** Most texts have nothing to remove, as this one test shows. */
const PRINTABLE = /^[\n\t -~]*$/;

/** Keeps line breaks and tabs. */
export function printable(text: string): string {
  if (PRINTABLE.test(text)) return text;
  return text.replace(ESCAPE_SEQUENCE, '').replace(CONTROL, '').replace(FOREIGN_BREAK, '\n');
}

/** White space that is no single space between words. */
const UNEVEN = /[^\S ]|^ | {2}| $/;

export function singleLine(text: string): string {
  if (!UNEVEN.test(text)) return text;
  return text.replace(/\s+/g, ' ').trim();
}

/** Escapes invisible characters (`\u001b` for an escape character); keeps line feeds and tabs. */
export function visible(text: string): string {
  return escapedUnseen(text);
}

/** The same on one line, so that foreign text never starts a line of its own. */
export function oneLine(text: string): string {
  return visible(text.replace(FOREIGN_BREAK, '\n').replace(/[\n\t]/g, ' '));
}

/** JSON that can be shown: its texts escape invisible characters, which JSON reads back unchanged. */
export function jsonText(value: unknown, indent?: number): string {
  return escapedUnseen(JSON.stringify(value, null, indent));
}

/**
 * Most texts consist only of ASCII, Latin, punctuation, arrows and boxes; testing that takes a
 * tenth of the work.
 */
const PLAIN = /^[\n\t -~\u00a1-\u00ac\u00ae-\u024f\u2010-\u2027\u2030-\u205e\u2190-\u27bf]*$/;

function escapedUnseen(text: string): string {
  if (PLAIN.test(text)) return text;
  return text.replace(drawnOrUnseen(), (character, kept?: string) => kept ?? escaped(character));
}

/** Each unit by itself: JSON has no other escape for characters beyond the first 65,536. */
function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, at) => character.charCodeAt(at));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
