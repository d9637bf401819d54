/**
 * Results whose numbers would lose digits, that have a key twice, or whose bytes are no text. The client
 * parses messages before Errand sees them, so all three are found in their text and noted in the metadata
 * of the result, where `mcp-result.ts` reads it.
 */
import { isPlainObject, readProperty } from '../../errors/support/safe-json.ts';
import { inexactIn, keepsDigits, type Inexact } from '../../workflow/json-schema/exact-number.ts';
import { repeatedKey } from '../../workflow/json-schema/repeated-key.ts';
import type { McpMessage } from './mcp-client-sdk.ts';

const NOTE = 'errand/inexact';
const GARBLED = 'errand/garbled';

/** Why the client cannot have read a message as its server meant it. */
export type Flaw = Inexact | 'garbled';

/** The parts of a result that become an output. */
const OUTPUT_PARTS = [
  ['result', 'structuredContent'],
  ['result', 'content'],
] as const;

/** Bytes that are not UTF-8 were read as other characters. */
export function flawIn(text: string, isUtf8: boolean): Flaw | undefined {
  return isUtf8 ? inexactResult(text) : 'garbled';
}

/** Finds the number or the key in the text of a message; undefined if there is none, or no message. */
function inexactResult(text: string): Inexact | undefined {
  try {
    return inexactIn(text, OUTPUT_PARTS, keepsDigits) ?? repeatedIn(text);
  } catch {
    // not JSON: the reader of the message reports it
    return undefined;
  }
}

/** A key of the result or of anything in it; metadata is never output. */
const OF_RESULT = /^\/result(?:$|\/(?!_meta\b))/;

function repeatedIn(text: string): Inexact | undefined {
  // a result has a key only in valid JSON, which the search relies on
  JSON.parse(text);
  const found = repeatedKey(text);
  if (found === undefined || !OF_RESULT.test(found.pointer)) return undefined;
  return { written: found.key, pointer: found.pointer, isRepeated: true };
}

export function withFlaw(message: McpMessage, flaw: Flaw | undefined): McpMessage {
  const { result } = message;
  if (flaw === undefined || !isPlainObject(result)) return message;
  const meta = readProperty(result, '_meta');
  const kept = isPlainObject(meta) ? meta : {};
  const note = flaw === 'garbled' ? { [GARBLED]: true } : { [NOTE]: { ...flaw } };
  return { ...message, result: { ...result, _meta: { ...kept, ...note } } };
}

/** Whether bytes of the result were read as other characters. */
export function isGarbled(result: unknown): boolean {
  return readProperty(readProperty(result, '_meta'), GARBLED) === true;
}

/** The note in a result, as `withFlaw` made it. */
export function inexactOf(result: unknown): Inexact | undefined {
  const note = readProperty(readProperty(result, '_meta'), NOTE);
  const written = readProperty(note, 'written');
  const pointer = readProperty(note, 'pointer');
  const isRepeated = readProperty(note, 'isRepeated') === true;
  return typeof written === 'string' && typeof pointer === 'string'
    ? { written, pointer, ...(isRepeated ? { isRepeated } : {}) }
    : undefined;
}

export interface MessageTexts {
  add(chunk: Uint8Array): void;
  end(): void;
}

export type ReadMessage = (text: string, isUtf8: boolean) => void;

/** Collects the text of each message of a response: the whole body, or the data of each event. */
export function collectMessages(isStream: boolean, read: ReadMessage): MessageTexts {
  const decoder = new TextDecoder();
  const strict = new TextDecoder('utf-8', { fatal: true });
  let isUtf8 = true;
  let line: string[] = [];
  let data: string[] = [];
  const check = (chunk?: Uint8Array): void => {
    try {
      if (isUtf8) strict.decode(chunk, { stream: chunk !== undefined });
    } catch {
      // one wrong byte: nothing after it in the stream can be trusted
      isUtf8 = false;
    }
  };
  const endEvent = (): void => {
    if (data.length > 0) read(data.join('\n'), isUtf8);
    data = [];
  };
  const endLine = (): void => {
    const whole = line.join('');
    line = [];
    if (whole === '') endEvent();
    else if (whole.startsWith('data:')) data.push(whole.slice(5));
  };
  return {
    add: (chunk) => {
      check(chunk);
      const text = decoder.decode(chunk, { stream: true });
      const [first = '', ...more] = isStream ? text.split(/\r\n|\r|\n/) : [text];
      line.push(first);
      for (const next of more) {
        endLine();
        line.push(next);
      }
    },
    end: () => {
      check();
      if (isStream) endEvent();
      else read(line.join(''), isUtf8);
    },
  };
}
