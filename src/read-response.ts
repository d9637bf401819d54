/**
 * Reads the body of a `Response` that was thrown unread, for the one caller that can wait for it.
 */
import { readProperty } from './errors/support/safe-json.ts';
import { unreadResponse } from './providers/extract/unread-response.ts';
import { MAX_BODY_CHARS } from './providers/json-text.ts';

/**
 * The answer as a record with its body, read from a clone, so that the caller can read it too;
 * undefined if there is nothing to read. Does not return the thrown value itself: an async function
 * would await a thrown promise. Never rejects; reads no more than anybody uses; and stops when
 * `until` settles.
 */
export async function withBodyRead(
  thrown: unknown,
  until: () => Promise<unknown>,
): Promise<Error | undefined> {
  const answer = unreadResponse(thrown);
  if (answer === undefined) return undefined;
  const body = await textOf(answer, until());
  if (body === undefined) return undefined;
  const read = (key: string): unknown => readProperty(answer, key);
  const found = { status: read('status'), headers: read('headers'), url: read('url'), body };
  return Object.assign(new Error('The response is not a success'), found);
}

/** Undefined if it cannot be read: it was read before, it broke, or it does not arrive. */
async function textOf(answer: object, until: Promise<unknown>): Promise<string | undefined> {
  const clone = readProperty(answer, 'clone');
  const ended = until.then(() => undefined);
  let reader: Reader | undefined;
  try {
    // a function by its shape; if it returns no response, the next line throws
    const copy = Reflect.apply(clone as () => Readable, answer, []);
    reader = copy.body?.getReader();
    const decoder = new TextDecoder();
    let text = '';
    while (reader !== undefined && text.length <= MAX_BODY_CHARS) {
      const piece = await Promise.race([reader.read(), ended]);
      if (piece === undefined) return undefined;
      if (piece.done) break;
      text += decoder.decode(piece.value, { stream: true });
    }
    return text;
  } catch {
    // the report then says that the body was not read
    return undefined;
  } finally {
    // nobody needs the copy any longer, and a failure to cancel it does no harm
    reader?.cancel().catch(() => undefined);
    ended.catch(() => undefined);
  }
}

interface Readable {
  readonly body?: { getReader(): Reader } | null;
}

interface Reader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array }>;
  cancel(): Promise<void>;
}
