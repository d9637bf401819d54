/**
 * Reads what a text says, by families and by concepts. Servers repeat their sentences, above all while they fail,
 * so the last texts are remembered with what was read in them.
 */
import { once } from '../../errors/support/once.ts';
import { onceForEach } from '../../errors/support/recent-texts.ts';
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
  /** Noted by the finder of rules that asked last. */
  ruledOut: RuledOut | undefined;
}

/** Rules that do not hold for a text, as sets of bits, whatever the rest of the failure is. */
export interface RuledOut {
  /** The list of rules that the bits are for. */
  readonly of: object;
  readonly byFamilies: readonly number[];
  /** These, and the rules whose conditions on the text have failed so far. */
  readonly byText: number[];
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

function triedOnce(text: string): Prose['mentions'] {
  const tried: boolean[] = [];
  return ({ number, regExp }) => (tried[number] ??= regExp.test(text));
}

/** Tries the patterns of rules on the words of a fault. */
export const triedOnFault = onceForEach(256, triedOnce);

/** Servers repeat their sentences, above all while they fail. */
export const readProse = onceForEach(512, (text): Prose => ({
  families: findFamilies(text),
  said: once(() => saidIn(readSentences(text))),
  wait: once(() => ({ ms: waitInProse(text) })),
  overLimit: once(() => overLimitIn(text)),
  mentions: triedOnce(text),
  ruledOut: undefined,
}));
