/**
 * `fetch` whose answers have a bound: of a stream of events each line, of anything else the whole. A
 * call carries its key as a header too, where gateways and servers of the web look for it.
 */
import { readProperty } from '../../errors/json.ts';
import { keyHeader } from './call-key.ts';
import { MAX_MESSAGE_BYTES } from './lines.ts';

const NEW_LINE = 10;

/** `tell` hears which request has an answer that is too long; undefined where it is not one's own. */
export function boundedFetch(tell: (id: string | number | undefined) => void): typeof fetch {
  return async (input, init) => {
    const response = await fetch(input, withKey(init));
    if (response.body === null) return response;
    const type = response.headers.get('content-type') ?? '';
    const isStream = /^text\/event-stream\b/i.test(type);
    const bound = boundedStream(isStream, () => tell(requestIn(init?.body)));
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(bound), { status, statusText, headers });
  };
}

function withKey(init: RequestInit | undefined): RequestInit | undefined {
  const added = Object.entries(keyHeader(init?.body));
  if (init === undefined || added.length === 0) return init;
  const headers = new Headers(init.headers);
  for (const [name, value] of added) headers.set(name, value);
  return { ...init, headers };
}

function boundedStream(
  isStream: boolean,
  tell: () => void,
): TransformStream<Uint8Array, Uint8Array> {
  let sizeBytes = 0;
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      const lastLine = isStream ? chunk.lastIndexOf(NEW_LINE) : -1;
      sizeBytes = lastLine < 0 ? sizeBytes + chunk.byteLength : chunk.byteLength - lastLine - 1;
      if (sizeBytes > MAX_MESSAGE_BYTES) {
        tell();
        throw new Error('The answer of the server is too long');
      }
      controller.enqueue(chunk);
    },
  });
}

function requestIn(body: unknown): string | number | undefined {
  if (typeof body !== 'string') return undefined;
  try {
    const id = readProperty(JSON.parse(body), 'id');
    return typeof id === 'string' || typeof id === 'number' ? id : undefined;
  } catch {
    // not a message of the protocol, so nobody waits for its answer
    return undefined;
  }
}
