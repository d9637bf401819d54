/** Reads a response body as text within a limit, or as JSON where it is declared and complete. */
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { keepsDigits, readJson } from '../../workflow/json-schema/exact-number.ts';

const TEXT =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|x-ndjson|graphql)\b|[\w.+-]+\/[\w.+-]+\+(?:json|xml|yaml)\b)/i;
const JSON_TYPE = /^application\/json\b|\+json\b/i;

export interface Body {
  readonly contentType: string;
  readonly value: JsonValue;
  /** The body was cut at the limit. */
  readonly isCut: boolean;
}

/** Thrown for a body that is neither text nor JSON; the caller decides the outcome. */
export class UnusableBody extends Error {
  readonly problem: string;

  constructor(problem: string, cause?: unknown) {
    super(problem, cause === undefined ? undefined : { cause });
    this.problem = problem;
  }
}

/** Throws an `UnusableBody`. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Body> {
  const contentType = response.headers['content-type'] ?? '';
  if (contentType !== '' && !TEXT.test(contentType)) {
    response.destroy();
    const [type = ''] = contentType.split(';');
    throw notText(`${type.trim()} is neither text nor JSON`);
  }
  const { bytes, isCut } = await readWithin(decoded(response), maxBytes);
  response.destroy();
  const text = textOf(bytes, contentType, isCut);
  const isJson = JSON_TYPE.test(contentType) && !isCut;
  return { contentType, value: isJson ? parsed(text) : text, isCut };
}

/** The request asks for no compression, but some servers compress anyway. */
function decoded(response: IncomingMessage): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').toLowerCase();
  switch (encoding) {
    case 'identity':
      return response;
    case 'gzip':
    case 'x-gzip':
      return through(response, createGunzip());
    case 'deflate':
      return through(response, createInflate());
    case 'br':
      return through(response, createBrotliDecompress());
    default:
      response.destroy();
      throw notText(`it is encoded as ${encoding}`);
  }
}

function through(response: IncomingMessage, decoder: Transform): Readable {
  // an error reaches the reader through the decoder
  pipeline(response, decoder, () => undefined);
  return decoder;
}

async function readWithin(
  stream: Readable,
  maxBytes: number,
): Promise<{ readonly bytes: Buffer; readonly isCut: boolean }> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of stream) {
    // true: a byte stream yields only buffers
    const part = chunk as Buffer;
    chunks.push(part.subarray(0, maxBytes - sizeBytes));
    sizeBytes += part.length;
    if (sizeBytes > maxBytes) return { bytes: Buffer.concat(chunks), isCut: true };
  }
  return { bytes: Buffer.concat(chunks), isCut: false };
}

/**
 * By the declared charset, else by the byte order mark, else UTF-8. Never replaces unreadable
 * bytes.
 */
function textOf(bytes: Buffer, contentType: string, isCut: boolean): string {
  const charset = /charset\s*=\s*["']?([^\s"';]+)/i.exec(contentType)?.[1] ?? encodingByMark(bytes);
  const decoder = decoderFor(charset);
  try {
    // the cut may have split a character
    return decoder.decode(bytes, { stream: isCut });
  } catch (thrown) {
    throw notText(`its bytes are not text in the encoding ${decoder.encoding}`, thrown);
  }
}

function decoderFor(charset: string): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset, { fatal: true });
  } catch (thrown) {
    throw notText(`its encoding ${charset.slice(0, 40)} is not known`, thrown);
  }
}

function encodingByMark([first, second]: Uint8Array): string {
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  return first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8';
}

function parsed(text: string): JsonValue {
  try {
    const { value, inexact } = readJson(text, keepsDigits);
    // an inexact number: the text keeps its digits
    return inexact === undefined ? value : text;
  } catch (thrown) {
    throw notText('it is declared as JSON but is not valid JSON', thrown);
  }
}

function notText(problem: string, cause?: unknown): UnusableBody {
  return new UnusableBody(problem, cause);
}
