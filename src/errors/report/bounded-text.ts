/**
 * Bounds a text: filters it first, then cuts it, so that a cut never leaves half a secret. The result is
 * a fixed point: bounding it again with the same filter changes nothing.
 */

/** Replaces whatever is redacted in a text. */
export const REDACTED = '[redacted]';

/** Replaces the rest of a text that was cut. */
export const ELLIPSIS = '…';

export type TextFilter = (text: string) => string;

export interface BoundedText {
  readonly text: string;
  /** Characters left out; those that the filter removed do not count. */
  readonly cutChars: number;
}

/**
 * A text is read this far beyond its bound, so that the filter sees secrets that a cut would halve.
 */
const MARGIN_CHARS = 4096;

/** A secret may begin at the end of the part that was read, too short for the filter to see. */
const GUARD_CHARS = 1024;

/** A cut can make the filter match at the new end; the text gets shorter each time. */
const MAX_CUTS = 4;

export function boundText(text: string, maxChars: number, filter: TextFilter): BoundedText {
  const read = text.slice(0, maxChars + MARGIN_CHARS);
  const unread = text.length - read.length;
  const filtered = filter(read);
  if (unread === 0 && filtered.length <= maxChars) return { text: filtered, cutChars: 0 };

  const trusted = unread === 0 ? filtered.length : Math.max(0, filtered.length - GUARD_CHARS);
  let cut = cutTo(filtered.slice(0, trusted), maxChars);
  for (let count = 1; count < MAX_CUTS; count++) {
    const again = filter(cut);
    if (again === cut) break;
    cut = again.length <= maxChars ? again : cutTo(again, maxChars);
  }
  return { text: cut, cutChars: Math.max(1, filtered.length + unread - cut.length) };
}

function cutTo(text: string, maxChars: number): string {
  const end = endBefore(text, Math.min(text.length, maxChars - ELLIPSIS.length));
  return text.slice(0, end) + ELLIPSIS;
}

/** The last position up to `end` that splits neither a character nor a mark. */
function endBefore(text: string, end: number): number {
  const mark = text.lastIndexOf(REDACTED, end - 1);
  if (mark >= 0 && mark + REDACTED.length > end) return mark;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last < 0xdc00 ? end - 1 : end;
}

/** The length of a text in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x800) bytes += 2;
    else if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(index + 1))) {
      bytes += 4;
      index++;
    } else bytes += 3;
  }
  return bytes;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
