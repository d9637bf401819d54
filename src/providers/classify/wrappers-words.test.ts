/** Failures whose wrapper says one thing and whose words another, and well-known ones in other words. */
import { expect, it } from 'vitest';
import { extractFailure } from '../extract/extract.ts';
import { classify } from './classify.ts';

/** Kind and category; the status; the body. */
const SEEN: readonly (readonly [string, number | null, unknown])[] = [
  // The class of a wrapper against the words inside
  [
    'context_length content',
    503,
    'litellm.ServiceUnavailableError: AnthropicException - prompt is too long: 215000 tokens > 200000 maximum',
  ],
  [
    'network transient',
    500,
    {
      error: {
        message:
          'litellm.InternalServerError: BedrockException - Could not connect to the endpoint URL: "https://bedrock-runtime.eu-west-9.amazonaws.com/"',
        code: '500',
      },
    },
  ],
  [
    'context_length content',
    503,
    {
      error: {
        message:
          'litellm.ServiceUnavailableError: VertexAIException - the input token count (1200000) is above the maximum number of tokens allowed (1048576)',
        code: '503',
      },
    },
  ],
  [
    'auth configuration',
    500,
    {
      error: {
        message: 'litellm.InternalServerError: AzureException - Incorrect API key provided: sk-x',
        code: '500',
      },
    },
  ],
  [
    'rate_limited transient',
    503,
    {
      error: {
        message:
          'litellm.ServiceUnavailableError: litellm.MidStreamFallbackError: litellm.RateLimitError: OpenAIException - Rate limit reached for gpt-x on requests per min (RPM)',
        code: '503',
      },
    },
  ],
  [
    'network transient',
    503,
    {
      error: {
        message:
          'litellm.ServiceUnavailableError: OllamaException - [Errno 111] Connection refused',
        code: '503',
      },
    },
  ],
  [
    'overloaded transient',
    503,
    {
      error: {
        message: 'litellm.ServiceUnavailableError: GroqException - over capacity, come back later',
        code: '503',
      },
    },
  ],
  [
    'overloaded transient',
    503,
    {
      error: {
        message:
          'litellm.ServiceUnavailableError: OpenAIException - <html><head><title>503 Service Temporarily Unavailable</title></head></html>',
        code: '503',
      },
    },
  ],
  [
    'network transient',
    500,
    {
      error: {
        message:
          'litellm.APIError: APIError: OpenAIException - {"error":{"message":"litellm.ServiceUnavailableError: BedrockException - Cannot connect to host bedrock-runtime.us-west-2.amazonaws.com:443 ssl:<ssl.SSLContext object at 0x7f> [Could not contact DNS servers]","type":null,"param":null,"code":"503"}}',
      },
    },
  ],
  // A limit that was come to
  [
    'quota_exhausted capacity',
    403,
    { error: { message: 'This key came to its spending limit', code: 403 } },
  ],
  [
    'quota_exhausted capacity',
    403,
    { error: { message: 'The limit of your key was reached: $5.00 in total', code: 403 } },
  ],
  [
    'quota_exhausted capacity',
    403,
    {
      error: {
        message: 'Key limit exceeded (monthly limit). Manage it at https://example.com/keys',
        code: 403,
      },
    },
  ],
  [
    'quota_exhausted capacity',
    403,
    { error: { message: 'Your API key has used up its total limit', code: 403 } },
  ],
  [
    'quota_exhausted capacity',
    429,
    { error: { message: 'You came to the limit of 50 free requests for today' } },
  ],
  [
    'rate_limited transient',
    429,
    { error: { message: 'The account came to its rate limit of 60 requests per minute' } },
  ],
  [
    'quota_exhausted capacity',
    403,
    { error: { message: 'Daily limit of the key is met', code: 403 } },
  ],
  // A status at the end of the words
  [
    'rate_limited transient',
    502,
    { error: { message: 'Upstream failed: 429', type: 'upstream_error' } },
  ],
  ['auth configuration', 500, { error: { message: 'Chat request failed, status 401' } }],
  [
    'overloaded transient',
    502,
    { error: { message: 'ReverseProxy: request failed with 503', type: 'server_error' } },
  ],
  ['quota_exhausted capacity', 500, { error: { message: 'provider error 402' } }],
  [
    'rate_limited transient',
    502,
    { error: { message: 'Completion failed (429)', type: 'api_error' } },
  ],
  [
    'model_not_found configuration',
    500,
    { error: { message: 'API returned 404 for the model `x-9`' } },
  ],
  ['server_error transient', 500, { error: { message: 'Loaded 429 layers, then failed' } }],
  [
    'rate_limited transient',
    502,
    {
      error: {
        message: "AppChatReverse: Chat failed, 429 (project 'billing-rate-limit-demo')",
        type: 'server_error',
      },
    },
  ],
  [
    'rate_limited transient',
    502,
    {
      error: {
        message:
          'AppChatReverse: Chat failed, 429 If the problem persists, contact support@example.com.',
        type: 'server_error',
      },
    },
  ],
  ['server_error transient', 500, { error: { message: 'Chat failed, 429 tokens were lost' } }],
  // a setting that a model does not take
  [
    'unsupported configuration',
    400,
    { error: { message: 'This model does not take `logprobs`', type: 'invalid_request_error' } },
  ],
  ['unsupported configuration', 400, { error: { message: 'gpt-x accepts no `stop` parameter' } }],
  [
    'unsupported configuration',
    400,
    { error: { message: '`frequency_penalty` cannot be used with this model' } },
  ],
  [
    'unsupported configuration',
    400,
    {
      error: {
        message: 'thinking.type `enabled` is none of the modes that this model has',
        param: 'thinking.type',
      },
    },
  ],
  [
    'unsupported configuration',
    400,
    {
      error: {
        message: 'reasoning_effort `none` is not supported by this model',
        param: 'reasoning_effort',
      },
    },
  ],
  [
    'unsupported configuration',
    400,
    { error: { message: 'No model of this family supports images' } },
  ],
  // an expired thing, and a cancellation that failed
  [
    'invalid_request content',
    409,
    { error: { message: 'This file has expired', code: 'file_expired' } },
  ],
  [
    'invalid_request content',
    null,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        code: 'run_cancel_not_allowed',
        message: 'A finished run cannot be cancelled',
      },
    },
  ],
  [
    'invalid_request content',
    null,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        code: 'cancel_failed',
        message: 'There was nothing to cancel',
      },
    },
  ],
  // The words of a gateway for any error
  ['invalid_request content', 400, { error: { message: 'Provider returned error', code: 400 } }],
  [
    'invalid_request content',
    400,
    { error: { message: 'The provider returned an error', code: 400 } },
  ],
  // Well-known failures in other words
  [
    'rate_limited transient',
    429,
    {
      error: {
        message:
          'gpt-6 in organization org-1 has no more tokens for this minute: Limit 30000, Used 29000, Requested 2000. Come back in 2s.',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    },
  ],
  [
    'quota_exhausted capacity',
    429,
    {
      error: {
        message: 'Your plan does not cover this usage: see your billing details.',
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      },
    },
  ],
  [
    'quota_exhausted capacity',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message:
          'The credit on your account does not suffice for the Anthropic API. Go to Plans & Billing.',
      },
    },
  ],
  [
    'invalid_request content',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'messages.2: a `tool_use` id without a `tool_result` right behind it: toolu_1',
      },
    },
  ],
  [
    'invalid_request configuration',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message: 'max_tokens: 70000 is more than the 64000 output tokens that claude-x may write',
      },
    },
  ],
  [
    'model_not_found configuration',
    404,
    { type: 'error', error: { type: 'not_found_error', message: 'model: claude-9' } },
  ],
  [
    'unsupported configuration',
    400,
    {
      error: {
        message:
          "For 'max_tokens' use 'max_completion_tokens': this model knows nothing of the first.",
        type: 'invalid_request_error',
        param: 'max_tokens',
        code: 'unsupported_parameter',
      },
    },
  ],
  [
    'auth configuration',
    400,
    {
      error: {
        code: 400,
        message: 'API key expired. Renew the API key.',
        status: 'INVALID_ARGUMENT',
        details: [
          { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
        ],
      },
    },
  ],
  [
    'permission configuration',
    400,
    {
      error: {
        code: 400,
        message: "The user's location is none from which the API may be used.",
        status: 'FAILED_PRECONDITION',
      },
    },
  ],
  [
    'overloaded transient',
    503,
    {
      error: {
        code: 503,
        message: 'Demand for the model is high at the moment.',
        status: 'UNAVAILABLE',
      },
    },
  ],
  ['model_not_found configuration', 400, { message: 'The model id is not valid.' }],
  [
    'context_length content',
    400,
    { __type: 'ValidationException', message: 'The input is longer than what the model takes.' },
  ],
  ['model_not_found configuration', 404, { error: "model 'llama9' is not here; pull it first" }],
];

it.each(SEEN)('%s: %s %j', (expected, status, body) => {
  const failure = extractFailure({
    operation: 'generate',
    status,
    headers: {},
    body,
    transport: null,
    stream: false,
  });
  if (failure === undefined) throw new Error('not recognised as a failure');
  const { kind, category } = classify(failure);
  expect(`${kind.replace('provider.', '')} ${category}`).toBe(expected);
});
