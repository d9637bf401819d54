/**
 * A text as it is meant, where programs write some of its characters in another way: `%2B` of an address,
 * `\u0026` and `\/` of JSON, the bytes of `xxd`. Which characters a program encodes is its own choice, so a
 * secret is looked for in what was decoded, and what is found is taken out of the text as it was written.
 * Linear: each form is one pass.
 */
export type Range = readonly [start: number, end: number];

interface Piece {
  readonly at: number;
  readonly chars: number;
  readonly writtenAt: number;
  readonly writtenChars: number;
}

interface Decoded {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

interface Form {
  readonly pattern: RegExp;
  /** Is in every match, and looking for it first is quicker than the pattern. */
  readonly needs: string;
  readonly decode: (written: string, group: string) => string;
}

/** One byte, or the two to four of a character that is not ASCII. */
const ADDRESS: Form = {
  needs: '%',
  pattern:
    /%[0-7][\da-f]|%[cd][\da-f]%[89ab][\da-f]|%e[\da-f](?:%[89ab][\da-f]){2}|%f[0-7](?:%[89ab][\da-f]){3}/gi,
  decode: (written) => {
    try {
      return decodeURIComponent(written);
    } catch {
      // bytes that are no character mean nothing else than themselves
      return written;
    }
  },
};

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const JSON_TEXT: Form = {
  needs: '\\',
  pattern: /\\(u[\da-f]{4}|["\\/bfnrt])/gi,
  decode: (_written, sign) =>
    sign.length > 1
      ? String.fromCharCode(Number.parseInt(sign.slice(1), 16))
      : (ESCAPES[sign] ?? sign),
};

/** `od -tx1`, `xxd` and `hexdump -C`: an offset, up to sixteen bytes, and what is readable of them. */
const DUMP: Form = {
  needs: '000',
  pattern:
    /^[ \t]*[\da-f]{6,8}:?[ \t]+((?:[\da-f]{2}(?:[\da-f]{2})?[ \t]+)*[\da-f]{2}(?:[\da-f]{2})?)(?:[ \t].*)?$\n?/gim,
  decode: (_written, bytes) =>
    bytes
      .replace(/[ \t]+/g, '')
      .slice(0, 32)
      .toLowerCase(),
};

/** What a text may have gone through, the last first. */
const WAYS: readonly (readonly Form[])[] = [
  [ADDRESS],
  [JSON_TEXT],
  [JSON_TEXT, ADDRESS],
  [JSON_TEXT, JSON_TEXT],
  [DUMP],
  [JSON_TEXT, DUMP],
];

export interface Finders {
  readonly inText: (meant: string) => readonly Range[];
  /** In the digits of a dump, of which whole lines go: the readable column says the same again. */
  readonly inHex: (hex: string) => readonly Range[];
}

/** Takes out what is found in any of the meanings of a text, and leaves the rest as written. */
export function takenOutDecoded(text: string, find: Finders, mark: string): string {
  let rest = text;
  let seen = new Map<Form, string>();
  for (const way of WAYS) {
    const meant = meaningOf(rest, way, seen);
    if (meant === undefined) continue;
    const found = way.at(-1) === DUMP ? find.inHex(meant) : find.inText(meant);
    if (found.length === 0) continue;
    const layers = layersOf(rest, way);
    const written = layers.reduceRight<readonly Range[]>(writtenRanges, joined(found));
    rest = withMarks(rest, joined(written), mark);
    seen = new Map();
  }
  return rest;
}

/** Undefined where one of the forms is not there: then another way says the same. */
function meaningOf(
  text: string,
  way: readonly Form[],
  seen: Map<Form, string>,
): string | undefined {
  let meant = text;
  for (const [depth, form] of way.entries()) {
    const isFirst = depth === 0;
    // the same first step begins several ways
    const known = isFirst ? seen.get(form) : undefined;
    const next =
      known ??
      (meant.includes(form.needs)
        ? meant.replace(form.pattern, (written: string, first: unknown) =>
            form.decode(written, String(first)),
          )
        : meant);
    if (isFirst) seen.set(form, next);
    if (next === meant) return undefined;
    meant = next;
  }
  return meant;
}

function layersOf(text: string, way: readonly Form[]): readonly Decoded[] {
  const layers: Decoded[] = [];
  for (const form of way) layers.push(decodedOnce(form, layers.at(-1)?.text ?? text));
  return layers;
}

function decodedOnce({ pattern, decode }: Form, text: string): Decoded {
  const pieces: Piece[] = [];
  let meant = '';
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    const [written, first = ''] = match;
    meant += text.slice(end, match.index);
    const decoded = decode(written, first);
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

/** Where the ranges of a meaning stand in what was written; both go from left to right. */
function writtenRanges(ranges: readonly Range[], { pieces }: Decoded): readonly Range[] {
  let next = 0;
  /** Of one character; a piece is taken whole. */
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
  let rest = '';
  let at = 0;
  for (const [start, end] of ranges) {
    const isLine = text[end - 1] === '\n';
    rest += text.slice(at, start) + mark + (isLine ? '\n' : '');
    at = end;
  }
  return rest + text.slice(at);
}
