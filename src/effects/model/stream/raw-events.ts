/**
 * Takes the raw events of a reply: from the bytes of the response where the request is ours, else out of the model's own
 * stream, which costs a step more for every part of the reply. The SDK would pass each of them through all the steps
 * of its pipeline, which costs as much again as the reply itself.
 */
import { isPlainObject, readProperty } from '../../../errors/support/safe-json.ts';
import type { SdkCall, SdkModel } from '../sdk.ts';
import type { ModelRef } from '../../../providers/own-findings.ts';
import { MAX_EVENT_BYTES, tooLong } from './bounded-response.ts';
import type { ByteReader, Bytes } from './byte-reader.ts';
import { EventData } from './event-data.ts';
import { AnswerWithoutEvents } from './response-without-events.ts';
import { INTERRUPTED } from '../../../providers/wire/bad-sign.ts';

/** False where nothing more is to be read. */
export type TakeRawEvent = (event: unknown) => boolean;

/** Takes the events of the request that is sent with this signal. */
export type TakeEventsOf = (signal: unknown, take: TakeRawEvent) => void;

/** The fields of a model that the SDK reads, in every version of the interface. */
const FIELDS = ['specificationVersion', 'provider', 'modelId', 'supportedUrls'] as const;

type Open = (this: unknown, options: object) => PromiseLike<object>;

/** A model that the SDK finds by itself is asked for raw events through the SDK. */
export function withRawEvents(
  model: SdkModel,
  take: TakeRawEvent,
  takeEventsOf?: TakeEventsOf,
): Pick<SdkCall, 'model' | 'include'> {
  const open = readProperty(model, 'doStream');
  if (typeof open !== 'function') return { model, include: { rawChunks: true } };
  const fields = FIELDS.map((name) => [name, readProperty(model, name)] as const);
  const doStream = async (options: object): Promise<object> => {
    if (takeEventsOf !== undefined) {
      takeEventsOf(readProperty(options, 'abortSignal'), take);
      return (open as Open).call(model, options);
    }
    // true: the documented method of a model
    const result = await (open as Open).call(model, { ...options, includeRawChunks: true });
    const stream = readProperty(result, 'stream');
    if (!(stream instanceof ReadableStream)) return result;
    return { ...result, stream: withoutRaw(stream, take) };
  };
  return { model: { ...Object.fromEntries(fields), doStream } };
}

function withoutRaw(stream: ReadableStream<unknown>, take: TakeRawEvent): ReadableStream<unknown> {
  const reader = stream.getReader();
  return new ReadableStream(
    {
      async pull(controller) {
        for (;;) {
          const { done, value: part } = await reader.read();
          if (done) return controller.close();
          if (!isPlainObject(part) || readProperty(part, 'type') !== 'raw')
            return controller.enqueue(part);
          if (take(readProperty(part, 'rawValue'))) continue;
          await reader.cancel();
          return controller.close();
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The end of a stream of OpenAI's protocol, and no event. */
const DONE = '[DONE]';

/**
 * The SDK drops an event at the end of a body without an empty line after it, and with it the rest of a text.
 * With the line it reads a complete event, and fails on one that breaks off.
 */
const MISSING_END: Bytes = new TextEncoder().encode('\n\n');

/** Reads the events of a response before the SDK does, and none that is longer than any. */
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
      if (data === DONE || take(parsed(data))) continue;
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
