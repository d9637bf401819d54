/** Finds a key that an object in a JSON text has twice: a parser keeps the last value without a word. */
import { toPointer, type Path } from '../plan/pointer.ts';

export interface RepeatedKey {
  readonly key: string;
  readonly pointer: string;
}

interface Level {
  /** Undefined for a list. */
  readonly keys: Set<string> | undefined;
  at: string | number;
}

/** The text must be valid JSON. */
export function repeatedKey(text: string): RepeatedKey | undefined {
  const levels: Level[] = [];
  for (let at = 0; at < text.length; at++) {
    const level = levels.at(-1);
    const sign = text.charAt(at);
    if (sign === '{') levels.push({ keys: new Set(), at: '' });
    else if (sign === '[') levels.push({ keys: undefined, at: 0 });
    else if (sign === '}' || sign === ']') levels.pop();
    else if (sign === ',' && typeof level?.at === 'number') level.at++;
    else if (sign === '"') {
      const end = endOfText(text, at);
      if (level?.keys !== undefined && isKey(text, end)) {
        // a literal in quotes
        const key = JSON.parse(text.slice(at, end)) as string;
        level.at = key;
        if (level.keys.has(key)) return { key, pointer: toPointer(pathOf(levels)) };
        level.keys.add(key);
      }
      at = end - 1;
    }
  }
  return undefined;
}

/** The index after the closing quote. */
function endOfText(text: string, start: number): number {
  let at = start + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

/** In valid JSON only a key is followed by a colon. */
function isKey(text: string, end: number): boolean {
  let at = end;
  while (/\s/.test(text[at] ?? 'x')) at++;
  return text[at] === ':';
}

function pathOf(levels: readonly Level[]): Path {
  return levels.map(({ at }) => at);
}
