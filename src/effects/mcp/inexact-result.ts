/**
 * Results whose numbers would lose digits, or that have a key twice. The client parses messages before
 * Errand sees them, so both are found in their text and noted in the metadata of the result, where
 * `result.ts` reads it.
 */
import { isPlainObject, readProperty } from '../../errors/support/safe-json.ts';
import { inexactIn, keepsDigits, type Inexact } from '../../workflow/json-schema/exact-number.ts';
import { repeatedKey } from '../../workflow/json-schema/repeated-key.ts';
import type { McpMessage } from './sdk.ts';

const NOTE = 'errand/inexact';

/** The parts of a result that become an output. */
const OUTPUT_PARTS = [
  ['result', 'structuredContent'],
  ['result', 'content'],
] as const;

/** Finds the number or the key in the text of a message; undefined if there is none, or no message. */
export function inexactResult(text: string): Inexact | undefined {
  try {
    return inexactIn(text, OUTPUT_PARTS, keepsDigits) ?? repeatedIn(text);
  } catch {
    // not JSON: the reader of the message reports it
    return undefined;
  }
}

/** A key of the result or of anything in it; the metadata is nobody's output. */
const OF_RESULT = /^\/result(?:$|\/(?!_meta\b))/;

function repeatedIn(text: string): Inexact | undefined {
  // a result has a key only in valid JSON, which the search relies on
  JSON.parse(text);
  const found = repeatedKey(text);
  if (found === undefined || !OF_RESULT.test(found.pointer)) return undefined;
  return { written: found.key, pointer: found.pointer, isRepeated: true };
}

export function withInexact(message: McpMessage, inexact: Inexact | undefined): McpMessage {
  const { result } = message;
  if (inexact === undefined || !isPlainObject(result)) return message;
  const meta = readProperty(result, '_meta');
  const kept = isPlainObject(meta) ? meta : {};
  return { ...message, result: { ...result, _meta: { ...kept, [NOTE]: { ...inexact } } } };
}

/** The note in a result, as `withInexact` made it. */
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
  add(chunk: string): void;
  end(): void;
}

/** Collects the text of each message of a response: the whole body, or the data of each event. */
export function collectMessages(isStream: boolean, read: (text: string) => void): MessageTexts {
  let line: string[] = [];
  let data: string[] = [];
  const endEvent = (): void => {
    if (data.length > 0) read(data.join('\n'));
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
      const [first = '', ...more] = isStream ? chunk.split(/\r\n|\r|\n/) : [chunk];
      line.push(first);
      for (const next of more) {
        endLine();
        line.push(next);
      }
    },
    end: () => {
      if (isStream) endEvent();
      else read(line.join(''));
    },
  };
}
