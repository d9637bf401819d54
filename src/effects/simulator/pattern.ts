/**
 * Makes a short text for a pattern from the tree that the checker matches with: the first alternative,
 * as few repetitions as allowed. A lookaround may rule the text out; the caller checks it.
 */
import {
  parsePattern,
  UnusablePattern,
  type PatternNode,
} from '../../workflow/pattern/parse-pattern.ts';

/** Longer than any useful text. */
const MAX_CHARS = 1000;

/** Undefined for a pattern that the checker refuses. */
export function textFor(pattern: string): string | undefined {
  try {
    return textOf(parsePattern(pattern));
  } catch (thrown) {
    if (thrown instanceof UnusablePattern) return undefined;
    throw thrown;
  }
}

function textOf(node: PatternNode): string {
  switch (node.type) {
    case 'character':
      return characterOf(node.source);
    case 'sequence':
      return node.items.map(textOf).join('');
    case 'choice':
      return node.items.slice(0, 1).map(textOf).join('');
    case 'repeat': {
      const once = node.min === 0 ? '' : textOf(node.item);
      // repetitions inside repetitions multiply
      return once.repeat(Math.min(node.min, Math.ceil(MAX_CHARS / Math.max(1, once.length))));
    }
    case 'edge':
    case 'look':
      return '';
  }
}

const COMMON = 'aA0-_ ~\t\n\r';
const HIGHEST_CODE = 0xffff;

/** The first member of a set, or a common character for an escape, a dot or a negated set. */
function characterOf(source: string): string {
  const one = new RegExp(`^(?:${source})$`, 'u');
  const isOpen = /^(?:\\|\.|\[\^)/.test(source);
  const candidates = Array.from(isOpen ? COMMON + source : source + COMMON);
  const found = candidates.find((character) => one.test(character));
  if (found !== undefined) return found;
  for (let code = 0; code <= HIGHEST_CODE; code++) {
    const character = String.fromCodePoint(code);
    if (one.test(character)) return character;
  }
  return '';
}
