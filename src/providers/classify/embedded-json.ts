/**
 * Finds embedded JSON: a whole response as a string, an object in the middle of a sentence, a
 * Python dict, an event stream kept as text. Gateways wrap errors like this, several layers deep.
 */
import { isPlainObject } from '../../errors/support/safe-json.ts';
import { balancedObject } from '../balanced-object.ts';
import { MAX_BODY_CHARS, parseJsonText } from '../json-text.ts';
import { parsePrintedObject } from './printed-object.ts';

/** The objects in a text, and the prose around and between them. */
export interface Opened {
  readonly values: readonly unknown[];
  readonly prose: string;
}

/** Undefined when there is no JSON in the text. */
export function openText(text: string): Opened | undefined {
  const whole = parseJsonText(text);
  if (whole !== undefined) return { values: [whole], prose: '' };
  const first = text.indexOf('{');
  if (first < 0) return undefined;
  const values: unknown[] = [];
  const prose: string[] = [];
  const last = text.lastIndexOf('}');
  let kept = 0;
  let from = first;
  for (let starts = 0; starts < MAX_STARTS && values.length < MAX_VALUES; starts++) {
    const start = text.indexOf('{', from);
    const found = start < 0 || start > last ? undefined : objectAt(text, start);
    if (found === undefined) break;
    if (isTelling(found.value)) {
      values.push(found.value);
      prose.push(text.slice(kept, start).slice(0, MAX_PROSE_CHARS));
      kept = found.end;
    }
    // a text that is not JSON may contain some, as the dumps of other languages do
    const isSkipped = isTelling(found.value) || found.end - start > MAX_DUMP_CHARS;
    from = isSkipped ? found.end : start + 1;
  }
  if (values.length === 0) return undefined;
  prose.push(text.slice(kept, kept + MAX_PROSE_CHARS));
  return { values, prose: prose.join(' ').trim() };
}

/** JSON that broke off: each pair that is whole, as an object of its own; undefined when there is none. */
export function pairsIn(text: string): readonly unknown[] | undefined {
  const pairs = [...text.slice(0, MAX_CUT_CHARS).matchAll(PAIR)].slice(0, MAX_PAIRS);
  const values = pairs.flatMap(([pair]) => parseJsonText(`{${pair}}`) ?? quotedPair(pair) ?? []);
  const [, name, begun = ''] = CUT_PAIR.exec(text.slice(0, MAX_CUT_CHARS)) ?? [];
  if (name !== undefined) values.push({ [name]: begun.replace(/\s{1,8}/g, ' ') });
  return values.length === 0 ? undefined : values;
}

/** A server that does not escape the quotes in its own message. */
function quotedPair(pair: string): unknown {
  const [, name, value] = /^"(\w{1,40})"\s{0,4}:\s{0,4}"([^]*)"$/.exec(pair) ?? [];
  return name === undefined || value === undefined ? undefined : { [name]: value };
}

const PAIR =
  /"[\w-]{1,40}"\s{0,4}:\s{0,4}(?:"(?:[^"\\]|\\.|"(?!\s{0,4}[,}\]:])){0,2000}"|\d{1,15}(?:\.\d{1,9})?(?=[,}\s]))/g;
/** A sentence that the cut went through: what there is of it still says what happened. */
const CUT_PAIR = /"(message|msg|detail|error)"\s{0,4}:\s{0,4}"((?:[^"\\]|\\.){8,2000})$/i;
const MAX_PAIRS = 60;
const MAX_CUT_CHARS = 8192;
const MAX_VALUES = 4;
const MAX_STARTS = 8;
const MAX_DUMP_CHARS = 4096;
const MAX_PROSE_CHARS = 1024;

/** Braces with nothing in them are prose: protobuf prints an empty message like that. */
function isTelling(value: unknown): boolean {
  return isPlainObject(value) && Object.keys(value).length > 0;
}

interface ObjectAt {
  readonly value: unknown;
  /** Where the text continues. */
  readonly end: number;
}

function objectAt(text: string, start: number): ObjectAt | undefined {
  // a JSON string that was printed into a sentence, quotes and all
  if (text.startsWith('{\\"', start)) return escapedObjectAt(text, start);
  if (BYTES_BEGIN.test(text.slice(Math.max(0, start - 2), start))) return bytesAt(text, start);
  const candidate = balancedObject(text, start);
  if (candidate === undefined) return undefined;
  const value =
    parseJsonText(candidate) ??
    // broken over lines by a terminal
    parseJsonText(candidate.replace(/\s*[\r\n]\s*/g, ' ')) ??
    // printed inside a text in single quotes
    parseJsonText(candidate.replaceAll("\\'", "'")) ??
    parsePrintedObject(candidate);
  return { value, end: start + candidate.length };
}

const BYTES_BEGIN = /^b['"]$/;
const BYTES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };

/** Python prints bytes with everything escaped: `b'{\\n  "error": …}'`. */
function bytesAt(text: string, start: number): ObjectAt | undefined {
  const plain = text
    .slice(start, start + MAX_ESCAPED_CHARS)
    .replace(/\\([\\nrt'])/g, (_all, sign: string) => BYTES[sign] ?? sign);
  const candidate = balancedObject(plain, 0);
  if (candidate === undefined) return undefined;
  // each sign of it is one or two of the text, so its end is near enough for what follows
  return { value: parseJsonText(candidate), end: start + candidate.length };
}

function escapedObjectAt(text: string, start: number): ObjectAt | undefined {
  const plain = text
    .slice(start, start + MAX_ESCAPED_CHARS)
    .replace(/(?<!\\)\\[nrt]/g, ' ')
    .replaceAll('\\"', '"')
    .replaceAll('\\\\', '\\');
  const candidate = balancedObject(plain, 0);
  if (candidate === undefined) return undefined;
  // its exact end among the escapes does not matter: only its own quote follows
  return { value: parseJsonText(candidate), end: text.length };
}

const MAX_ESCAPED_CHARS = 8192;

export interface EventStream {
  readonly events: readonly unknown[];
  /** It has the end marker of its protocol. */
  readonly isEnded: boolean;
}

/** A stream that was kept as text: server-sent events, or one JSON object a line. */
export function parseEventStream(text: string): EventStream | undefined {
  return parseServerSentEvents(text) ?? parseJsonLines(text);
}

function parseJsonLines(text: string): EventStream | undefined {
  // a body of one line has no second one to look for
  if (!text.startsWith('{') || !text.includes('\n') || !JSON_LINES.test(text)) return undefined;
  const events = ends(
    text
      .slice(0, MAX_BODY_CHARS)
      .split('\n')
      .filter((line) => line.trim() !== ''),
  ).map((line) => parseJsonText(line) ?? line);
  return { events, isEnded: END_EVENT.test(text.slice(0, MAX_BODY_CHARS)) };
}

const JSON_LINES = /^\{[^\n]{0,16384}\}\s{0,4}\n\{/;

function parseServerSentEvents(text: string): EventStream | undefined {
  if (!FIRST_LINE.test(text)) return undefined;
  const lines = dataLines(text.slice(0, MAX_BODY_CHARS));
  if (lines.length === 0) return framesWithoutData(text);
  const events: unknown[] = [];
  let isEnded = false;
  for (const [from, to] of lines) {
    const data = text.slice(from, to).trim();
    if (data === END || END_EVENT.test(data)) isEnded = true;
    if (data === '' || data === END) continue;
    const event = parseJsonText(data) ?? data;
    events.push(isNamedError(text, from) ? asError(event) : event);
  }
  return { events, isEnded };
}

const FIRST_LINE = /^\s{0,64}(?:(?:event|data|id|retry):|: |:(?:[\r\n]|$))/;

/** The line before the data names the event, which often says nothing else of what it is. */
const ERROR_NAME =
  /(?:^|\n)event: ?[\w.-]{0,40}(?:error|failed|exception)\r?\n(?:id:[^\n]{0,40}\n)?data:$/i;
const MAX_NAME_CHARS = 120;

function isNamedError(text: string, from: number): boolean {
  // behind an empty line, the data is all that there is of its event
  if (text.charCodeAt(from - DATA.length - 2) === NEW_LINE) return false;
  return ERROR_NAME.test(text.slice(Math.max(0, from - MAX_NAME_CHARS), from));
}

const NEW_LINE = 0x0a;

function asError(event: unknown): unknown {
  if (!isPlainObject(event)) return { type: 'error', message: event };
  return Object.hasOwn(event, 'type') ? event : { type: 'error', ...event };
}

/** `event: error` and then a line of prose: an error frame whose text has no field of its own. */
function framesWithoutData(text: string): EventStream | undefined {
  if (!/^event: ?\w{0,20}error/m.test(text)) return undefined;
  const lines = text.slice(0, MAX_CUT_CHARS).split('\n');
  const message = lines.filter((line) => !/^(?:event|id|retry)?:/.test(line)).join('\n');
  return {
    events: [{ type: 'error', message: message.replace(/^message: ?/, '') }],
    isEnded: false,
  };
}

/** The range of the data in a line. */
type Line = readonly [from: number, to: number];

/** A stream is classified by its beginning and its end, so the other lines of a long one are not even looked for. */
function dataLines(text: string): readonly Line[] {
  const begin: Line[] = [];
  let at = text.startsWith(DATA) ? 0 : nextLine(text, 0);
  while (at >= 0 && begin.length < MAX_EVENTS_AT_END) {
    const line = lineAt(text, at);
    begin.push(line);
    at = nextLine(text, line[1]);
  }
  if (at < 0) return begin;
  const end: Line[] = [];
  let last = text.lastIndexOf(NEXT_DATA);
  while (last + 1 >= at && end.length < MAX_EVENTS_AT_END) {
    end.push(lineAt(text, last + 1));
    last = text.lastIndexOf(NEXT_DATA, last - 1);
  }
  return [...begin, ...end.reverse()];
}

const DATA = 'data:';
const NEXT_DATA = `\n${DATA}`;

function lineAt(text: string, at: number): Line {
  const end = text.indexOf('\n', at);
  return [at + DATA.length, end < 0 ? text.length : end];
}

function nextLine(text: string, from: number): number {
  const before = text.indexOf(NEXT_DATA, from);
  return before < 0 ? -1 : before + 1;
}

const END = '[DONE]';
const END_EVENT =
  /"type"\s{0,2}:\s{0,2}"(?:message_stop|response\.completed|response\.incomplete|response\.failed)"|"done"\s{0,2}:\s{0,2}true/;

/** A stream is classified by its beginning and its end. */
function ends<T>(list: readonly T[]): readonly T[] {
  const max = 2 * MAX_EVENTS_AT_END;
  if (list.length <= max) return list;
  return [...list.slice(0, MAX_EVENTS_AT_END), ...list.slice(-MAX_EVENTS_AT_END)];
}

const MAX_EVENTS_AT_END = 100;

/** An event that says so by its type, its verdict or an error in it. */
export function isErrorEvent(event: unknown): boolean {
  if (!isPlainObject(event)) return false;
  const { type, status, success, ok } = event;
  const saysSo = typeof type === 'string' && /(?:^|[._])(?:error|failed|exception)$/.test(type);
  const isLost = success === false || ok === false || status === 'failed';
  return (
    saysSo ||
    isLost ||
    (event['error'] !== undefined && event['error'] !== null) ||
    isBareError(event)
  );
}

/** `{code, message}` and nothing of a reply. */
function isBareError(event: Record<string, unknown>): boolean {
  const { code, message } = event;
  const hasCode = (typeof code === 'string' && code !== '') || typeof code === 'number';
  return hasCode && typeof message === 'string' && event['choices'] === undefined;
}

/** A response of another server, as gateways keep it in a field: its status beside its body. */
export function isStoredResponse(value: Record<string, unknown>): boolean {
  const { body } = value;
  if (typeof body !== 'string' && !isPlainObject(body)) return false;
  const { status, statusCode = status } = value;
  return typeof statusCode === 'number' && statusCode >= 400 && statusCode < 600;
}
