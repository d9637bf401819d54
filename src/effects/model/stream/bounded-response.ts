/**
 * Limits the size of a response: keeps the beginning of an error, and limits each event and the whole of a
 * stream. Otherwise a server that never stops sending would fill the memory of this process.
 */
import { ErrandError } from '../../../errors/thrown/errand-error.ts';
import type { ModelRef } from '../../../providers/own-findings.ts';
import { factsOf } from '../model-failure.ts';
import type { ByteReader, Bytes } from './byte-reader.ts';

const MIB = 1024 * 1024;

/** The beginning of an error body says what went wrong. */
const MAX_REFUSAL_BYTES = MIB;
export const MAX_EVENT_BYTES = 32 * MIB;
/** The longest possible reply, with one token per event. */
const MAX_ANSWER_BYTES = 256 * MIB;

/** More than any model writes in one reply: text, reasoning and arguments together. */
export const MAX_WRITTEN_CHARS = 16 * MIB;

/** An event of this format begins with its length in this many bytes. */
const LENGTH_BYTES = 4;

export function boundedReader(
  reader: ByteReader,
  { ok }: Response,
  { modelRef, hasBinaryEvents }: { readonly modelRef: ModelRef; readonly hasBinaryEvents: boolean },
): ByteReader {
  if (!ok) return beginningOf(reader);
  return wholeOf(reader, hasBinaryEvents ? frameBytes() : NOTHING_KEPT, modelRef);
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

function beginningOf(reader: ByteReader): ByteReader {
  let leftBytes = MAX_REFUSAL_BYTES;
  const { cancel } = reader;
  const read = async (): Promise<Bytes | undefined> => {
    if (leftBytes <= 0) {
      // a connection that cannot be closed ends by itself
      reader.cancel().catch(() => undefined);
      return undefined;
    }
    const bytes = await reader.read();
    if (bytes === undefined) return undefined;
    const kept = bytes.subarray(0, leftBytes);
    leftBytes -= bytes.byteLength;
    return kept;
  };
  return { read, cancel };
}

function wholeOf(reader: ByteReader, countEvent: CountEvent, modelRef: ModelRef): ByteReader {
  let bytes = 0;
  const { cancel } = reader;
  const read = async (): Promise<Bytes | undefined> => {
    const piece = await reader.read();
    if (piece === undefined) return undefined;
    bytes += piece.byteLength;
    if (countEvent(piece) <= MAX_EVENT_BYTES && bytes <= MAX_ANSWER_BYTES) return piece;
    const error = tooLong(modelRef);
    reader.cancel(error).catch(() => undefined);
    throw error;
  };
  return { read, cancel };
}

/** Returns the size so far of the unfinished event, which the reader must keep in memory. */
type CountEvent = (chunk: Uint8Array) => number;

/** Events in text are kept by the reader that splits them, and counted there. */
const NOTHING_KEPT: CountEvent = () => 0;

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
