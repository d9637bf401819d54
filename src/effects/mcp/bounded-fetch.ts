/**
 * A `fetch` that limits the size of responses: each event of a stream, the whole of anything else.
 * A call also carries its idempotency key as a header, where gateways and web servers expect it.
 *
 * A call is sent once: it does not follow a redirect. If earlier messages were redirected within the same
 * server, the call goes to the new address at once.
 */
import { readProperty } from '../../errors/support/safe-json.ts';
import { isAnswer, readBody } from './answer-in-refusal.ts';
import { keyHeader } from './call-key.ts';
import { collectMessages, type ReadMessage } from './inexact-result.ts';
import { MAX_MESSAGE_BYTES } from './split-lines.ts';

const NEW_LINE = 10;
const RETURN = 13;

export interface ResponseListener {
  /** Receives the id of the request whose response is too long; undefined if it is not known. */
  tooLong(id: string | number | undefined): void;
  /** Receives the text of each message, before the client does. */
  readonly message: ReadMessage;
  /** False where responses come on another connection, so that a body answers no call. */
  readonly answersInBody?: boolean;
}

export function boundedFetch(
  listener: ResponseListener,
  maxBytes: number = MAX_MESSAGE_BYTES,
): typeof fetch {
  const moved = new Map<string, string>();
  return async (input, init) => {
    const key = keyHeader(init?.body);
    const isCall = Object.keys(key).length > 0;
    const address = input instanceof Request ? input.url : String(input);
    const to = isCall ? lastOf(moved, address) : input;
    const came = await fetch(to, { ...withKey(init, key), redirect: 'manual' });
    if (isRedirect(came) && !isCall) noteMove(moved, address, came);
    const response = isRedirect(came) && isCall ? withoutLocation(came) : came;
    if (response.body === null) return withoutChallenge(response, null);
    const type = response.headers.get('content-type') ?? '';
    const isStream = /^text\/event-stream\b/i.test(type);
    const id = messageId(init?.body);
    const isFailed = isCall && !response.ok && listener.answersInBody !== false;
    let isAnswered = false;
    const bound = boundedStream(isStream, {
      maxBytes,
      tooLong: () => listener.tooLong(id),
      message: (text, isUtf8) => {
        if (isFailed && id !== undefined) isAnswered ||= isAnswer(text, id, response.status);
        listener.message(text, isUtf8);
      },
    });
    const bounded = response.body.pipeThrough(bound);
    if (!isFailed) return withoutChallenge(response, bounded);
    const body = await readBody(bounded);
    // by any other status the client would not read the answer
    return isAnswered
      ? new Response(body, { status: 200, headers: response.headers })
      : withoutChallenge(response, body);
  };
}

function withKey(
  init: RequestInit | undefined,
  key: Readonly<Record<string, string>>,
): RequestInit | undefined {
  const added = Object.entries(key);
  if (init === undefined || added.length === 0) return init;
  const headers = new Headers(init.headers);
  for (const [name, value] of added) headers.set(name, value);
  return { ...init, headers };
}

function isRedirect({ status }: Response): boolean {
  return status >= 300 && status < 400;
}

/** Without a location the client cannot follow the redirect. */
function withoutLocation(response: Response): Response {
  const { status, statusText, body } = response;
  const headers = new Headers(response.headers);
  headers.delete('location');
  return new Response(body, { status, statusText, headers });
}

/**
 * Without a challenge the client reports the status of a refusal, as for any other. With one, it would
 * look for a way to sign in, which Errand does not configure.
 */
function withoutChallenge(
  response: Response,
  body: ReadableStream | Uint8Array<ArrayBuffer> | null,
): Response {
  const { status, statusText } = response;
  const headers = new Headers(response.headers);
  headers.delete('www-authenticate');
  return new Response(body, { status, statusText, headers });
}

/** Records a redirect that the client follows by itself: same server, same method. */
function noteMove(moved: Map<string, string>, from: string, { status, headers }: Response): void {
  const location = headers.get('location');
  const to = location === null ? null : URL.parse(location, from);
  const isKept = status === 307 || status === 308;
  if (isKept && to !== null && isSameServer(new URL(from), to)) moved.set(from, to.href);
}

function isSameServer(from: URL, to: URL): boolean {
  if (`${to.username}${to.password}` !== '') return false;
  if (from.origin === to.origin) return true;
  const isSecured = from.protocol === 'http:' && to.protocol === 'https:';
  return isSecured && from.hostname === to.hostname && `${from.port}${to.port}` === '';
}

function lastOf(moved: ReadonlyMap<string, string>, address: string): string {
  let last = address;
  // each address once: redirects may form a loop
  for (let left = moved.size; left > 0; left--) last = moved.get(last) ?? last;
  return last;
}

function boundedStream(
  isStream: boolean,
  {
    maxBytes,
    tooLong,
    message,
  }: { readonly maxBytes: number; readonly tooLong: () => void } & Pick<
    ResponseListener,
    'message'
  >,
): TransformStream<Uint8Array, Uint8Array> {
  const longest = isStream ? createEventSizes() : createBodySize();
  const texts = collectMessages(isStream, message);
  return new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      if (longest(chunk) > maxBytes) {
        tooLong();
        throw new Error('The response of the server is too long');
      }
      texts.add(chunk);
      controller.enqueue(chunk);
    },
    flush: () => texts.end(),
  });
}

/** Size of the longest message that has a part in the chunk, as far as it is known. */
type LongestMessage = (chunk: Uint8Array) => number;

function createBodySize(): LongestMessage {
  let sizeBytes = 0;
  return (chunk) => (sizeBytes += chunk.byteLength);
}

/** An event ends with an empty line; until then the client keeps all of its lines. */
function createEventSizes(): LongestMessage {
  let eventBytes = 0;
  let lineBytes = 0;
  let isReturn = false;
  const add = (part: Uint8Array): void => {
    eventBytes += part.byteLength;
    lineBytes += part.byteLength;
    if (part.byteLength > 0) isReturn = part.at(-1) === RETURN;
  };
  return (chunk) => {
    let longestBytes = 0;
    let start = 0;
    for (let at = chunk.indexOf(NEW_LINE); at >= 0; at = chunk.indexOf(NEW_LINE, start)) {
      add(chunk.subarray(start, at));
      longestBytes = Math.max(longestBytes, eventBytes);
      if (lineBytes === 0 || (lineBytes === 1 && isReturn)) eventBytes = 0;
      lineBytes = 0;
      start = at + 1;
    }
    add(chunk.subarray(start));
    return Math.max(longestBytes, eventBytes);
  };
}

/** The id in the text of a request or a response. */
export function messageId(text: unknown): string | number | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    const id = readProperty(JSON.parse(text), 'id');
    return typeof id === 'string' || typeof id === 'number' ? id : undefined;
  } catch {
    // not a message of the protocol, so no request waits for it
    return undefined;
  }
}
