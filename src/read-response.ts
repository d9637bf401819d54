/** The body of a `Response` that was thrown as it came, for the one caller that can wait for it. */
import { readProperty } from './errors/support/safe-json.ts';
import { unreadResponse } from './providers/extract/unread-response.ts';
import { MAX_BODY_CHARS } from './providers/json-text.ts';

/**
 * The answer as a record with its body, read from a clone, so that the caller can read it too; undefined
 * where there is nothing to read. What was thrown is not handed back: a promise would wait for one.
 * Never rejects, reads no further than anybody looks, and no longer than until what it is given settles.
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

/** Undefined where it cannot be read: it has been read already, it broke, or it does not come. */
async function textOf(answer: object, until: Promise<unknown>): Promise<string | undefined> {
  const clone = readProperty(answer, 'clone');
  const ended = until.then(() => undefined);
  let reader: Reader | undefined;
  try {
    // a function by its shape; what it gives is no response where the next line throws
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
    // the copy is no longer needed, and a failure to cancel it does not matter
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
