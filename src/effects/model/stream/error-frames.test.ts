import { describe, expect, it } from 'vitest';
import { encodeFrame } from '../../../../test/sdk-parity/event-stream.ts';
import { readerOf, streamOf } from './byte-reader.ts';
import { withReadableFrames } from './error-frames.ts';

const EVENT = encodeFrame({ ':message-type': 'event', ':event-type': 'metadata' }, '{"a":1}');
const ERROR = encodeFrame(
  { ':message-type': 'error', ':error-code': 'InternalFailure', ':error-message': 'no' },
  '',
);

/** The bytes that the SDK gets of a body that comes in pieces of this size. */
async function read(sent: Buffer, pieceBytes: number): Promise<Buffer> {
  const pieces = Array.from({ length: Math.ceil(sent.length / pieceBytes) }, (_, at) =>
    Uint8Array.from(sent.subarray(at * pieceBytes, (at + 1) * pieceBytes)),
  );
  const headers = { 'content-type': 'application/vnd.amazon.eventstream' };
  const body = ReadableStream.from(pieces);
  const readable = withReadableFrames(readerOf(body), new Response(null, { headers }));
  return Buffer.from(await new Response(streamOf(readable)).arrayBuffer());
}

describe.each([1, 13, 10_000])('a body in pieces of %i bytes', (pieceBytes) => {
  it('passes as it is, a frame that breaks off too', async () => {
    const body = Buffer.concat([EVENT, EVENT, EVENT.subarray(0, -3)]);
    expect(await read(body, pieceBytes)).toEqual(body);
    const begun = Buffer.concat([EVENT, EVENT.subarray(0, 7)]);
    expect(await read(begun, pieceBytes)).toEqual(begun);
  });

  it('has an exception for an error, with its code and message', async () => {
    const exception = encodeFrame(
      { ':message-type': 'exception', ':exception-type': 'ErrorException' },
      '{"__type":"InternalFailure","message":"no"}',
    );
    const got = await read(Buffer.concat([EVENT, ERROR, EVENT]), pieceBytes);
    expect(got).toEqual(Buffer.concat([EVENT, exception, EVENT]));
  });
});
