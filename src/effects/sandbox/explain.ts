/**
 * What an exception of the engine means, in words that show neither the code nor a value: names,
 * property keys and messages of the author stay inside. Only the place and the sort of error leave.
 */
import type { Answer } from './protocol.ts';

interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

const FULL = 'it needed more memory than there is';

/** What the engine says when something is full, by its exact words. */
const MEMORY_WORDS: ReadonlyMap<string, string> = new Map([
  ['out of memory', FULL],
  ['stack overflow', 'it went too deep for the stack'],
  ['string too long', 'it made a text that is too long'],
]);

/** The engine's own messages, by pattern; only what the group holds leaves. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^cannot (?:read|set) property .* of (undefined|null)$/s, 'a property of '],
  [/^not a function$/, 'a call of what is no function'],
  [/ is not defined$/, 'a name that is not defined'],
  [/ is not initialized$/, 'a name before its declaration'],
  [/ is read-only$/, 'a change of what is read-only'],
  [/^not (?:an object|iterable)$| is not iterable$/, 'a value of another type than it expects'],
];

/** `wasFull`: the engine asked for more memory than it may have, at some time while the code ran. */
export function explainThrown({ name, message, stack }: Thrown, wasFull: boolean): Answer {
  // a memory so full that no error can be made of it throws nothing at all
  const memory = fullness(name, message) ?? (wasFull && name === '' ? FULL : undefined);
  if (memory !== undefined)
    return { ok: false, fault: 'memory', reason: memory, ...placeIn(stack) };
  const what = name === '' ? 'a value that is no error' : `${article(name)} ${name}`;
  const reason = `it threw ${what}${hintFor(message)}`;
  return { ok: false, fault: 'runtime', reason, ...placeIn(stack) };
}

export function explainSyntax({ message, stack }: Omit<Thrown, 'name'>): Answer {
  const memory = fullness('SyntaxError', message);
  if (memory !== undefined)
    return { ok: false, fault: 'memory', reason: memory, ...placeIn(stack) };
  return { ok: false, fault: 'syntax', reason: 'it cannot be parsed', ...placeIn(stack) };
}

/** The parsers of the engine report a full stack as a syntax error. */
function fullness(name: string, message: string): string | undefined {
  const isEngines = name === 'InternalError' || name === 'SyntaxError';
  return isEngines ? MEMORY_WORDS.get(message) : undefined;
}

function hintFor(message: string): string {
  for (const [pattern, words] of HINTS) {
    const found = pattern.exec(message);
    if (found !== null) return `, for ${words}${found[1] ?? ''}`;
  }
  return '';
}

function article(name: string): string {
  return /^[AEIOU]/.test(name) ? 'an' : 'a';
}

/** The innermost frame of the code itself; one line stands above the code in its wrapper. */
function placeIn(stack: string): { readonly line?: number; readonly column?: number } {
  const place = /code\.js:(\d+)(?::(\d+))?/.exec(stack);
  if (place === null) return {};
  const line = Number(place[1]) - 1;
  const column = Number(place[2]);
  return line < 1 ? {} : { line, ...(Number.isNaN(column) ? {} : { column }) };
}
