/**
 * Situations that the corpus lacks for a protocol, in its own form: hints in headers, errors in the
 * first event and in the middle of each kind of stream, and endings without success.
 */
import type { Played } from './protocol.ts';

const BLANK = {
  operation: 'generate',
  status: 200,
  headers: {},
  body: null,
  transport: null,
  stream: false,
  contested: false,
} as const;

const entry = (id: string, fields: Partial<Played> & Pick<Played, 'provider' | 'api'>): Played => ({
  ...BLANK,
  id,
  ...fields,
});

const CHAT = { provider: 'openai', api: 'chat.completions' };
const RESPONSES = { provider: 'openai', api: 'responses' };
const MESSAGES = { provider: 'anthropic', api: 'messages' };
const GEMINI = { provider: 'gemini', api: 'generateContent' };
const BEDROCK = { provider: 'bedrock', api: 'Converse' };

const OVERLOADED = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } };
const UNAVAILABLE = {
  error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' },
};
const SERVER_ERROR = { error: { message: 'The server had an error', type: 'server_error' } };
const USAGE = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };

export const EXTRA_ENTRIES: readonly Played[] = [
  entry('extra-chat-429-retry-after', {
    ...CHAT,
    status: 429,
    headers: { 'retry-after': '7', 'x-ratelimit-remaining-requests': '0' },
    body: {
      error: { message: 'Rate limit reached', type: 'requests', code: 'rate_limit_exceeded' },
    },
  }),
  entry('extra-responses-429-retry-after-ms', {
    ...RESPONSES,
    status: 429,
    headers: { 'retry-after-ms': '1250', 'retry-after': '2' },
    body: { error: { message: 'Rate limit reached', type: 'tokens', code: 'rate_limit_exceeded' } },
  }),
  entry('extra-messages-429-retry-after', {
    ...MESSAGES,
    status: 429,
    headers: { 'retry-after': '7', 'request-id': 'req_1' },
    body: { type: 'error', error: { type: 'rate_limit_error', message: 'Too many requests' } },
  }),
  entry('extra-gemini-429-retry-after', {
    ...GEMINI,
    status: 429,
    headers: { 'retry-after': '7' },
    body: { error: { code: 429, message: 'Too many requests', status: 'RESOURCE_EXHAUSTED' } },
  }),
  entry('extra-bedrock-429-retry-after', {
    ...BEDROCK,
    status: 429,
    headers: { 'retry-after': '7', 'x-amzn-errortype': 'ThrottlingException:http://internal/' },
    body: { message: 'Too many requests, please wait before trying again.' },
  }),
  entry('extra-bedrock-400-type-in-body', {
    ...BEDROCK,
    status: 400,
    body: { __type: 'ValidationException', message: 'Input is too long for requested model.' },
  }),
  entry('extra-messages-529-html', { ...MESSAGES, status: 529, body: '<html><h1>529</h1></html>' }),
  entry('extra-gemini-502-html', {
    ...GEMINI,
    status: 502,
    body: '<html><title>502 Bad Gateway</title></html>',
  }),
  entry('extra-bedrock-503-html', {
    ...BEDROCK,
    status: 503,
    body: '<html><title>503 Service Unavailable</title></html>',
  }),
  entry('extra-messages-500-empty', { ...MESSAGES, status: 500, body: '' }),
  entry('extra-gemini-500-empty', { ...GEMINI, status: 500, body: '' }),
  entry('extra-bedrock-500-empty', { ...BEDROCK, status: 500, body: '' }),
  entry('extra-chat-stream-error-middle', { ...CHAT, stream: 'mid-stream', body: SERVER_ERROR }),
  entry('extra-responses-stream-error-middle', {
    ...RESPONSES,
    stream: 'mid-stream',
    body: {
      type: 'error',
      sequence_number: 3,
      code: 'server_error',
      message: 'It broke',
      param: null,
    },
  }),
  entry('extra-messages-stream-error-first', {
    ...MESSAGES,
    stream: 'mid-stream',
    body: `event: error\ndata: ${JSON.stringify(OVERLOADED)}\n\n`,
  }),
  entry('extra-messages-stream-error-middle', {
    ...MESSAGES,
    stream: 'mid-stream',
    body: OVERLOADED,
  }),
  entry('extra-gemini-stream-error-first', {
    ...GEMINI,
    stream: 'mid-stream',
    body: `data: ${JSON.stringify(UNAVAILABLE)}\n\n`,
  }),
  entry('extra-gemini-stream-error-middle', { ...GEMINI, stream: 'mid-stream', body: UNAVAILABLE }),
  entry('extra-chat-200-length', {
    ...CHAT,
    body: {
      id: 'c1',
      object: 'chat.completion',
      created: 1_750_000_000,
      model: 'm',
      choices: [
        { index: 0, message: { role: 'assistant', content: 'Once' }, finish_reason: 'length' },
      ],
      usage: USAGE,
    },
  }),
  entry('extra-messages-200-max-tokens', {
    ...MESSAGES,
    body: {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [{ type: 'text', text: 'Once' }],
      stop_reason: 'max_tokens',
      stop_sequence: null,
      usage: { input_tokens: 1, output_tokens: 1 },
    },
  }),
  entry('extra-gemini-200-recitation', {
    ...GEMINI,
    body: { candidates: [{ finishReason: 'RECITATION', index: 0 }] },
  }),
  entry('extra-gemini-200-prompt-blocked', {
    ...GEMINI,
    body: { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } },
  }),
  entry('extra-bedrock-200-content-filtered', {
    ...BEDROCK,
    body: {
      stopReason: 'content_filtered',
      output: { message: { role: 'assistant', content: [{ text: 'No' }] } },
      usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
      metrics: { latencyMs: 1 },
    },
  }),
];
