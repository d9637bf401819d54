/**
 * The response of each protocol for a kind of provider failure. The error that an SDK makes of it is
 * classified as the same kind again: a test plays every row through the real clients.
 */
import type { RuntimeKind } from '../../errors/catalog/catalog.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';

export type Dialect = 'openai' | 'anthropic' | 'google';

export interface WireFailure {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

export interface WireFailureOptions {
  readonly message?: string | undefined;
  readonly retryAfterMs?: number | undefined;
}

/** Status, the provider's error type, and a message. OpenAI has a code beside the type. */
type Row = readonly [status: number, type: string, message: string, code?: string];

type Rows = { readonly [K in RuntimeKind]?: Readonly<Record<Dialect, Row>> };

const ROWS: Rows = {
  'provider.rate_limited': {
    openai: [429, 'requests', 'Rate limit reached for requests.', 'rate_limit_exceeded'],
    anthropic: [429, 'rate_limit_error', 'This request would exceed your rate limit per minute.'],
    google: [429, 'RESOURCE_EXHAUSTED', 'Too many requests per minute; try again later.'],
  },
  'provider.overloaded': {
    openai: [503, 'server_error', 'That model is currently overloaded with other requests.'],
    anthropic: [529, 'overloaded_error', 'Overloaded'],
    google: [503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.'],
  },
  'provider.server_error': {
    openai: [500, 'server_error', 'The server had an error while processing your request.'],
    anthropic: [500, 'api_error', 'Internal server error'],
    google: [500, 'INTERNAL', 'An internal error has occurred.'],
  },
  'provider.timeout': {
    openai: [504, 'timeout', 'Request timed out.'],
    anthropic: [504, 'timeout_error', 'The request timed out while processing.'],
    google: [504, 'DEADLINE_EXCEEDED', 'Deadline expired before operation could complete.'],
  },
  'provider.conflict': {
    openai: [
      400,
      'invalid_request_error',
      'Another process is currently operating on this conversation.',
      'conversation_locked',
    ],
    anthropic: [409, 'conflict_error', 'The resource was changed by another request.'],
    google: [409, 'ABORTED', 'The operation was aborted owing to a concurrency issue.'],
  },
  'provider.auth': {
    openai: [401, 'invalid_request_error', 'Incorrect API key provided.', 'invalid_api_key'],
    anthropic: [401, 'authentication_error', 'invalid x-api-key'],
    google: [401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.'],
  },
  'provider.permission': {
    openai: [403, 'invalid_request_error', 'You have insufficient permissions for this operation.'],
    anthropic: [403, 'permission_error', 'Your API key does not have permission for this.'],
    google: [403, 'PERMISSION_DENIED', 'The caller does not have permission.'],
  },
  'provider.model_not_found': {
    openai: [404, 'invalid_request_error', 'The model does not exist.', 'model_not_found'],
    anthropic: [404, 'not_found_error', 'model: unknown-model'],
    google: [404, 'NOT_FOUND', 'models/unknown-model is not found for API version v1beta.'],
  },
  'provider.invalid_request': {
    openai: [400, 'invalid_request_error', 'Missing required parameter: messages.'],
    anthropic: [400, 'invalid_request_error', 'messages: roles must alternate'],
    google: [400, 'INVALID_ARGUMENT', 'Request contains an invalid argument.'],
  },
  'provider.tool_schema': {
    openai: [
      400,
      'invalid_request_error',
      "Invalid schema for function 'lookup': [] is not of type 'object'.",
      'invalid_function_parameters',
    ],
    anthropic: [400, 'invalid_request_error', 'tools.0.custom.input_schema.type: Field required'],
    google: [
      400,
      'INVALID_ARGUMENT',
      '* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties: should be non-empty for OBJECT type',
    ],
  },
  'provider.context_length': {
    openai: [
      400,
      'invalid_request_error',
      "This model's maximum context length is 8192 tokens.",
      'context_length_exceeded',
    ],
    anthropic: [400, 'invalid_request_error', 'prompt is too long: 210000 tokens > 200000 maximum'],
    google: [
      400,
      'INVALID_ARGUMENT',
      'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    ],
  },
  'provider.request_too_large': {
    openai: [413, 'server_error', 'Maximum content size limit (26214400) exceeded.'],
    anthropic: [413, 'request_too_large', 'Request exceeds the maximum size'],
    google: [400, 'INVALID_ARGUMENT', 'Request payload size exceeds the limit: 20971520 bytes.'],
  },
  'provider.unsupported': {
    openai: [
      400,
      'invalid_request_error',
      "Unsupported parameter: 'temperature' is not supported with this model.",
      'unsupported_parameter',
    ],
    anthropic: [
      400,
      'invalid_request_error',
      '"thinking.type.enabled" is not supported by this model.',
    ],
    google: [
      400,
      'INVALID_ARGUMENT',
      "Function calling with a response mime type: 'application/json' is unsupported",
    ],
  },
  'provider.quota_exhausted': {
    openai: [
      429,
      'insufficient_quota',
      'You exceeded your current quota, please check your plan and billing details.',
      'insufficient_quota',
    ],
    anthropic: [
      400,
      'invalid_request_error',
      'Your credit balance is too low to access the API. Please go to Plans & Billing.',
    ],
    google: [
      429,
      'RESOURCE_EXHAUSTED',
      'Your prepayment credits are depleted. Please check your plan and billing details.',
    ],
  },
};

/** Undefined for a kind that is not a response with a status but happens to the connection or the reply. */
export function wireFailure(
  kind: string,
  dialect: Dialect,
  options: WireFailureOptions = {},
): WireFailure | undefined {
  const rows = (ROWS as Readonly<Record<string, Readonly<Record<Dialect, Row>>>>)[kind];
  if (rows === undefined) return undefined;
  const [status, type, usual, code] = rows[dialect];
  const message = options.message ?? usual;
  const body = errorBody(dialect, { status, type, message, code: code ?? null }, options);
  return { status, headers: hintHeaders(dialect, options.retryAfterMs), body };
}

export interface ErrorWords {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly code: string | null;
}

export function errorBody(
  dialect: Dialect,
  { status, type, message, code }: ErrorWords,
  { retryAfterMs }: WireFailureOptions = {},
): JsonObject {
  switch (dialect) {
    case 'openai':
      return { error: { message, type, param: null, code } };
    case 'anthropic':
      return { type: 'error', error: { type, message }, request_id: 'req_simulated' };
    case 'google': {
      const hint = {
        '@type': 'type.googleapis.com/google.rpc.RetryInfo',
        retryDelay: `${(retryAfterMs ?? 0) / 1000}s`,
      };
      const details = retryAfterMs === undefined ? {} : { details: [hint] };
      return { error: { code: status, message, status: type, ...details } };
    }
  }
}

/** Google puts the delay into the body. `retry-after` has whole seconds, so the exact delay is beside it. */
function hintHeaders(
  dialect: Dialect,
  retryAfterMs: number | undefined,
): Readonly<Record<string, string>> {
  if (retryAfterMs === undefined || dialect === 'google') return {};
  return {
    'retry-after': String(Math.ceil(retryAfterMs / 1000)),
    'retry-after-ms': String(retryAfterMs),
  };
}
