/**
 * Explains an exception of the engine without showing the code or a value: names, property keys and
 * messages of the author stay inside. Only the position and the type of error leave the sandbox.
 */
import type { Answer } from './worker-messages.ts';

interface Thrown {
  readonly name: string;
  readonly message: string;
  readonly stack: string;
}

const FULL = 'it ran out of memory';

/** The engine's exact messages for a full memory, stack or text. */
const MEMORY_WORDS: ReadonlyMap<string, string> = new Map([
  ['out of memory', FULL],
  ['stack overflow', 'its calls went too deep for the stack'],
  ['string too long', 'it made a string that is too long'],
]);

/** The engine's own messages, by pattern; only the captured group leaves the sandbox. */
const HINTS: readonly (readonly [RegExp, string])[] = [
  [/^cannot (?:read|set) property .* of (undefined|null)$/s, 'a property of '],
  [/^not a function$/, 'a call of something that is not a function'],
  [/ is not defined$/, 'a name that is not defined'],
  [/ is not initialized$/, 'a name before its declaration'],
  [/ is read-only$/, 'a change of something read-only'],
  [/^not (?:an object|iterable)$| is not iterable$/, 'a value of another type than it expects'],
];

/** `wasFull`: the engine was refused memory while the code ran. */
export function explainThrown({ name, message, stack }: Thrown, wasFull: boolean): Answer {
  // when the memory is too full to create an error, nothing is thrown; else the engine throws an error of its own
  const isEngines = name === '' || name === 'InternalError';
  const memory = fullness(name, message) ?? (wasFull && isEngines ? FULL : undefined);
  if (memory !== undefined)
    return { ok: false, fault: 'memory', reason: memory, ...positionIn(stack) };
  const what = name === '' ? 'a value that is not an error' : `${article(name)} ${name}`;
  const reason = `it threw ${what}${hintFor(message)}`;
  return { ok: false, fault: 'runtime', reason, ...positionIn(stack) };
}

export function explainSyntax({ message, stack }: Omit<Thrown, 'name'>): Answer {
  const memory = fullness('SyntaxError', message);
  if (memory !== undefined)
    return { ok: false, fault: 'memory', reason: memory, ...positionIn(stack) };
  return { ok: false, fault: 'syntax', reason: 'it cannot be parsed', ...positionIn(stack) };
}

/** The parsers of the engine report a full stack as a syntax error. */
function fullness(name: string, message: string): string | undefined {
  const isEngines = name === 'InternalError' || name === 'SyntaxError';
  return isEngines ? MEMORY_WORDS.get(message) : undefined;
}

function hintFor(message: string): string {
  for (const [pattern, phrase] of HINTS) {
    const found = pattern.exec(message);
    if (found !== null) return `, for ${phrase}${found[1] ?? ''}`;
  }
  return '';
}

function article(name: string): string {
  return /^[AEIOU]/.test(name) ? 'an' : 'a';
}

/** The innermost frame of the code; the wrapper adds one line above it. */
function positionIn(stack: string): { readonly line?: number; readonly column?: number } {
  const match = /code\.js:(\d+)(?::(\d+))?/.exec(stack);
  if (match === null) return {};
  const line = Number(match[1]) - 1;
  const column = Number(match[2]);
  return line < 1 ? {} : { line, ...(Number.isNaN(column) ? {} : { column }) };
}
