/**
 * Failures below HTTP, put where an SDK meets them: a `fetch` (or smithy request handler) that
 * fails as the runtime did when the entry was recorded, at once or after a part of the answer.
 */
import { Readable } from 'node:stream';
import type { Fault } from '../corpus/entries.ts';
import { textFrames } from './event-stream.ts';
import type { Call } from './players.ts';
import { BEGINNINGS, type Played, type Protocol } from './protocol.ts';

/** The error of the entry as a live object. */
function thrownBy(fault: Fault): Error {
  if (fault.name === 'AbortError') return new DOMException(fault.message, fault.name);
  const options = fault.cause === undefined ? undefined : { cause: thrownBy(fault.cause) };
  const error =
    fault.name === 'TypeError'
      ? new TypeError(fault.message, options)
      : new Error(fault.message, options);
  const { name, message: _message, cause: _cause, codeAt, code, ...more } = fault;
  if (name !== 'TypeError' && name !== 'Error') error.name = name;
  const isOwnCode = typeof code === 'string' && codeAt !== 'cause';
  return Object.assign(error, more, isOwnCode ? { code } : {});
}

export function failing(
  entry: Played,
  fault: Fault,
  protocol: Protocol,
): Pick<Call, 'fetch' | 'requestHandler'> {
  const isMiddle = entry.stream !== false;
  const beginning = beginningOf(protocol);
  const headers = streamHeaders(protocol);
  return {
    fetch: async () => {
      if (!isMiddle) throw thrownBy(fault);
      return new Response(breakingStream(beginning, fault), { status: 200, headers });
    },
    requestHandler: {
      handle: async () => {
        if (!isMiddle) throw thrownBy(fault);
        return { response: { statusCode: 200, headers, body: breakingReadable(beginning, fault) } };
      },
    },
  };
}

export function streamHeaders(protocol: Protocol): Record<string, string> {
  const isFrames = protocol === 'bedrock';
  return { 'content-type': isFrames ? 'application/vnd.amazon.eventstream' : 'text/event-stream' };
}

/** A part of an answer as bytes. */
export function beginningOf(protocol: Protocol): Buffer {
  return protocol === 'bedrock'
    ? Buffer.concat([...textFrames('ConverseStream')])
    : Buffer.from(BEGINNINGS[protocol]);
}

function breakingStream(beginning: Buffer, fault: Fault): ReadableStream<Uint8Array> {
  const chunks = [new Uint8Array(beginning)];
  return new ReadableStream({
    pull(controller) {
      const chunk = chunks.shift();
      if (chunk === undefined) controller.error(thrownBy(fault));
      else controller.enqueue(chunk);
    },
  });
}

function breakingReadable(beginning: Buffer, fault: Fault): Readable {
  return Readable.from(
    (async function* () {
      yield beginning;
      throw thrownBy(fault);
    })(),
  );
}
