/**
 * JSON where it should not be: a whole answer as a string, an object in the middle of a sentence, a
 * Python dict, an event stream kept as text. Gateways wrap errors like this, several layers deep.
 */
import { isPlainObject } from '../../errors/json.ts';
import { MAX_BODY_CHARS, parseJsonText } from '../json-text.ts';

/** The value that a text holds or contains; undefined when there is none. */
export function parseEmbedded(text: string): unknown {
  const whole = parseJsonText(text);
  if (whole !== undefined) return whole;
  const start = text.indexOf('{');
  if (start < 0) return undefined;
  const candidate = balanced(text, start);
  if (candidate === undefined) return undefined;
  return parseJsonText(candidate) ?? parsePythonDict(candidate);
}

export interface EventStream {
  readonly events: readonly unknown[];
  /** It has the end marker of its protocol. */
  readonly isEnded: boolean;
}

/** The prose before and after an embedded object; a gateway often says the most there. */
export function proseAround(text: string): string {
  const before = text.slice(0, Math.min(text.indexOf('{'), MAX_PROSE_CHARS));
  const end = text.lastIndexOf('}') + 1;
  return `${before} ${text.slice(end, end + MAX_PROSE_CHARS)}`.trim();
}

const MAX_PROSE_CHARS = 1024;

/** A stream that was kept as text: server-sent events, or one JSON object a line. */
export function parseEventStream(text: string): EventStream | undefined {
  return parseServerSentEvents(text) ?? parseJsonLines(text);
}

function parseJsonLines(text: string): EventStream | undefined {
  if (!/^\{[^\n]{0,16384}\}\s{0,4}\n\{/.test(text)) return undefined;
  const events = ends(
    text
      .slice(0, MAX_BODY_CHARS)
      .split('\n')
      .filter((line) => line.trim() !== ''),
  ).map((line) => parseJsonText(line) ?? line);
  return { events, isEnded: END_EVENT.test(text.slice(0, MAX_BODY_CHARS)) };
}

function parseServerSentEvents(text: string): EventStream | undefined {
  if (
    !/^(?:(?:event|data|id|retry):|: |:$)/m.test(text.slice(0, 64).trimStart().split('\n')[0] ?? '')
  )
    return undefined;
  const data = ends(
    text
      .slice(0, MAX_BODY_CHARS)
      .split('\n')
      .filter((line) => line.startsWith('data:')),
  ).map((line) => line.slice(5).trim());
  const events = data
    .filter((event) => event !== '' && event !== END)
    .map((event) => parseJsonText(event) ?? event);
  return { events, isEnded: data.includes(END) || END_EVENT.test(text.slice(0, MAX_BODY_CHARS)) };
}

const END = '[DONE]';
const END_EVENT =
  /"type"\s{0,2}:\s{0,2}"(?:message_stop|response\.completed|response\.incomplete|response\.failed)"|"done"\s{0,2}:\s{0,2}true/;

/** A stream is judged by how it began and how it ended. */
function ends<T>(list: readonly T[]): readonly T[] {
  const max = 2 * MAX_EVENTS_AT_END;
  if (list.length <= max) return list;
  return [...list.slice(0, MAX_EVENTS_AT_END), ...list.slice(-MAX_EVENTS_AT_END)];
}

const MAX_EVENTS_AT_END = 100;
/** The balanced object that starts at `start`, strings respected; undefined when it never closes. */
function balanced(text: string, start: number): string | undefined {
  const end = Math.min(text.length, start + MAX_BODY_CHARS);
  let depth = 0;
  let quote = '';
  for (let index = start; index < end; index++) {
    const character = text[index];
    if (quote !== '') {
      if (character === '\\') index++;
      else if (character === quote) quote = '';
    } else if (character === '"' || (character === "'" && !isApostrophe(text, index))) {
      quote = character;
    } else if (character === '{') depth++;
    else if (character === '}' && --depth === 0) return text.slice(start, index + 1);
  }
  return undefined;
}

function isApostrophe(text: string, index: number): boolean {
  return /[a-z]/i.test(text[index - 1] ?? '') && /[a-z]/i.test(text[index + 1] ?? '');
}

/** `{'error': 'x', 'param': None}` as Python prints it, `{"error" => "x"}` as Ruby does. */
function parsePythonDict(text: string): unknown {
  if (!/^\{\s*(?:'|"[^"]{0,80}"\s{0,4}=>)/.test(text) || text.length > 8192) return undefined;
  const json = text
    .replace(/"\s{0,4}=>/g, '":')
    .replace(/\b(?:None|nil)\b/g, 'null')
    .replace(/\bTrue\b/g, 'true')
    .replace(/\bFalse\b/g, 'false')
    .replace(/b?'((?:[^'\\]|\\.)*)'/g, (_, inner: string) => JSON.stringify(inner));
  const parsed = parseJsonText(json);
  return isPlainObject(parsed) ? parsed : undefined;
}
