/**
 * Secrets that may have begun at the end of a text that comes in pieces, in every decoding that a
 * whole text is searched in. A part that may still become a secret, or lies inside a complete one,
 * waits for the next piece: if it were cut there, neither half would be recognised.
 */
import { once } from '../support/once.ts';
import { type Form, mayBegin } from './seen-text.ts';
import {
  decodedOnce,
  type Finders,
  MEANT,
  NESTED,
  rangesFound,
  SEEN,
  type Way,
  writtenRanges,
} from './text-decodings.ts';

/**
 * Where a secret begins that the end of the text cuts off; the length of the text if there is none.
 */
export type FindBegun = (meant: string) => number;

/** The needles that one decoding is searched for. */
type Searched = 'plain' | 'encoded';

export type FindersOfBegun = Readonly<Record<Searched, FindBegun>>;

/** One decoding, and those that continue from it. */
interface Decoding {
  readonly searched: Set<Searched>;
  readonly next: Map<Form, Decoding>;
}

/** The gaps that programs put between the letters of encoded bytes. */
const GAPPED: Form = { needs: /[\s:]/, pattern: /[\s:]+/g, means: '' };

const SEARCHED = {
  inText: { here: ['plain', 'encoded'], acrossGaps: [] },
  inSeen: { here: ['plain', 'encoded'], acrossGaps: ['encoded'] },
  inGapped: { here: ['plain', 'encoded'], acrossGaps: ['encoded'] },
  inHex: { here: ['encoded'], acrossGaps: [] },
  inLines: { here: ['plain'], acrossGaps: [] },
} as const satisfies Readonly<Record<keyof Finders, Readonly<Record<string, readonly Searched[]>>>>;

const AS_WRITTEN: Way = { through: [], find: 'inGapped' };
const WAYS: readonly Way[] = [AS_WRITTEN, ...SEEN, ...MEANT];
const decodings = once(() => treeOf(WAYS));
const gappedText = once(() => treeOf([AS_WRITTEN]));

/** How many characters at the beginning of a text can be shown, whatever follows. */
export function settledChars(text: string, begun: FindersOfBegun, complete: Finders): number {
  const settled = Math.min(begunAt(text, decodings(), begun), begunNested(text, NESTED, begun));
  const around = rangesFound(text, WAYS, complete).find(
    ([start, end]) => start < settled && settled < end,
  );
  return around?.[0] ?? settled;
}

function treeOf(ways: readonly Way[]): Decoding {
  const root: Decoding = { searched: new Set(), next: new Map() };
  const add = (through: readonly Form[], searched: readonly Searched[]): void => {
    let decoding = root;
    for (const form of through) {
      const next = decoding.next.get(form) ?? { searched: new Set(), next: new Map() };
      decoding.next.set(form, next);
      decoding = next;
    }
    for (const one of searched) decoding.searched.add(one);
  };
  for (const { through, find } of ways) {
    const { here, acrossGaps } = SEARCHED[find];
    add(through, here);
    if (acrossGaps.length > 0) add([...through, GAPPED], acrossGaps);
  }
  return root;
}

function begunAt(text: string, { searched, next }: Decoding, begun: FindersOfBegun): number {
  let at = text.length;
  for (const one of searched) at = Math.min(at, begun[one](text));
  for (const [form, decoding] of next) {
    if (!mayBegin(form, text)) continue;
    const through = begunThrough(text, form, (decoded) => begunAt(decoded, decoding, begun));
    at = Math.min(at, through ?? text.length);
  }
  return at;
}

/** Leaves out the forms that do not occur. */
function begunNested(text: string, forms: readonly Form[], begun: FindersOfBegun): number {
  const [form, ...inner] = forms;
  if (form === undefined) return begunAt(text, gappedText(), begun);
  const inside = (decoded: string): number => begunNested(decoded, inner, begun);
  const through = mayBegin(form, text) ? begunThrough(text, form, inside) : undefined;
  return through ?? inside(text);
}

/**
 * Undefined where the form does not occur: another decoding has the same text. An unfinished form decodes to
 * nothing yet, and waits too: it may be the first letter of a secret.
 */
function begunThrough(
  text: string,
  form: Form,
  begunIn: (decoded: string) => number,
): number | undefined {
  const unfinishedAt = form.unfinished?.exec(text)?.index ?? text.length;
  const decoded = decodedOnce(form, text.slice(0, unfinishedAt));
  if (unfinishedAt === text.length && decoded.pieces.length === 0) return undefined;
  const at = begunIn(decoded.text);
  if (at === decoded.text.length) return unfinishedAt;
  const [range] = writtenRanges([[at, at + 1]], decoded);
  return range?.[0] ?? unfinishedAt;
}
