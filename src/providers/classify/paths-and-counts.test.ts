/** Refusals whose path, count or field says what is at fault; one word alone would mislead. */
import { expect, it } from 'vitest';
import { extractFailure } from '../extract/extract.ts';
import { classify } from './classify.ts';

/** Kind and category; the status; the body. */
const SEEN: readonly (readonly [string, number, unknown])[] = [
  // The order of roles, with their names in quotation marks
  [
    'invalid_request content',
    400,
    {
      type: 'error',
      error: {
        type: 'invalid_request_error',
        message:
          'messages: roles must alternate between "user" and "assistant", yet two "user" roles came in a row',
      },
    },
  ],
  ['invalid_request content', 400, { message: "Unexpected role 'user' after role 'tool'" }],
  [
    'invalid_request content',
    400,
    { error: { message: "Only the first message may have the role 'system'" } },
  ],
  [
    'invalid_request content',
    400,
    { error: { message: "A message of role 'tool' has to stand behind one of role 'assistant'" } },
  ],
  [
    'invalid_request content',
    400,
    { error: { message: "Wrong order of roles: 'user' cannot follow 'user'." } },
  ],
  // "has to be" means "must be"
  [
    'invalid_request content',
    500,
    {
      error: {
        code: 500,
        message:
          'Jinja Exception: Conversation roles have to alternate user/assistant/user/assistant/...',
        type: 'server_error',
      },
    },
  ],
  [
    'invalid_request content',
    500,
    { error: { message: 'A message ought to have content', type: 'server_error' } },
  ],
  [
    'invalid_request configuration',
    400,
    { error: { message: 'temperature has to lie between 0 and 2' } },
  ],
  // How many of something, with the bound in front or behind
  [
    'request_too_large content',
    400,
    { message: 'invalid request: the maximum number of documents is 1000, got 1200' },
  ],
  [
    'request_too_large content',
    400,
    { error: { message: '128 images at most fit into one call' } },
  ],
  ['request_too_large content', 400, { detail: 'Number of inputs (300) must be at most 256' }],
  ['request_too_large content', 400, { error: { message: 'You may send 16 inputs at most.' } }],
  [
    'request_too_large content',
    400,
    { error: { message: 'Too many texts: the largest number allowed is 96' } },
  ],
  [
    'request_too_large content',
    422,
    { error: 'your batch holds 500 texts, while 128 are allowed' },
  ],
  // A path in the words
  [
    'invalid_request configuration',
    400,
    {
      message:
        'Malformed input request: #/temperature: 1.5 is not less or equal to 1, please reformat your input and try again.',
    },
  ],
  [
    'invalid_request content',
    400,
    {
      message:
        'Malformed input request: #/messages/0/content: expected type: String, found: JSONArray, please reformat your input and try again.',
    },
  ],
  [
    'invalid_request configuration',
    400,
    {
      error: {
        code: 400,
        message: '* GenerateContentRequest.generation_config.top_k: a positive number is wanted\n',
        status: 'INVALID_ARGUMENT',
      },
    },
  ],
  [
    'invalid_request content',
    400,
    {
      error: {
        code: 400,
        message:
          '* GenerateContentRequest.contents[0].parts[0].inline_data.mime_type: image/tiff may not stand there\n',
        status: 'INVALID_ARGUMENT',
      },
    },
  ],
  [
    'invalid_request configuration',
    400,
    {
      error: {
        code: 400,
        message:
          '* GenerateContentRequest.safety_settings[0].category: an element that nobody knows\n',
        status: 'INVALID_ARGUMENT',
      },
    },
  ],
  // A field that holds a sentence
  [
    'invalid_request content',
    400,
    {
      error: {
        code: '400',
        message: 'Param Incorrect',
        param: 'messages[0].content is empty',
        type: '',
      },
    },
  ],
  [
    'invalid_request configuration',
    400,
    {
      error: {
        code: '400',
        message: 'Param Incorrect',
        param: 'max_tokens is larger than 8192',
        type: '',
      },
    },
  ],
  [
    'invalid_request content',
    400,
    {
      error: {
        code: '400',
        message: 'Param Incorrect',
        param: 'input[3] has no text in it',
        type: '',
      },
    },
  ],
  // The fault in the field of an exception
  [
    'context_length content',
    500,
    {
      detail: 'Internal Server Error',
      exception:
        "anthropic.BadRequestError: Error code: 400 - {'type': 'error', 'error': {'type': 'invalid_request_error', 'message': 'prompt is too long: 215000 tokens > 200000 maximum'}}",
    },
  ],
  [
    'quota_exhausted capacity',
    500,
    {
      message: 'The run failed',
      exception:
        "openai.RateLimitError: Error code: 429 - {'error': {'message': 'You exceeded your current quota', 'type': 'insufficient_quota', 'code': 'insufficient_quota'}}",
    },
  ],
  [
    'auth configuration',
    500,
    {
      error: 'Internal Server Error',
      exception:
        "openai.AuthenticationError: Error code: 401 - {'error': {'message': 'Incorrect API key provided: sk-x', 'code': 'invalid_api_key'}}",
    },
  ],
  [
    'model_not_found configuration',
    500,
    {
      timestamp: '2026-01-01T00:00:00Z',
      status: 500,
      error: 'Internal Server Error',
      exception: 'org.springframework.ai.retry.NonTransientAiException',
      message:
        'HTTP 404 - {"error":{"message":"model \\"llama9\\" not found, try pulling it first"}}',
    },
  ],
  // A model that is gone
  [
    'model_not_found configuration',
    404,
    { error: { message: 'The model `x-large` is absent from this region' } },
  ],
  [
    'model_not_found configuration',
    404,
    {
      error: {
        code: 404,
        message:
          'models/foo-1 is nowhere in v1, or generateContent does not take it. Call ListModels.',
        status: 'NOT_FOUND',
      },
    },
  ],
  [
    'model_not_found configuration',
    404,
    {
      error: {
        message: 'The free variant of this model is over. Take the slug a/b instead',
        code: 404,
      },
    },
  ],
  [
    'model_not_found configuration',
    404,
    { error: { message: '`foo-2` was withdrawn; use `foo-3` instead' } },
  ],
  // A length of time that was set
  [
    'invalid_request configuration',
    400,
    {
      error: {
        code: 400,
        message: 'The timeout of 5s is too short: at least 10s.',
        status: 'INVALID_ARGUMENT',
      },
    },
  ],
  [
    'invalid_request configuration',
    400,
    { error: { message: 'ttl of 10s lies below the minimum of 60s' } },
  ],
  [
    'invalid_request configuration',
    400,
    { error: { message: 'Deadline too long. The maximum is 3600s.' } },
  ],
  // Bytes that a wrapper took for tokens
  [
    'request_too_large content',
    400,
    'litellm.ContextWindowExceededError: litellm.BadRequestError: AnthropicException - The body of 35000000 bytes is over the 33554432 bytes that a request may have',
  ],
  [
    'request_too_large content',
    400,
    {
      error: {
        message:
          'litellm.ContextWindowExceededError: litellm.BadRequestError: BedrockException - payload of 30 MB exceeds the limit of 20 MB',
        type: null,
        param: null,
        code: '400',
      },
    },
  ],
  // Only under a condition
  [
    'unsupported configuration',
    400,
    { error: { message: 'Images are supported only by vision models' } },
  ],
  [
    'unsupported configuration',
    400,
    { error: { message: 'Parallel calls are supported only while reasoning is off.' } },
  ],
  [
    'unsupported configuration',
    400,
    {
      error: {
        code: 400,
        message: 'Grounding is supported only if no other tool is used.',
        status: 'INVALID_ARGUMENT',
      },
    },
  ],
  // Settings for tools without tools
  [
    'invalid_request configuration',
    400,
    { error: { message: 'tool_choice is set although tools are absent' } },
  ],
  [
    'invalid_request configuration',
    400,
    {
      error: {
        code: 400,
        message: 'tool_config was given while there are no function_declarations',
        status: 'INVALID_ARGUMENT',
      },
    },
  ],
  // Off until somebody turns it on
  [
    'permission configuration',
    403,
    {
      error_code: 'FEATURE_DISABLED',
      message: 'Foundation models are not enabled for your workspace. Ask an account admin.',
    },
  ],
  [
    'permission configuration',
    404,
    { code: 'feature_disabled', message: 'This feature is switched off for your organization.' },
  ],
  [
    'permission configuration',
    400,
    { code: 'tool_disabled', message: 'Ask your administrator: web search is off for your team.' },
  ],
  // Content that has to be there
  [
    'invalid_request content',
    500,
    {
      detail:
        'litellm.BadRequestError: VertexAIException - {"error": {"code": 400, "message": "At least one message is needed", "status": "INVALID_ARGUMENT"}}',
    },
  ],
  [
    'invalid_request content',
    400,
    {
      error: {
        code: 400,
        message: 'one contents field at least has to be there',
        status: 'INVALID_ARGUMENT',
      },
    },
  ],
  [
    'invalid_request content',
    400,
    { error: { message: 'messages: at least one of them is required' } },
  ],
];

it.each(SEEN)('%s: %i %j', (expected, status, body) => {
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
