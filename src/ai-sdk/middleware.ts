/**
 * Types the failures of one model and changes nothing else. The AI SDK's own retries continue to act, on
 * failures that the report calls retryable and on no others.
 */
import type {
  LanguageModelV4,
  LanguageModelV4Middleware,
  LanguageModelV4StreamPart as Part,
} from '@ai-sdk/provider';
import type { ErrorReport } from '../errors/report/report.ts';
import { isInstance } from '../errors/support/safe-json.ts';
import { ErrandError } from '../errors/thrown/errand-error.ts';
import { ambientStamp } from '../errors/thrown/stamp.ts';
import { errorOfPart } from '../providers/extract/ai-sdk.ts';
import { failureOf } from './attempt-failure.ts';
import { isContent } from './stream-content.ts';

/**
 * Makes the middleware for `wrapLanguageModel`.
 * @example
 * ```ts
 * import { errandMiddleware } from 'errand/ai-sdk';
 *
 * const middleware = errandMiddleware();
 * console.log(middleware.specificationVersion); // v4
 * ```
 */
export function errandMiddleware(): LanguageModelV4Middleware {
  return {
    specificationVersion: 'v4',
    wrapGenerate: ({ doGenerate, model, params }) => typed(doGenerate(), model, params.abortSignal),
    async wrapStream({ doStream, model, params }) {
      const result = await typed(doStream(), model, params.abortSignal);
      let isDelivered = false;
      const parts = new TransformStream<Part, Part>({
        transform(part, controller) {
          isDelivered ||= isContent(part);
          if (part.type !== 'error' || isOwn(part.error, params.abortSignal))
            controller.enqueue(part);
          else
            controller.enqueue({
              ...part,
              error: typedError(errorOfPart(part.error), model, { isDelivered }),
            });
        },
      });
      const stream = result.stream.pipeThrough(parts);
      return {
        ...result,
        stream: withTypedEnd(stream, (thrown) =>
          isOwn(thrown, params.abortSignal) ? thrown : typedError(thrown, model, { isDelivered }),
        ),
      };
    },
  };
}

async function typed<T>(
  work: PromiseLike<T>,
  model: LanguageModelV4,
  signal: AbortSignal | undefined,
): Promise<T> {
  try {
    return await work;
  } catch (thrown) {
    throw isOwn(thrown, signal) ? thrown : typedError(thrown, model, { isDelivered: false });
  }
}

/** The caller's own abort is thrown as it is: the SDK and applications look for it. */
function isOwn(thrown: unknown, signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true || isInstance(thrown, ErrandError);
}

/** The stream with another error in place of the one that ends it. */
function withTypedEnd(
  stream: ReadableStream<Part>,
  typedEnd: (thrown: unknown) => unknown,
): ReadableStream<Part> {
  const reader = stream.getReader();
  return new ReadableStream<Part>(
    {
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (thrown) {
          controller.error(typedEnd(thrown));
        }
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/** The marks by which the SDK knows its own error, whichever copy of the package made it. */
const SDK_ERROR = Symbol.for('vercel.ai.error');
const SDK_CALL_ERROR = Symbol.for('vercel.ai.error.AI_APICallError');

function typedError(
  thrown: unknown,
  model: LanguageModelV4,
  { isDelivered }: { readonly isDelivered: boolean },
): ErrandError {
  const provider = model.provider.split('.')[0] ?? model.provider;
  const report = failureOf(
    thrown,
    { provider, model: model.modelId },
    { stamp: ambientStamp(), isBegun: isDelivered, isDelivered },
  );
  // without the SDK's error: it holds the prompt, the raw body and all headers, and loggers print
  // causes
  return Object.assign(new ErrandError(report), {
    [SDK_ERROR]: true,
    [SDK_CALL_ERROR]: true,
    isRetryable: report.retryable === true,
    ...callFacts(report),
  });
}

/** The field of its own error that the SDK reads: when to try again. */
function callFacts({ provider }: ErrorReport) {
  const { status, retryAfterMs } = provider ?? {};
  return {
    ...(status === undefined ? {} : { statusCode: status }),
    responseHeaders: retryAfterMs === undefined ? {} : { 'retry-after-ms': String(retryAfterMs) },
  };
}
