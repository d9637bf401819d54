/**
 * Reads what a text says, by families and by concepts. Servers repeat their sentences, above all while they fail,
 * so the last texts are remembered with what was read in them.
 */
import { once } from '../../errors/support/once.ts';
import { recentTexts } from '../../errors/support/recent-texts.ts';
import { readSentences } from './concepts/read-concepts.ts';
import { saidIn, type Said } from './concepts/sentence.ts';
import { waitInProse } from './hints/wait-in-prose.ts';
import { findFamilies, type MatchedFamilies } from './phrases.ts';
import { overLimitIn, type OverLimit } from './request-over-limit.ts';

export interface Prose {
  readonly families: MatchedFamilies;
  /** Read by concepts, when somebody asks for it. */
  readonly said: () => Said;
  /** The wait that it names, in milliseconds, when somebody asks for it. */
  readonly wait: () => { readonly ms: number | undefined };
  /** Whether it speaks of one request above the limit, when somebody asks for it. */
  readonly overLimit: () => OverLimit;
  /** Whether a rule's pattern fits; each is tried once. */
  readonly mentions: (pattern: Pattern) => boolean;
}

/** A pattern of a rule, numbered so that a text notes by place whether it fits. */
export interface Pattern {
  readonly number: number;
  readonly regExp: RegExp;
}

let patterns = 0;

export function numbered(regExp: RegExp): Pattern {
  return { number: patterns++, regExp };
}

const REMEMBERED = recentTexts<Prose>(512);
/** A longer text is hardly sent twice, and would be kept for nothing. */
const MAX_CHARS = 1024;

function triedOnce(text: string): Prose['mentions'] {
  const tried: boolean[] = [];
  return ({ number, regExp }) => (tried[number] ??= regExp.test(text));
}

export function readProse(text: string): Prose {
  const isRemembered = text.length <= MAX_CHARS;
  const known = isRemembered ? REMEMBERED.get(text) : undefined;
  if (known !== undefined) return known;
  const prose: Prose = {
    families: findFamilies(text),
    said: once(() => saidIn(readSentences(text))),
    wait: once(() => ({ ms: waitInProse(text) })),
    overLimit: once(() => overLimitIn(text)),
    mentions: triedOnce(text),
  };
  if (!isRemembered) return prose;
  REMEMBERED.set(text, prose);
  return prose;
}
