/**
 * The answer to a call in a response with the status of a failure. The status then comes from a
 * gateway or a careless server: the call was executed, and the answer says how it ended.
 */
import { isArray, isPlainObject, readProperty } from '../../errors/support/safe-json.ts';

/** Statuses that, like an error in the body, say only that something is wrong with the request. */
const WITHOUT_REASON: ReadonlySet<number> = new Set([400, 422]);

/**
 * Whether this message answers the request. A result proves it; an error does if it says more than
 * the status.
 */
export function isAnswer(text: string, id: string | number, status: number): boolean {
  const messages = parsed(text);
  return (isArray(messages) ? [...messages] : [messages]).some((message) => {
    if (!isPlainObject(message) || readProperty(message, 'id') !== id) return false;
    if (readProperty(message, 'method') !== undefined) return false;
    if (readProperty(message, 'result') !== undefined) return true;
    return isPlainObject(readProperty(message, 'error')) && WITHOUT_REASON.has(status);
  });
}

/** The body as far as it came; a server that breaks off has sent that much. */
export async function readBody(body: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of body) chunks.push(chunk);
  } catch {
    // too long, or broken off: only the status is left
  }
  return Uint8Array.from(Buffer.concat(chunks));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // a page of a gateway
    return undefined;
  }
}
