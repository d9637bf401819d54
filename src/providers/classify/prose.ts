/**
 * Reads what a text says, by families and by concepts. Servers repeat their sentences, above all while they fail,
 * so the last texts are remembered with what was read in them.
 */
import { once } from '../../errors/support/once.ts';
import { readSentences } from './concepts/read-concepts.ts';
import { saidIn, type Said } from './concepts/sentence.ts';
import { waitInProse } from './hints/wait-in-prose.ts';
import { findFamilies, type MatchedFamilies } from './phrases.ts';

export interface Prose {
  readonly families: MatchedFamilies;
  /** Read by concepts, when somebody asks for it. */
  readonly said: () => Said;
  /** The wait that it names, in milliseconds, when somebody asks for it. */
  readonly wait: () => { readonly ms: number | undefined };
}

const REMEMBERED = new Map<string, Prose>();
const MAX_REMEMBERED = 512;
/** A longer text is hardly sent twice, and would be kept for nothing. */
const MAX_CHARS = 1024;

export function readProse(text: string): Prose {
  const known = REMEMBERED.get(text);
  if (known !== undefined) return known;
  const prose: Prose = {
    families: findFamilies(text),
    said: once(() => saidIn(readSentences(text))),
    wait: once(() => ({ ms: waitInProse(text) })),
  };
  if (text.length > MAX_CHARS) return prose;
  if (REMEMBERED.size >= MAX_REMEMBERED) REMEMBERED.clear();
  REMEMBERED.set(text, prose);
  return prose;
}
