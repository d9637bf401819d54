/**
 * Limits the size of a response: keeps the beginning of an error, and limits each event and the whole of a
 * stream. Otherwise a server that never stops sending would fill the memory of this process.
 */
import { ErrandError } from '../../../errors/thrown/errand-error.ts';
import type { ModelRef } from '../../../providers/own-findings.ts';
import { factsOf } from '../failure.ts';

const MIB = 1024 * 1024;

/** The beginning of an error body says what went wrong. */
const MAX_REFUSAL_BYTES = MIB;
const MAX_EVENT_BYTES = 32 * MIB;
/** The longest possible reply, with one token per event. */
const MAX_ANSWER_BYTES = 256 * MIB;

/** More than any model writes in one reply: text, reasoning and arguments together. */
export const MAX_WRITTEN_CHARS = 16 * MIB;

const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

/** An event of this format begins with its length in this many bytes. */
const LENGTH_BYTES = 4;
const BINARY_EVENTS = /^application\/vnd\.amazon\.eventstream\b/i;

export function boundedResponse(response: Response, modelRef: ModelRef): Response {
  const { body, status, statusText, headers } = response;
  if (body === null) return response;
  const isBinary = BINARY_EVENTS.test(headers.get('content-type') ?? '');
  const bounded = response.ok
    ? wholeOf(body, isBinary ? frameBytes() : eventBytes(), modelRef)
    : body.pipeThrough(beginningOf());
  return new Response(bounded, { status, statusText, headers });
}

export function tooLong({ provider, model }: ModelRef): ErrandError {
  return new ErrandError({
    kind: 'provider.truncated',
    message: `The reply of ${model} exceeded the size limit and was stopped`,
    provider: factsOf({ provider, model }),
    action: {
      kind: 'change_input',
      detail:
        'Request less, or set a lower `max_tokens`; and check what server is at the base URL.',
    },
  });
}

type Bytes = Uint8Array<ArrayBuffer>;
type Body = ReadableStream<Bytes>;

function beginningOf(): TransformStream<Bytes, Bytes> {
  let leftBytes = MAX_REFUSAL_BYTES;
  return new TransformStream({
    transform: (chunk, controller) => {
      controller.enqueue(chunk.slice(0, leftBytes));
      leftBytes -= chunk.byteLength;
      if (leftBytes <= 0) controller.terminate();
    },
  });
}

/** Not a `TransformStream`, which costs several times as much for each piece. */
function wholeOf(body: Body, countEvent: CountEvent, modelRef: ModelRef): Body {
  const reader = body.getReader();
  let bytes = 0;
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        bytes += value.byteLength;
        if (countEvent(value) > MAX_EVENT_BYTES || bytes > MAX_ANSWER_BYTES) {
          const error = tooLong(modelRef);
          // the connection ends by itself where it cannot be ended
          reader.cancel(error).catch(() => undefined);
          throw error;
        }
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** Returns the size so far of the unfinished event, which the reader must keep in memory. */
type CountEvent = (chunk: Uint8Array) => number;

/** An event ends with an empty line. The SDK treats a body without lines as one event. */
function eventBytes(): CountEvent {
  let bytes = 0;
  let isLineEmpty = true;
  let last = 0;
  return (chunk) => {
    for (const byte of chunk) {
      bytes++;
      const isEnd = byte === LINE_FEED || byte === CARRIAGE_RETURN;
      const isSecondHalf = byte === LINE_FEED && last === CARRIAGE_RETURN;
      if (isEnd && !isSecondHalf && isLineEmpty) bytes = 0;
      if (!isSecondHalf) isLineEmpty = isEnd;
      last = byte;
    }
    return bytes;
  };
}

function frameBytes(): CountEvent {
  let bytes = 0;
  let length = 0;
  return (chunk) => {
    for (const byte of chunk) {
      if (bytes < LENGTH_BYTES) length = length * 256 + byte;
      bytes++;
      if (bytes < LENGTH_BYTES || bytes < length) continue;
      bytes = 0;
      length = 0;
    }
    return bytes < LENGTH_BYTES ? bytes : length;
  };
}
