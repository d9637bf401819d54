/**
 * Text as a reader sees it: without sequences that a terminal acts upon, characters without width and
 * unreadable bytes, and with the escapes of HTML and the overstrikes of printers resolved.
 */
import { CONTROL, ESCAPE_SEQUENCE, FOREIGN_BREAK } from '../support/printable.ts';

/** A form in which characters are written, and how to decode it. */
export interface Form {
  readonly pattern: RegExp;
  /** Occurs in every match; searching for it first is quicker than the pattern. */
  readonly needs: string | RegExp;
  /** A plain text, which is faster, if every match decodes to the same. */
  readonly means: string | ((written: string, group: string) => string);
  /** Matches a possible beginning of a match, at the end of a continuing text. */
  readonly unfinished?: RegExp;
  /** Occurs if a match has begun; default: `needs`. */
  readonly begins?: string;
}

/** False only where the form does not occur. */
export function mayOccur({ needs }: Pick<Form, 'needs'>, text: string): boolean {
  return typeof needs === 'string' ? text.includes(needs) : needs.test(text);
}

/** False only where the form neither occurs nor has begun. */
export function mayBegin({ needs, begins }: Form, text: string): boolean {
  return mayOccur({ needs: begins ?? needs }, text);
}

/**
 * Characters that are not drawn (`Default_Ignorable_Code_Point`), as UTF-16 units, which is faster.
 */
const NOT_DRAWN = new RegExp(
  [
    [
      '[',
      '\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u202a-\\u202e',
    ],
    ['\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb', ']'],
    ['|[\\udb40-\\udb43][\\udc00-\\udfff]|\\ud82f[\\udca0-\\udca3]|\\ud834[\\udd73-\\udd7a]'],
  ]
    .flat()
    .join(''),
);

/** A text of ASCII without controls has nothing invisible. */
const UNUSUAL = /[^\t\n -~]/;

/** Removes all that `printable` removes, and characters that are not drawn. */
export const AS_SEEN: Form = {
  needs: UNUSUAL,
  pattern: new RegExp(
    [ESCAPE_SEQUENCE, CONTROL, NOT_DRAWN].map(({ source }) => source).join('|'),
    'g',
  ),
  means: '',
  unfinished:
    /(?:\u001b\[|\u009b)[0-?]{0,32}[ -/]{0,4}$|\u001b[\]PX^_][^\u0007\u001b\u009c]{0,512}\u001b?$|\u001b[ -/]{0,4}$|[\ud82f\ud834\udb40-\udb43]$/,
};

/**
 * The same in the escapes of JSON, once or inside another JSON text: a program that logs in JSON
 * escapes the colours of its output this way.
 */
export const ESCAPED_UNSEEN: Form = {
  needs: '\\u',
  pattern: new RegExp(
    [
      String.raw`\\{1,4}u001b(?:\[[0-?]{0,32}[ -/]{0,4}[@-~]|[ -/]{1,4}[0-~])`,
      String.raw`\\{1,4}u001b[\]PX^_][^\\]{0,512}(?:\\{1,4}u0007|\\{1,4}u009c|\\{2}u001b\\{4}|\\u001b\\{2})`,
      String.raw`\\{2}u001b\\{4}|\\u001b\\{2}|\\{1,4}u001b[0-Z^-~]`,
      String.raw`\\{1,4}u(?:000[0-8ef]|001[\da-f]|007f|00[89][0-46-9a-f]|00ad|034f|061c|115f|1160|17b[45])`,
      String.raw`\\{1,4}u(?:180[b-f]|200[b-f]|202[a-e]|206[\da-f]|3164|fe0[\da-f]|feff|ffa0|fff[\da-b])`,
      String.raw`\\{1,4}udb4[0-3]\\{1,4}ud[c-f][\da-f]{2}`,
    ].join('|'),
    'gi',
  ),
  means: '',
  unfinished: new RegExp(
    [
      String.raw`\\+(?:u[\da-f]{0,3})?$`,
      String.raw`\\{1,4}u001b(?:\[[0-?]{0,32}[ -/]{0,4}|[ -/]{0,4}|[\]PX^_][^\\]{0,512}(?:\\+(?:u[\da-f]{0,4})?)*)$`,
      String.raw`\\{1,4}udb4[0-3](?:\\+(?:ud?[c-f]?[\da-f]?)?)?$`,
    ].join('|'),
    'i',
  ),
};

export function asSeen(text: string): string {
  return UNUSUAL.test(text) ? text.replace(AS_SEEN.pattern, '') : text;
}

/** Makes all line breaks the same, as `printable` does. */
export const BREAKS: Form = {
  needs: /[\r\u000b\u000c\u0085\u2028\u2029]/,
  pattern: FOREIGN_BREAK,
  means: '\n',
  unfinished: /\r$/,
};

/** Bytes that are not UTF-8, also the byte that begins a colour on terminals of eight bits. */
export const UNREADABLE: Form = {
  needs: '\ufffd',
  pattern: /\ufffd(?:[0-9;:]{1,32}m)?/g,
  means: '',
  unfinished: /\ufffd[0-9;:]{0,32}$/,
};

/** Letters that a backspace deletes; `man` writes bold and underlined letters this way. */
export const OVERSTRUCK: Form = {
  needs: '\b',
  pattern: /[^\n\b]{4}[\b]{4}|[^\n\b]{3}[\b]{3}|[^\n\b]{2}[\b]{2}|[^\n\b][\b](?!_)|[\b]_/g,
  means: '',
  unfinished: /[^\n\b]{1,4}[\b]{0,3}$|[\b]+$/,
};

/** A program that keeps its lines short breaks long words too, and indents the next line. */
export const LINES_JOINED: Form = {
  needs: /[\n\r]/,
  pattern: /[\n\r]\s*/g,
  means: '',
};

const NAMED: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

export const HTML: Form = {
  needs: '&',
  pattern: /&(amp|lt|gt|quot|apos|#\d{1,6}|#x[\da-f]{1,5});/gi,
  means: (written, sign) => {
    if (!sign.startsWith('#')) return NAMED[sign.toLowerCase()] ?? written;
    const isHex = /^#x/i.test(sign);
    return String.fromCodePoint(Number.parseInt(sign.slice(isHex ? 2 : 1), isHex ? 16 : 10));
  },
  unfinished: /&[#\da-z]{0,7}$/i,
};
