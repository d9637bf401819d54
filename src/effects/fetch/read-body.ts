/** The body of an answer as text within a bound, or as JSON where it says so and is whole. */
import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { ErrandError } from '../../errors/errand-error.ts';
import type { JsonValue } from '../../errors/json.ts';
import { keepsDigits, readJson } from '../../workflow/exact-number.ts';

const TEXT =
  /^(?:text\/|application\/(?:json|xml|yaml|x-yaml|javascript|x-ndjson|graphql)\b|[\w.+-]+\/[\w.+-]+\+(?:json|xml|yaml)\b)/i;
const JSON_TYPE = /^application\/json\b|\+json\b/i;

export interface Body {
  readonly contentType: string;
  readonly value: JsonValue;
  /** Only the beginning is here. */
  readonly isCut: boolean;
}

/** Throws `tool.output_malformed` for what is neither text nor JSON. */
export async function readBody(response: IncomingMessage, maxBytes: number): Promise<Body> {
  const contentType = response.headers['content-type'] ?? '';
  if (contentType !== '' && !TEXT.test(contentType)) {
    response.destroy();
    const [type = ''] = contentType.split(';');
    throw notText(`${type.trim()} is neither text nor JSON`);
  }
  const { bytes, isCut } = await readWithin(decoded(response), maxBytes);
  response.destroy();
  if (contentType === '' && !isUtf8(bytes) && !isCut) throw notText('its body is no text');
  const text = textOf(bytes, contentType);
  const isJson = JSON_TYPE.test(contentType) && !isCut;
  return { contentType, value: isJson ? parsed(text) : text, isCut };
}

/** Asked for as it is, but some servers compress all the same. */
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
  // what breaks is heard by whoever reads the end of it
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
    // a stream of bytes gives nothing else
    const part = chunk as Buffer;
    chunks.push(part.subarray(0, maxBytes - sizeBytes));
    sizeBytes += part.length;
    if (sizeBytes > maxBytes) return { bytes: Buffer.concat(chunks), isCut: true };
  }
  return { bytes: Buffer.concat(chunks), isCut: false };
}

function textOf(bytes: Buffer, contentType: string): string {
  const charset = /charset="?([\w-]+)/i.exec(contentType)?.[1] ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    // a charset that nobody knows; most of what calls itself so is readable all the same
    return bytes.toString('utf8');
  }
}

function parsed(text: string): JsonValue {
  try {
    const { value, inexact } = readJson(text, keepsDigits);
    // text keeps its digits
    return inexact === undefined ? value : text;
  } catch (thrown) {
    throw notText('it says that it is JSON and is not', thrown);
  }
}

function notText(problem: string, cause?: unknown): ErrandError {
  return new ErrandError(
    {
      kind: 'tool.output_malformed',
      message: `The answer cannot be used: ${problem}`,
      action: { kind: 'change_input', detail: 'Fetch an address that answers with text or JSON.' },
    },
    { cause },
  );
}
