/**
 * The trace of a leg as a header of Temporal, beside the arguments that Errand reads it from: so that
 * other tools on the server, such as Temporal's own interceptors, find it in its usual place.
 */
import { isPlainObject } from '../../../errors/support/safe-json.ts';
import type { ClientInterceptor, Headers } from '../temporal-sdk.ts';

/** The name that Temporal's package for OpenTelemetry uses. */
const HEADER = '_tracer-data';

export const TRACE_HEADER: ClientInterceptor = {
  startWithDetails: (input, next) =>
    next({ ...input, headers: withTrace(input.headers, legIn(input.options.args[0])) }),
  startUpdate: (input, next) =>
    next({ ...input, headers: withTrace(input.headers, input.args.at(-1)) }),
};

/** A start has the settings of its leg inside its input. */
function legIn(input: unknown): unknown {
  return isPlainObject(input) ? input['leg'] : undefined;
}

function withTrace(headers: Headers, leg: unknown): Headers {
  const trace = isPlainObject(leg) ? leg['trace'] : undefined;
  if (!isPlainObject(trace)) return headers;
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  const payload = {
    metadata: { encoding: encode('json/plain') },
    data: encode(JSON.stringify(trace)),
  };
  return { ...headers, [HEADER]: payload };
}
