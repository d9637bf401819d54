/**
 * Decodings of a text, where programs encode some of its characters (`%2B` of an address, `\u0026`
 * and `\/` of JSON, the bytes of `xxd`) or a screen does not show some (colours, zeros of UTF-16,
 * marks without width). Each program chooses which characters to encode, so secrets are searched
 * for in the decoded text, and redacted in the text as written. Linear: each form is one pass.
 */
import {
  AS_SEEN,
  BREAKS,
  ESCAPED_UNSEEN,
  HTML,
  LINES_JOINED,
  OVERSTRUCK,
  mayOccur,
  UNREADABLE,
  type Form,
} from './seen-text.ts';

export type Range = readonly [start: number, end: number];

interface Piece {
  readonly at: number;
  readonly chars: number;
  readonly writtenAt: number;
  readonly writtenChars: number;
}

export interface Decoded {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

/** One byte, or the two to four of a character that is not ASCII. */
const ADDRESS: Form = {
  needs: '%',
  pattern:
    /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi,
  means: (written) => {
    try {
      return decodeURIComponent(written);
    } catch {
      // bytes that are not a character stay as they are
      return written;
    }
  },
  unfinished: /%(?:[c-f][\da-f](?:%[89ab][\da-f]){0,2}(?:%[89ab]?)?|[\da-f])?$/i,
};

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const JSON_TEXT: Form = {
  needs: '\\',
  // `\x7a` is no JSON, but that of JavaScript, Python and C
  pattern: /\\(u[\da-f]{4}|x[\da-f]{2}|["\\/bfnrt])/gi,
  means: (_written, sign) =>
    sign.length > 1
      ? String.fromCharCode(Number.parseInt(sign.slice(1), 16))
      : (ESCAPES[sign] ?? sign),
  unfinished: /\\+(?:u[\da-f]{0,3}|x[\da-f]?)?$/i,
};

/** Decoding all of JSON takes time, and only `\u` can hide characters from a screen. */
const JSON_UNSEEN: Form = { ...JSON_TEXT, needs: '\\u' };

/** `od -tx1`, `xxd` and `hexdump -C`: an offset, up to sixteen bytes, and their readable form. */
const DUMP: Form = {
  needs: '000',
  pattern:
    /^[ \t]*[\da-f]{6,8}:?[ \t]+((?:[\da-f]{2}(?:[\da-f]{2})?[ \t]+)*[\da-f]{2}(?:[\da-f]{2})?)(?:[ \t].*)?$\n?/gim,
  means: (_written, bytes) =>
    bytes
      .replace(/[ \t]+/g, '')
      .slice(0, 32)
      .toLowerCase(),
  // a line is one match, to its end; its offset begins with 0 in all but the largest files
  begins: '0',
  unfinished:
    /(?<![^\n])[ \t]*(?:0[\da-f]{0,7}:?|[\da-f]{6,8}:?[ \t]+(?:[\da-f]{0,4}|(?:[\da-f]{2}){1,2}[ \t].*))$/i,
};

/** The encodings of a text, the last first, and what to search for in the decoded text. */
export interface Way {
  readonly through: readonly Form[];
  readonly find: keyof Finders;
}

/** Come before all others: plain search would redact only one half of an interrupted secret. */
export const SEEN: readonly Way[] = [
  { through: [AS_SEEN], find: 'inSeen' },
  { through: [AS_SEEN, BREAKS], find: 'inText' },
  { through: [AS_SEEN, ADDRESS], find: 'inText' },
  { through: [AS_SEEN, JSON_TEXT], find: 'inGapped' },
  { through: [AS_SEEN, DUMP], find: 'inHex' },
  { through: [AS_SEEN, LINES_JOINED], find: 'inLines' },
  { through: [AS_SEEN, UNREADABLE], find: 'inText' },
  { through: [UNREADABLE], find: 'inText' },
  { through: [OVERSTRUCK], find: 'inText' },
  { through: [OVERSTRUCK, AS_SEEN], find: 'inText' },
  { through: [ADDRESS, AS_SEEN], find: 'inText' },
  { through: [ESCAPED_UNSEEN], find: 'inSeen' },
  { through: [AS_SEEN, ESCAPED_UNSEEN], find: 'inSeen' },
  { through: [ESCAPED_UNSEEN, JSON_TEXT], find: 'inSeen' },
  { through: [AS_SEEN, ESCAPED_UNSEEN, JSON_TEXT], find: 'inSeen' },
  { through: [JSON_UNSEEN, AS_SEEN], find: 'inSeen' },
  { through: [AS_SEEN, JSON_UNSEEN, AS_SEEN], find: 'inSeen' },
  { through: [JSON_UNSEEN, JSON_UNSEEN, AS_SEEN], find: 'inSeen' },
  { through: [AS_SEEN, JSON_UNSEEN, JSON_UNSEEN, AS_SEEN], find: 'inSeen' },
];

export const MEANT: readonly Way[] = [
  { through: [ADDRESS], find: 'inText' },
  // an address in the query of another
  { through: [ADDRESS, ADDRESS], find: 'inText' },
  { through: [JSON_TEXT], find: 'inGapped' },
  { through: [JSON_TEXT, ADDRESS], find: 'inText' },
  { through: [JSON_TEXT, JSON_TEXT], find: 'inText' },
  { through: [BREAKS], find: 'inText' },
  { through: [HTML], find: 'inText' },
  { through: [LINES_JOINED], find: 'inLines' },
  { through: [JSON_TEXT, LINES_JOINED], find: 'inLines' },
  { through: [DUMP], find: 'inHex' },
  { through: [JSON_TEXT, DUMP], find: 'inHex' },
];

/**
 * Programs put encodings into encodings: a log in JSON has a coloured address, which has another in
 * its query. Decodes the forms that occur in this order, even if one was hidden in another.
 */
export const NESTED: readonly Form[] = [
  AS_SEEN,
  JSON_TEXT,
  JSON_TEXT,
  AS_SEEN,
  ADDRESS,
  ADDRESS,
  HTML,
  AS_SEEN,
];

export type Find = (meant: string) => readonly Range[];

export interface Finders {
  readonly inText: Find;
  /** Searches what a screen shows. */
  readonly inSeen: Find;
  /** Searches decoded JSON, across the line breaks that programs put into base64. */
  readonly inGapped: Find;
  /** Searches the digits of a dump; whole lines go, because the readable column repeats the bytes. */
  readonly inHex: Find;
  /** Searches a text without its line breaks, where two words can look like one. */
  readonly inLines: Find;
}

/** Redacts the findings in the text as a screen would show it, and leaves the rest as written. */
export function redactSeen(
  text: string,
  find: Partial<Finders>,
  { mark, meanings = new Meanings() }: RedactOptions,
): string {
  return redactFound(text, SEEN, find, { mark, meanings });
}

/** Redacts the findings in any other decoding of the text, and leaves the rest as written. */
export function redactDecoded(
  text: string,
  find: Finders,
  { mark, meanings = new Meanings() }: RedactOptions,
): string {
  return redactFound(text, MEANT, find, { mark, meanings });
}

interface RedactOptions {
  readonly mark: string;
  /** Shared where the same text is decoded more than once. */
  readonly meanings?: Meanings;
}

function redactFound(
  text: string,
  ways: readonly Way[],
  finders: Partial<Finders>,
  { mark, meanings }: Required<RedactOptions>,
): string {
  const found = rangesFound(text, ways, finders, meanings);
  return found.length === 0 ? text : withMarks(text, found, mark);
}

/** Searches every way in the unredacted text: a mark could hide half of a secret from the next way. */
export function rangesFound(
  text: string,
  ways: readonly Way[],
  finders: Partial<Finders>,
  meanings = new Meanings(),
): readonly Range[] {
  const nested = meanings.present(text, NESTED);
  // each form by itself has its way
  const all = nested.length < 2 ? ways : [...ways, { through: nested, find: 'inGapped' } as const];
  const written = all.flatMap(({ through, find: name }) => {
    const find = finders[name];
    if (find === undefined) return [];
    const meant = meanings.of(text, through);
    if (meant === undefined) return [];
    const found = find(meant);
    if (found.length === 0) return [];
    return layersOf(text, through).reduceRight<readonly Range[]>(writtenRanges, joined(found));
  });
  return written.length === 0 ? [] : joined(written);
}

interface Step {
  readonly text: string;
  readonly next: Map<Form, Step | undefined>;
}

/** Caches the decodings of one text; many begin with the same steps. */
export class Meanings {
  #root: Step = { text: '', next: new Map() };

  /** Undefined where one of the forms does not occur: then another way gives the same text. */
  of(text: string, way: readonly Form[]): string | undefined {
    let step: Step | undefined = this.#rootOf(text);
    for (const form of way) {
      if (step === undefined) return undefined;
      step = nextStep(step, form);
    }
    return step?.text;
  }

  /** The forms that occur in the text once those before them are decoded. */
  present(text: string, way: readonly Form[]): readonly Form[] {
    let step = this.#rootOf(text);
    return way.filter((form) => {
      const next = nextStep(step, form);
      step = next ?? step;
      return next !== undefined;
    });
  }

  #rootOf(text: string): Step {
    if (this.#root.text !== text) this.#root = { text, next: new Map() };
    return this.#root;
  }
}

function nextStep({ text, next }: Step, form: Form): Step | undefined {
  if (!next.has(form)) next.set(form, stepFrom(text, form));
  return next.get(form);
}

function stepFrom(text: string, form: Form): Step | undefined {
  if (!mayOccur(form, text)) return undefined;
  const { pattern, means } = form;
  const meant =
    typeof means === 'string'
      ? text.replace(pattern, means)
      : text.replace(pattern, (written: string, first: unknown) => means(written, String(first)));
  return meant === text ? undefined : { text: meant, next: new Map() };
}

function layersOf(text: string, way: readonly Form[]): readonly Decoded[] {
  const layers: Decoded[] = [];
  for (const form of way) layers.push(decodedOnce(form, layers.at(-1)?.text ?? text));
  return layers;
}

export function decodedOnce({ pattern, means }: Form, text: string): Decoded {
  const pieces: Piece[] = [];
  let meant = '';
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const [written, first = ''] = match;
    meant += text.slice(end, match.index);
    const decoded = typeof means === 'string' ? means : means(written, first);
    pieces.push({
      at: meant.length,
      chars: decoded.length,
      writtenAt: match.index,
      writtenChars: written.length,
    });
    meant += decoded;
    end = match.index + written.length;
  }
  return { text: meant + text.slice(end), pieces };
}

/** Maps ranges of the decoded text to the text as written; both go from left to right. */
export function writtenRanges(ranges: readonly Range[], { pieces }: Decoded): readonly Range[] {
  let next = 0;
  /** The range of one character; a piece is mapped whole. */
  const writtenAs = (at: number): Range => {
    for (let piece = pieces[next]; piece !== undefined; piece = pieces[++next])
      if (piece.at + piece.chars > at) break;
    const piece = pieces[next];
    if (piece !== undefined && piece.at <= at)
      return [piece.writtenAt, piece.writtenAt + piece.writtenChars];
    const before = pieces[next - 1];
    const shift =
      before === undefined ? 0 : before.writtenAt + before.writtenChars - before.at - before.chars;
    return [at + shift, at + shift + 1];
  };
  return ranges.map(([start, end]) => {
    const [from] = writtenAs(start);
    return [from, writtenAs(end - 1)[1]];
  });
}

function joined(ranges: readonly Range[]): readonly Range[] {
  const result: [number, number][] = [];
  for (const [start, end] of ranges.toSorted((a, b) => a[0] - b[0])) {
    const last = result.at(-1);
    if (last !== undefined && start < last[1]) last[1] = Math.max(last[1], end);
    else result.push([start, end]);
  }
  return result;
}

function withMarks(text: string, ranges: readonly Range[], mark: string): string {
  let result = '';
  let at = 0;
  for (const [start, end] of ranges) {
    const isLine = text[end - 1] === '\n';
    result += text.slice(at, start) + mark + (isLine ? '\n' : '');
    at = end;
  }
  return result + text.slice(at);
}
