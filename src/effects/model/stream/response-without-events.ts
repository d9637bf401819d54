/**
 * A response to a streaming request that is not a stream: gateways return an error or an HTML page with
 * HTTP 200, some of them labelled as a stream. The SDK finds no events in such a body and drops it, so it
 * is read before the SDK, and goes through extract and classify like any other response.
 */
import {
  isArray,
  isInstance,
  isPlainObject,
  readProperty,
} from '../../../errors/support/safe-json.ts';
import type { ModelRef } from '../../../providers/own-findings.ts';
import { joinBytes, type ByteReader, type Bytes } from './byte-reader.ts';
import { WholeAnswer } from './whole-answer.ts';

const EVENTS = /^(?:text\/event-stream|application\/vnd\.amazon\.eventstream)\b/i;

/** Errors are short, and the beginning of a page is enough to recognise it. */
const MAX_BYTES = 256 * 1024;

/**
 * Reads the body for the SDK. Throws the failure if the body is one. Does not await a body that is
 * labelled as events: reading that one ends with the failure.
 */
export async function withEvents(
  reader: ByteReader,
  { ok, status, headers }: Response,
  modelRef: ModelRef,
): Promise<ByteReader> {
  if (!ok) return reader;
  const begin = async (): Promise<Bytes> => {
    const { bytes, isWhole } = await beginning(reader);
    const document = documentIn(new TextDecoder().decode(bytes), isWhole);
    if (document === undefined) return bytes;
    if (!isWhole) await reader.cancel();
    const [first] = isArray(document) ? document : [document];
    if (isAnswer(first)) throw new WholeAnswer(document, modelRef, status);
    throw new AnswerWithoutEvents({
      provider: modelRef.provider,
      status,
      headers: Object.fromEntries(headers),
      body: document,
      transport: null,
    });
  };
  const isLabelled = EVENTS.test(headers.get('content-type') ?? '');
  return beginningWith(isLabelled ? begin : await begin(), reader);
}

/** Its cause is in the form that the extractor of raw HTTP reads. */
export class AnswerWithoutEvents extends Error {
  constructor(record: object) {
    super('The response to a streaming request was not a stream', { cause: record });
    this.name = 'AnswerWithoutEvents';
  }
}

/** Finds our error inside the one that the SDK wraps around it. */
export function failureWithoutEvents(thrown: unknown): unknown {
  let link = thrown;
  for (let depth = 0; depth < MAX_LINKS && link !== undefined; depth++) {
    if (isInstance(link, AnswerWithoutEvents)) return link;
    link = readProperty(link, 'cause');
  }
  return undefined;
}

const MAX_LINKS = 8;

interface Beginning {
  readonly bytes: Bytes;
  readonly isWhole: boolean;
}

/** Reads to the end while it may be an error or a page; mislabelled events are passed on at once. */
async function beginning(reader: ByteReader): Promise<Beginning> {
  let bytes: Bytes = new Uint8Array();
  for (;;) {
    const piece = await reader.read();
    if (piece === undefined) return { bytes, isWhole: true };
    bytes = bytes.length === 0 ? piece : joinBytes([bytes, piece]);
    const first = bytes.find((byte) => !BLANKS.has(byte));
    if (bytes.length > MAX_BYTES || (first !== undefined && !OPENING.has(first))) {
      return { bytes, isWhole: false };
    }
  }
}

const bytesOf = (text: string): ReadonlySet<number> => new Set(new TextEncoder().encode(text));

/** The byte order mark is three bytes. */
const BLANKS = bytesOf(' \t\r\n\ufeff');
const OPENING = bytesOf('{[<');

/** A page or a JSON document; undefined for events and what nobody can read. */
function documentIn(text: string, isWhole: boolean): unknown {
  if (/^\s*</.test(text)) return text;
  if (!isWhole) return undefined;
  const parsed = parsedJson(text);
  const [only] = isArray(parsed) ? parsed : [parsed];
  return isPlainObject(only) ? parsed : undefined;
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // not JSON, so not an error that we can read: the SDK reports it
    return undefined;
  }
}

/** The field of a complete reply, in each protocol. */
const ANSWERS = ['choices', 'candidates', 'content', 'output'] as const;

function isAnswer(body: unknown): boolean {
  const error = readProperty(body, 'error');
  if (error !== undefined && error !== null) return false;
  return ANSWERS.some((key) => readProperty(body, key) !== undefined);
}

function beginningWith(begun: Bytes | (() => Promise<Bytes>), reader: ByteReader): ByteReader {
  let isBegun = false;
  const { cancel } = reader;
  const read = async (): Promise<Bytes | undefined> => {
    if (isBegun) return reader.read();
    isBegun = true;
    const bytes = typeof begun === 'function' ? await begun() : begun;
    return bytes.length > 0 ? bytes : reader.read();
  };
  return { read, cancel };
}
