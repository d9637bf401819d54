/** Reads the body of a request, up to a limit, and as strictly as `--input` is read. */
import { isDeeper } from '../../errors/support/is-deeper.ts';
import { ErrandError } from '../../errors/thrown/errand-error.ts';
import type { JsonValue } from '../../errors/support/safe-json.ts';
import { describeInexact, readJson } from '../../workflow/json-schema/exact-number.ts';

const MAX_BODY_BYTES = 1024 * 1024;

/** Deeper nesting is never honest, and would overflow the stack of a recursion. */
const MAX_DEPTH = 200;

/** Undefined where there is no body. */
export async function readText(request: Request): Promise<string | undefined> {
  const declared = Number(request.headers.get('content-length') ?? 0);
  if (declared > MAX_BODY_BYTES) throw tooLarge();
  if (request.body === null) return undefined;
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  const reader: ReadableStreamDefaultReader<Uint8Array> = request.body.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      bytes += value.byteLength;
      if (bytes > MAX_BODY_BYTES) throw tooLarge();
      chunks.push(value);
    }
  } catch (thrown) {
    if (thrown instanceof ErrandError) {
      void reader.cancel().catch(() => undefined);
      throw thrown;
    }
    throw invalid('The body of the request broke off', thrown);
  }
  if (bytes === 0) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks));
  } catch (thrown) {
    throw invalid('The body is not text in UTF-8', thrown);
  }
}

/** No body is `{}`. */
export function parseJson(text: string | undefined): JsonValue {
  if (text === undefined || text.trim() === '') return {};
  const { value, inexact } = read(text);
  if (inexact !== undefined) throw invalid(`The body ${describeInexact(inexact)}`);
  if (isDeeper(value, MAX_DEPTH)) throw invalid(`The body is nested deeper than ${MAX_DEPTH}`);
  return value;
}

function read(text: string): ReturnType<typeof readJson> {
  try {
    return readJson(text);
  } catch (thrown) {
    throw invalid('The body is not JSON', thrown);
  }
}

function invalid(message: string, cause?: unknown): ErrandError {
  return new ErrandError(
    {
      kind: 'request.invalid',
      message,
      action: { kind: 'change_input', detail: 'Send one JSON object in UTF-8.' },
    },
    { cause },
  );
}

function tooLarge(): ErrandError {
  return new ErrandError({
    kind: 'request.too_large',
    message: `The body is larger than ${MAX_BODY_BYTES} bytes`,
  });
}
