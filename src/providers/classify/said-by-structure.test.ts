/** Failures whose structure says what they are: the print of a client, a code that names a field, a wait alone. */
import { expect, it } from 'vitest';
import { extractFailure } from '../extract/extract.ts';
import { classify } from './classify.ts';

const SETTING = 'invalid_request configuration';
const CONTENT = 'invalid_request content';

const thrown = (name: string, message: string): object => ({
  transport: { name, message, code: null },
});

/** Kind, category and a wait; the status; the body or a fault of the way; headers. */
const SEEN: readonly (readonly [
  string,
  number | null,
  unknown,
  Readonly<Record<string, string>>?,
])[] = [
  [
    'rate_limited transient',
    null,
    thrown(
      'HTTPStatusError',
      "Client error '429 Too Many Requests' for url 'https://api.example.com/v1/embed'",
    ),
  ],
  [
    'overloaded transient',
    null,
    thrown(
      'HTTPStatusError',
      "httpx.HTTPStatusError: Server error '503 Service Unavailable' for url 'http://10.0.0.1/x'",
    ),
  ],
  [
    'auth configuration',
    null,
    thrown(
      'HTTPStatusError',
      "Client error '401 Unauthorized' for url 'https://api.example.com/v1/embed'",
    ),
  ],
  [
    'timeout transient',
    null,
    thrown('HTTPStatusError', "Server error '504 No answer in time' for url 'http://10.0.0.1/x'"),
  ],
  [
    'server_error transient',
    null,
    thrown(
      'HTTPStatusError',
      "Server error '502 Upstream unavailable' for url 'http://10.0.0.1/x'\nFor more information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/502",
    ),
  ],
  [
    'timeout transient',
    null,
    thrown(
      'Error',
      'Error { kind: Body, source: Some(Custom { kind: TimedOut, error: "deadline" }) }',
    ),
  ],
  [
    'timeout transient',
    null,
    thrown(
      'Error',
      'request(Client(Error { kind: Request, url: "https://h/x", source: Error(SendRequest, TimedOut) }))',
    ),
  ],
  [
    'network transient',
    null,
    thrown(
      'Error',
      'reqwest::Error { kind: Request, url: "https://h/x", source: hyper::Error(Io, Os { code: 104, kind: ConnectionReset, message: "reset" }) }',
    ),
  ],
  [
    'network transient',
    null,
    thrown(
      'Error',
      'Error { kind: Request, source: hyper::Error(Connect, Os { code: 111, kind: ConnectionRefused, message: "x" }) }',
    ),
  ],
  [
    'request_too_large content',
    null,
    thrown('Error', '8 RESOURCE_EXHAUSTED: Received message larger than max (6291456 vs. 4194304)'),
  ],
  [
    'request_too_large content',
    null,
    thrown(
      'StatusRuntimeException',
      'RESOURCE_EXHAUSTED: gRPC frame is bigger than the limit of 4194304 bytes: 5000000',
    ),
  ],
  [
    'request_too_large content',
    null,
    thrown(
      '_InactiveRpcError',
      '<_InactiveRpcError of RPC that terminated with:\n\tstatus = StatusCode.RESOURCE_EXHAUSTED\n\tdetails = "Sent message larger than max (5000000 vs. 4194304)"',
    ),
  ],
  [
    'overloaded transient',
    null,
    thrown(
      'StatusRuntimeException',
      'io.grpc.StatusRuntimeException: RESOURCE_EXHAUSTED: All brokers refused the task, no more workers are available. Try again later',
    ),
  ],
  [
    'overloaded transient',
    null,
    thrown('Error', '8 RESOURCE_EXHAUSTED: no free slots on any shard, please retry'),
  ],
  [
    'rate_limited transient',
    null,
    thrown('Error', '8 RESOURCE_EXHAUSTED: Quota exceeded for requests per minute'),
  ],
  ['rate_limited transient', null, thrown('Error', '8 RESOURCE_EXHAUSTED: too many requests')],
  ['rate_limited transient 4000', 403, { code: 'E1203', retry_after_seconds: 4 }],
  ['rate_limited transient 30000', 403, {}, { 'retry-after': '30' }],
  ['rate_limited transient 1500', 400, { errno: 8801, retryAfterMs: 1500 }],
  [
    'permission configuration 30000',
    403,
    { message: 'You have no right to do this' },
    { 'retry-after': '30' },
  ],
  [
    'quota_exhausted capacity',
    402,
    { error: 'Forbidden', message: 'Recharge your wallet to continue' },
  ],
  ['quota_exhausted capacity', 402, { code: 'UNAUTHORIZED', message: 'Points are not enough.' }],
  ['quota_exhausted capacity', 402, { error: 'Unauthorized', message: 'Please subscribe' }],
  [SETTING, 400, { error: 'voice_profile_id_required' }],
  [SETTING, 400, { code: 'INVALID_PAGE_SIZE', message: 'pageSize > 50' }],
  [SETTING, 422, { error: { code: 'missing_workspace_slug', message: 'Bad call' } }],
  [
    SETTING,
    400,
    { code: 'VALIDATION_FAILED', message: 'Request is not valid', details: { field: 'offset' } },
  ],
  [SETTING, 400, { errors: [{ field: 'sort_order', message: 'is not valid' }] }],
  [SETTING, 400, { tag: 'INVALID_TOP_N', error: 'topN > 1000' }],
  [CONTENT, 400, { errors: [{ field: 'messages', message: 'is not valid' }] }],
  [CONTENT, 400, { error: 'invalid_prompt_text' }],
  [CONTENT, 400, { error: { code: 'missing_image', message: 'bad input' } }],
  [CONTENT, 400, { error: { code: 'invalid_audio', message: 'bad input' } }],
  ['conflict transient', 409, { message: 'The knowledge base is being updated' }],
  ['conflict transient', 400, { message: 'This index is being rebuilt.' }],
  [
    'conflict transient',
    400,
    { code: 'X.0011', message: 'The service instance is being deleted.' },
  ],
  ['conflict transient', 400, { message: 'The dataset is being imported' }],
  ['overloaded transient', 400, { message: 'The model is being loaded' }],
  [
    'server_error transient',
    200,
    {
      errorType: 'TypeError',
      errorMessage: "Cannot read properties of undefined (reading 'x')",
      trace: [],
    },
    { 'x-amz-function-error': 'Unhandled' },
  ],
  [
    'server_error transient',
    200,
    {
      errorType: 'Runtime.ExitError',
      errorMessage: 'RequestId: 1 Error: Runtime exited without providing a reason',
    },
    { 'x-amz-function-error': 'Unhandled' },
  ],
  [
    'timeout transient',
    200,
    { errorMessage: '2026-01-02T03:04:05Z 11 Task timed out after 30.03 seconds' },
    { 'x-amz-function-error': 'Unhandled' },
  ],
  [SETTING, 409, { message: 'Dimension mismatch. Make sure that your vector has 768 entries' }],
  [
    'conflict transient',
    409,
    { error: 'Another update changed the document. Make sure that you retry.' },
  ],
  [SETTING, 400, { error: 'Invalid tool_choice: expected one of none, auto, any' }],
  [SETTING, 422, { message: 'tool_choice must be a string' }],
  [SETTING, null, 'Error code: 400 - {\'error\': "Invalid tool_choice type: expected string"}'],
  [
    SETTING,
    400,
    {
      code: 'TOO_MANY_TOKENS',
      message: "maxOutputTokens 20000 is above the model's output limit of 8192",
    },
  ],
  [
    SETTING,
    400,
    {
      id: 'x',
      error_type: 'TOO_MANY_TOKENS',
      message:
        'too many tokens: max tokens must be less than or equal to 4096, the maximum output length for this model - received 8000.',
    },
  ],
  [
    'tool_schema configuration',
    400,
    { message: "Array fields require an 'items' schema", type: 'invalid_request_error' },
  ],
  [
    'tool_schema configuration',
    400,
    { message: "Object types need a 'properties' member", type: 'invalid_request_error' },
  ],
  ['tool_schema configuration', 400, { error: { message: "Every array must define 'items'." } }],
  ['overloaded transient', 500, 'No instance was available to take the request.'],
  ['overloaded transient', 500, { message: 'There are no available workers' }],
  ['overloaded transient', 500, { message: 'no available replica for the deployment' }],
  [CONTENT, 400, { message: 'UnsupportedImageException: the image format is not supported' }],
  [
    CONTENT,
    null,
    'An error occurred (UnsupportedAudioException) when calling the Transcribe operation: Request has unsupported audio format',
  ],
];

const CASES = SEEN.map(([expected, status, seen, headers = {}]) => ({
  expected,
  status,
  seen,
  headers,
}));

it.each(CASES)('$expected: $status $seen', ({ expected, status, seen, headers }) => {
  const isFault = typeof seen === 'object' && seen !== null && 'transport' in seen;
  const failure = extractFailure({
    provider: 'example',
    operation: 'generate',
    status,
    headers,
    body: isFault ? null : seen,
    transport: isFault ? seen.transport : null,
    stream: false,
  });
  if (failure === undefined) throw new Error('not recognised as a failure');
  const { kind, category, retryAfterMs } = classify(failure);
  const wait = retryAfterMs === null ? '' : ` ${retryAfterMs}`;
  expect(`${kind} ${category}${wait}`).toBe(`provider.${expected}`);
});
