/**
 * Takes the raw events of a reply from its response, before the provider's package reads them. If
 * the request is not ours, the model sends them among its parts.
 */
import type { ModelRef } from '../../../providers/own-findings.ts';
import { MAX_EVENT_BYTES, tooLong } from './bounded-response.ts';
import type { ByteReader, Bytes } from './byte-reader.ts';
import { EventData } from './event-data.ts';
import { AnswerWithoutEvents } from './response-without-events.ts';
import { DONE } from '../../../providers/reply-bounds.ts';
import { INTERRUPTED } from '../../../providers/wire/bad-sign.ts';

/** False where nothing more is to be read. */
export type TakeRawEvent = (event: unknown) => boolean;

/** Takes the events of the request that is sent with this signal. */
export type TakeEventsOf = (signal: unknown, take: TakeRawEvent) => void;

/**
 * The SDK drops an event that has no empty line after it at the end of a body, and with it the rest
 * of a text. With the line it reads a complete event, and fails on a broken one.
 */
const MISSING_END: Bytes = new TextEncoder().encode('\n\n');

/** Reads the events of a response, and none beyond the size limit. */
export function withEventsTaken(
  reader: ByteReader,
  take: TakeRawEvent,
  modelRef: ModelRef,
): ByteReader {
  const events = new EventData();
  const { cancel } = reader;
  const read = async (): Promise<Bytes | undefined> => {
    const bytes = (await reader.read()) ?? (events.keptChars > 0 ? MISSING_END : undefined);
    if (bytes === undefined) return undefined;
    for (const data of readEvents(events, bytes)) {
      if (take(data === DONE ? DONE : parsed(data))) continue;
      await reader.cancel();
      return undefined;
    }
    if (events.keptChars > MAX_EVENT_BYTES) throw tooLong(modelRef);
    return bytes;
  };
  return { read, cancel };
}

function readEvents(events: EventData, bytes: Bytes): readonly string[] {
  try {
    return events.endedIn(bytes);
  } catch {
    // damaged on its way, as one that breaks off
    throw new AnswerWithoutEvents(INTERRUPTED);
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    // the SDK reports it
    return undefined;
  }
}
