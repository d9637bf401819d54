/**
 * Takes the raw events of a reply out of the model's own stream. The SDK would pass each of them through all
 * the steps of its own pipeline, which costs as much again as the reply itself.
 */
import { isPlainObject, readProperty } from '../../../errors/support/safe-json.ts';
import type { SdkCall, SdkModel } from '../sdk.ts';

/** False where nothing more is to be read. */
export type TakeRawEvent = (event: unknown) => boolean;

/** The fields of a model that the SDK reads, in every version of the interface. */
const FIELDS = ['specificationVersion', 'provider', 'modelId', 'supportedUrls'] as const;

type Open = (this: unknown, options: object) => PromiseLike<object>;

/** A model that the SDK finds by itself is asked for raw events through the SDK. */
export function withRawEvents(
  model: SdkModel,
  take: TakeRawEvent,
): Pick<SdkCall, 'model' | 'include'> {
  const open = readProperty(model, 'doStream');
  if (typeof open !== 'function') return { model, include: { rawChunks: true } };
  const fields = FIELDS.map((name) => [name, readProperty(model, name)] as const);
  const doStream = async (options: object): Promise<object> => {
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
