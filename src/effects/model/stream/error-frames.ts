/**
 * Errors in the frames of AWS's event streams. A frame is an event, an exception of the service, or
 * an error of the transport, whose code and message are headers. The SDK drops such errors, so it
 * gets an exception in place of each.
 */
import { crc32 } from 'node:zlib';
import { joinBytes, type ByteReader, type Bytes } from './byte-reader.ts';

/** The length of the frame, the length of its headers, and the checksum of both. */
const PRELUDE_BYTES = 12;
/** A number of 32 bits; one is the checksum at the end of a frame. */
const WORD_BYTES = 4;
/** By the specification; longer headers are not held back. */
const MAX_HEADERS_BYTES = 128 * 1024;
/** The type of a header whose value is text; its length comes before it in two bytes. */
const TEXT_TYPE = 7;

const FRAMES = /^application\/vnd\.amazon\.eventstream\b/i;

export function withReadableFrames(reader: ByteReader, { ok, headers }: Response): ByteReader {
  if (!ok || !FRAMES.test(headers.get('content-type') ?? '')) return reader;
  const frames = new Frames();
  const { cancel } = reader;
  const read = async (): Promise<Bytes | undefined> => {
    for (;;) {
      const piece = await reader.read();
      const bytes = piece === undefined ? frames.rest() : frames.take(piece);
      if (bytes.length > 0) return bytes;
      if (piece === undefined) return undefined;
    }
  };
  return { read, cancel };
}

/** Holds the beginning of a frame back until all of its headers are there. */
class Frames {
  #held: Bytes = new Uint8Array();
  /** Bytes of the frame whose headers were read that are still to come. */
  #left = 0;
  #isDropped = false;

  take(chunk: Bytes): Bytes {
    const ready: Bytes[] = [];
    let bytes = joinBytes([this.#held, chunk]);
    for (;;) {
      const own = bytes.subarray(0, this.#left);
      if (!this.#isDropped) ready.push(own);
      this.#left -= own.length;
      bytes = bytes.subarray(own.length);
      if (this.#left > 0 || bytes.length < PRELUDE_BYTES) break;
      const view = new DataView(bytes.buffer, bytes.byteOffset);
      const headersEnd = PRELUDE_BYTES + Math.min(view.getUint32(4), MAX_HEADERS_BYTES);
      if (bytes.length < headersEnd && headersEnd < view.getUint32(0)) break;
      const exception = exceptionFor(headersIn(bytes.subarray(PRELUDE_BYTES, headersEnd)));
      if (exception !== undefined) ready.push(exception);
      this.#isDropped = exception !== undefined;
      this.#left = Math.max(view.getUint32(0), PRELUDE_BYTES);
    }
    this.#held = bytes.slice();
    return joinBytes(ready);
  }

  /** The SDK reports a frame that broke off. */
  rest(): Bytes {
    const held = this.#held;
    this.#held = new Uint8Array();
    return held;
  }
}

/** Replaces a frame with the headers of an error by one that the SDK passes on. */
function exceptionFor(headers: ReadonlyMap<string, string>): Bytes | undefined {
  if (headers.get(':message-type') !== 'error') return undefined;
  const said = { __type: headers.get(':error-code'), message: headers.get(':error-message') };
  const own = [header(':message-type', 'exception'), header(':exception-type', 'ErrorException')];
  const body = new TextEncoder().encode(JSON.stringify(said));
  return frameOf(joinBytes(own), body);
}

function header(name: string, value: string): Bytes {
  const nameBytes = new TextEncoder().encode(name);
  const valueBytes = new TextEncoder().encode(value);
  const { length } = valueBytes;
  const size = Uint8Array.of(TEXT_TYPE, Math.floor(length / 256), length % 256);
  return joinBytes([Uint8Array.of(nameBytes.length), nameBytes, size, valueBytes]);
}

function frameOf(headers: Bytes, body: Bytes): Bytes {
  const total = PRELUDE_BYTES + headers.length + body.length + WORD_BYTES;
  const sizes = joinBytes([uint32(total), uint32(headers.length)]);
  const frame = joinBytes([sizes, uint32(crc32(sizes)), headers, body]);
  return joinBytes([frame, uint32(crc32(frame))]);
}

function uint32(value: number): Bytes {
  const bytes = new Uint8Array(WORD_BYTES);
  new DataView(bytes.buffer).setUint32(0, value);
  return bytes;
}

/** The headers up to one that is not text; all that matter here are text. */
function headersIn(bytes: Uint8Array): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  const decoder = new TextDecoder();
  let at = 0;
  while (at < bytes.length) {
    const nameEnd = at + 1 + (bytes[at] ?? 0);
    const name = decoder.decode(bytes.subarray(at + 1, nameEnd));
    if (bytes[nameEnd] !== TEXT_TYPE) return headers;
    const start = nameEnd + 3;
    const end = start + (bytes[nameEnd + 1] ?? 0) * 256 + (bytes[nameEnd + 2] ?? 0);
    headers.set(name, decoder.decode(bytes.subarray(start, end)));
    at = end;
  }
  return headers;
}
