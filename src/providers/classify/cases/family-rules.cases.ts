/** Cases for rules that read a failure by the family of its words or by the parts of its code. */
import type { ProviderFailure } from '../../provider-failure.ts';
import type { RuleCase } from './rules.cases.ts';

const coded = (status: number, code: string, more: object = {}): Partial<ProviderFailure> => ({
  status,
  phase: 'headers',
  body: { error: { code, message: 'No', ...more } },
});

const worded = (status: number, message: string): Partial<ProviderFailure> => ({
  status,
  phase: 'headers',
  body: { error: { message } },
});

const thrown = (message: string, name = 'Error'): Partial<ProviderFailure> => ({
  transport: { name, message },
});

export const FAMILY_CASES: readonly RuleCase[] = [
  {
    rule: 'missing.of-request',
    kind: 'provider.invalid_request',
    failure: worded(400, 'Your job has missing fields: input or voice'),
  },
  {
    rule: 'missing.of-set-up',
    kind: 'provider.invalid_request',
    failure: worded(404, 'Workspace "acme" was not found'),
  },
  {
    rule: 'missing.of-history',
    kind: 'provider.invalid_request',
    failure: worded(404, "Item with id 'msg_1' not found"),
  },
  {
    rule: 'missing.not-loaded',
    kind: 'provider.model_not_found',
    failure: worded(400, 'No embedding model is currently loaded'),
  },
  {
    rule: 'measure.batch',
    kind: 'provider.request_too_large',
    failure: worded(413, 'batch size 64 > maximum allowed batch size 32'),
  },
  {
    rule: 'message.incomplete',
    kind: 'provider.invalid_request',
    failure: worded(400, 'messages.2.content.0.source: Field required'),
  },
  {
    rule: 'parameter.type',
    kind: 'provider.invalid_request',
    failure: worded(
      400,
      'json: cannot unmarshal string into Go struct field ChatRequest.stream of type bool',
    ),
  },
  {
    rule: 'code-words.connect-late',
    kind: 'provider.network',
    failure: { body: { error: { code: 'ConnectTimeout', message: 'No' } } },
  },
  {
    rule: 'code.parameter',
    kind: 'provider.invalid_request',
    failure: coded(200, 'MissingParameter'),
  },
  {
    rule: 'overload.model-away',
    kind: 'provider.overloaded',
    failure: coded(503, 'ModelUnavailable'),
  },
  {
    rule: 'context.code-part',
    kind: 'provider.context_length',
    failure: coded(400, 'prompt_tokens_too_long'),
  },
  {
    rule: 'permission.code-part',
    kind: 'provider.permission',
    failure: coded(200, 'AuthFailure.UnauthorizedOperation'),
  },
  {
    rule: 'minimax.content',
    kind: 'provider.invalid_request',
    failure: { ...coded(200, '1042'), provider: 'minimax' },
  },
  {
    rule: 'midjourney.queue-full',
    kind: 'provider.overloaded',
    failure: { status: 200, provider: 'midjourney-proxy', body: { code: 23, description: 'No' } },
  },
  {
    rule: 'overload.queue-full',
    kind: 'provider.overloaded',
    failure: worded(200, 'The queue is full'),
  },
  {
    rule: 'zhipu.permission',
    kind: 'provider.permission',
    failure: { ...coded(429, '1121'), provider: 'zhipu' },
  },
  {
    rule: 'qianfan.spent',
    kind: 'provider.quota_exhausted',
    failure: { status: 200, provider: 'qianfan', body: { error_code: 19, error_msg: 'Reached' } },
  },
  {
    rule: 'conflict.code-part',
    kind: 'provider.conflict',
    failure: coded(400, 'run_already_active', { type: 'invalid_request_error' }),
  },
  {
    rule: 'parameter.too-long',
    kind: 'provider.invalid_request',
    failure: coded(400, 'string_above_max_length', { param: 'metadata.note' }),
  },
  {
    rule: 'too-large.string',
    kind: 'provider.request_too_large',
    failure: coded(400, 'string_above_max_length', { param: 'messages[1].content' }),
  },
  {
    rule: 'too-large.code-part',
    kind: 'provider.request_too_large',
    failure: coded(400, 'IMAGE_EXCEEDS_MAX_RESOLUTION'),
  },
  {
    rule: 'context.window-text',
    kind: 'provider.context_length',
    failure: worded(400, 'Longer than the context window'),
  },
  {
    rule: 'transport.lost-errno',
    kind: 'provider.network',
    failure: { transport: { code: 'ENETRESET' } },
  },
  {
    rule: 'overload.code-part',
    kind: 'provider.overloaded',
    failure: coded(429, 'system_busy'),
  },
  {
    rule: 'rate.code-part',
    kind: 'provider.rate_limited',
    failure: coded(200, 'RequestLimitExceeded.IPLimitExceeded'),
  },
  {
    rule: 'tool-schema.text',
    kind: 'provider.tool_schema',
    failure: worded(400, 'Invalid schema for function "look_up"'),
  },
  {
    rule: 'permission.breach',
    kind: 'provider.permission',
    failure: worded(400, 'Your account violates the terms and is suspended'),
  },
  {
    rule: 'quota.forbidden',
    kind: 'provider.quota_exhausted',
    failure: worded(403, 'Quota exceeded'),
  },
  {
    rule: 'no-key.unsent',
    kind: 'provider.not_configured',
    failure: { body: 'Pass the API key client option' },
  },
  {
    rule: 'timeout.container',
    kind: 'provider.timeout',
    failure: { status: 400, body: '(ModelError) The container timed out' },
  },
  {
    rule: 'network.client',
    kind: 'provider.network',
    failure: thrown('503 failed to connect to all addresses'),
  },
  {
    rule: 'job.failed',
    kind: 'provider.server_error',
    failure: { status: 200, body: { status: 'failed', error: 'The worker died' } },
  },
  {
    rule: 'address.bare',
    kind: 'provider.invalid_request',
    failure: { status: 404, body: { detail: 'Not Found' } },
  },
  {
    rule: 'transport.cancelled-text',
    kind: 'cancelled.call',
    failure: thrown('Post "https://example.com": context canceled'),
  },
  {
    rule: 'transport.tls-name',
    kind: 'provider.network',
    failure: thrown('Not verified', 'SSLPeerUnverifiedException'),
  },
  {
    rule: 'transport.not-unpacked',
    kind: 'provider.network',
    failure: thrown('incorrect header check'),
  },
];
