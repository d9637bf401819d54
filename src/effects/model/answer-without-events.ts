/**
 * An answer to a streaming request that is no stream: gateways put an error, or a page for people,
 * under HTTP 200. The SDK finds no events in such a body and drops it, so it is read before the SDK
 * sees it, and what it says goes through extract and classify as any other answer.
 */
import { isArray, isPlainObject, readProperty } from '../../errors/json.ts';
import type { Asked } from './failure.ts';

const EVENTS = /^(?:text\/event-stream|application\/vnd\.amazon\.eventstream)\b/i;

/** Errors are short, and of a page the beginning is enough to know it. */
const MAX_BYTES = 256 * 1024;

/** The response for the SDK. Throws the failure, written down, where the body is one. */
export async function withEvents(response: Response, { provider }: Asked): Promise<Response> {
  const { status, headers, body } = response;
  if (!response.ok || body === null || EVENTS.test(headers.get('content-type') ?? '')) {
    return response;
  }
  const reader = body.getReader();
  const { bytes, isWhole } = await beginning(reader);
  const failure = failureIn(new TextDecoder().decode(bytes), isWhole);
  if (failure === undefined) {
    return new Response(rest(bytes, reader), {
      status,
      headers,
      statusText: response.statusText,
    });
  }
  if (!isWhole) await reader.cancel();
  throw new AnswerWithoutEvents({
    provider,
    status,
    headers: Object.fromEntries(headers),
    body: failure,
    transport: null,
  });
}

/** Its cause is the record that the extractor of raw HTTP reads. */
class AnswerWithoutEvents extends Error {
  constructor(record: object) {
    super('The answer to a streaming request was no stream', { cause: record });
    this.name = 'AnswerWithoutEvents';
  }
}

type Reader = ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>;

interface Beginning {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly isWhole: boolean;
}

/** To the end, as long as it can be an error or a page; events under a wrong name are not held up. */
async function beginning(reader: Reader): Promise<Beginning> {
  let bytes = new Uint8Array();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { bytes, isWhole: true };
    const longer = new Uint8Array(bytes.length + value.length);
    longer.set(bytes);
    longer.set(value, bytes.length);
    bytes = longer;
    const first = bytes.find((byte) => !BLANKS.has(byte));
    if (bytes.length > MAX_BYTES || (first !== undefined && !OPENING.has(first))) {
      return { bytes, isWhole: false };
    }
  }
}

const bytesOf = (text: string): ReadonlySet<number> => new Set(new TextEncoder().encode(text));

/** The byte order mark is three of them. */
const BLANKS = bytesOf(' \t\r\n\ufeff');
const OPENING = bytesOf('{[<');

function failureIn(text: string, isWhole: boolean): unknown {
  if (/^\s*</.test(text)) return text;
  if (!isWhole) return undefined;
  const parsed = parsedJson(text);
  const [only] = isArray(parsed) ? parsed : [parsed];
  return isPlainObject(only) && !isAnswer(only) ? parsed : undefined;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // nothing that could be read for an error: the SDK has its own word for what it is
    return undefined;
  }
}

/** What a whole answer is in, in each of the protocols. */
const ANSWERS = ['choices', 'candidates', 'content', 'output'] as const;

function isAnswer(body: object): boolean {
  const error = readProperty(body, 'error');
  if (error !== undefined && error !== null) return false;
  return ANSWERS.some((key) => readProperty(body, key) !== undefined);
}

function rest(bytes: Uint8Array<ArrayBuffer>, reader: Reader): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start: (controller) => {
      if (bytes.length > 0) controller.enqueue(bytes);
    },
    pull: async (controller) => {
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
