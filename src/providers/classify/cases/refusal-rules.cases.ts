/** Cases for rules about what a server refused: codes, statuses and texts. */
import type { ProviderFailure } from '../../provider-failure.ts';
import type { RuleCase } from './rules.cases.ts';

const refused = (status: number, message: string, more: object = {}): Partial<ProviderFailure> => ({
  status,
  phase: 'headers',
  body: { error: { message, ...more } },
});

const refusedWith = (message: string): Partial<ProviderFailure> => ({
  body: { error: { message } },
});

export const REFUSAL_CASES: readonly RuleCase[] = [
  {
    rule: 'rate.oversize-request',
    kind: 'provider.request_too_large',
    failure: refused(429, 'Request too large for this tier', { code: 'rate_limit_exceeded' }),
  },
  {
    rule: 'rate.tokens-of-a-window',
    kind: 'provider.rate_limited',
    failure: refused(429, 'No tokens left. Try again later.', { code: 'TOKEN_LIMIT_EXCEEDED' }),
  },
  {
    rule: 'quota.long-window-text',
    kind: 'provider.quota_exhausted',
    failure: refused(429, 'You used your requests per day', { code: 'rate_limit_exceeded' }),
  },
  {
    rule: 'quota.rate-code-without-money',
    kind: 'provider.quota_exhausted',
    failure: refused(429, 'Your credit balance is gone', { type: 'rate_limit_error' }),
  },
  {
    rule: 'quota.payment-pending',
    kind: 'provider.rate_limited',
    failure: {
      ...refused(402, 'In flight'),
      provider: 'openrouter',
      headers: { 'retry-after': '3' },
    },
  },
  {
    rule: 'zhipu.spent',
    kind: 'provider.quota_exhausted',
    failure: { ...refused(429, '余额不足', { code: '1113' }), provider: 'zhipu' },
  },
  {
    rule: 'zhipu.rate',
    kind: 'provider.rate_limited',
    failure: { ...refused(429, '并发数过高', { code: '1302' }), provider: 'zhipu' },
  },
  {
    rule: 'zhipu.content',
    kind: 'provider.content_filter',
    failure: { ...refused(400, '敏感内容', { code: '1301' }), provider: 'zhipu' },
  },
  {
    rule: 'permission.reported-as-auth',
    kind: 'provider.permission',
    failure: refused(401, 'Not allowed to access this model', { type: 'auth_error' }),
  },
  {
    rule: 'permission.model-of-a-plan',
    kind: 'provider.permission',
    failure: refused(400, 'Not available in your plan', { code: 'model_not_available' }),
  },
  {
    rule: 'permission.model-of-others',
    kind: 'provider.permission',
    failure: refused(403, 'Your project does not have access to it', { code: 'model_not_found' }),
  },
  {
    rule: 'quota.possessions',
    kind: 'provider.quota_exhausted',
    failure: refused(400, 'Too many deployments in this region', { code: 'LimitExceeded' }),
  },
  {
    rule: 'parameter.long-id',
    kind: 'provider.invalid_request',
    failure: refused(400, 'Too long', {
      code: 'string_above_max_length',
      param: 'messages[2].tool_calls[0].id',
    }),
  },
  {
    rule: 'tool-schema.param',
    kind: 'provider.tool_schema',
    failure: refused(400, 'Not accepted', { param: 'tools[2].function.parameters' }),
  },
  {
    rule: 'too-large.code',
    kind: 'provider.request_too_large',
    failure: refused(413, 'Too big', { type: 'request_too_large' }),
  },
  {
    rule: 'rate.code-without-status',
    kind: 'provider.rate_limited',
    failure: { body: { error: { type: 'rate_limit_error', message: 'Later' } } },
  },
  { rule: 'auth.text', kind: 'provider.auth', failure: refused(400, 'Incorrect API key provided') },
  {
    rule: 'overload.text',
    kind: 'provider.overloaded',
    failure: refusedWith('The engine is overloaded'),
  },
  {
    rule: 'permission.wrapped',
    kind: 'provider.permission',
    failure: refused(500, 'Access denied: the model does not support this account'),
  },
  {
    rule: 'permission.entitlement',
    kind: 'provider.permission',
    failure: refused(404, 'Model use case details have not been submitted'),
  },
  {
    rule: 'conflict.text',
    kind: 'provider.conflict',
    failure: refused(400, 'The thread is locked while a run is active: is locked'),
  },
  {
    rule: 'unsupported.parameter-text',
    kind: 'provider.unsupported',
    failure: refused(400, 'Unrecognized request argument supplied: foo'),
  },
  { rule: 'rate.text', kind: 'provider.rate_limited', failure: refused(403, 'Rate limit hit') },
  { rule: 'rate.text', kind: 'provider.rate_limited', failure: refusedWith('Too many requests') },
  { rule: 'auth.text', kind: 'provider.auth', failure: refusedWith('Invalid API key') },
  { rule: 'timeout.text', kind: 'provider.timeout', failure: refused(500, 'Upstream timed out') },
  { rule: 'timeout.text', kind: 'provider.timeout', failure: refusedWith('The request timed out') },
  {
    rule: 'content.text',
    kind: 'provider.content_filter',
    failure: refusedWith('Blocked by the content policy'),
  },
  {
    rule: 'model.text',
    kind: 'provider.model_not_found',
    failure: refusedWith('No such model: x'),
  },
  {
    rule: 'unsupported.text',
    kind: 'provider.unsupported',
    failure: refusedWith('Images are not supported'),
  },
  { rule: 'server.text', kind: 'provider.server_error', failure: refusedWith('Internal error') },
  {
    rule: 'parameter.name',
    kind: 'provider.invalid_request',
    failure: refused(400, 'Bad', { param: 'top_p' }),
  },
  {
    rule: 'parameter.range',
    kind: 'provider.invalid_request',
    failure: refused(400, 'Bad', { code: 'integer_below_min_value', param: 'x' }),
  },
  { rule: 'status.3xx', kind: 'provider.invalid_request', failure: { status: 308, body: 'Moved' } },
  { rule: 'status.407', kind: 'provider.network', failure: { status: 407, body: 'Sign in' } },
  { rule: 'status.409', kind: 'provider.conflict', failure: { status: 409, body: {} } },
  { rule: 'status.413', kind: 'provider.request_too_large', failure: { status: 413, body: {} } },
  { rule: 'status.424', kind: 'provider.server_error', failure: { status: 424, body: {} } },
  { rule: 'status.499', kind: 'cancelled.call', failure: { status: 499, body: {} } },
  { rule: 'status.501', kind: 'provider.unsupported', failure: { status: 501, body: {} } },
  { rule: 'status.503', kind: 'provider.overloaded', failure: { status: 503, body: {} } },
  { rule: 'status.address', kind: 'provider.invalid_request', failure: { status: 405, body: {} } },
  {
    rule: 'code.server',
    kind: 'provider.server_error',
    failure: { body: { error: { type: 'server_error', message: 'Sorry' } } },
  },
  {
    rule: 'code.refused',
    kind: 'provider.invalid_request',
    failure: { body: { error: { type: 'invalid_request_error', message: 'Sorry' } } },
  },
  {
    rule: 'code.denied',
    kind: 'provider.permission',
    failure: { body: { error: { status: 'FORBIDDEN', message: 'Sorry' } } },
  },
  {
    rule: 'code.absent',
    kind: 'provider.model_not_found',
    failure: { body: { error: { type: 'not_found_error', message: 'Sorry' } } },
  },
  {
    rule: 'parameter.text',
    kind: 'provider.invalid_request',
    failure: refused(400, 'budget_tokens: greater than or equal to 1024'),
  },
  {
    rule: 'no-key.text',
    kind: 'provider.not_configured',
    failure: refused(404, "We couldn't find a secret called XAI_API_KEY"),
  },
  {
    rule: 'certificate.text',
    kind: 'provider.network',
    failure: refused(500, 'SSL: certificate verify failed'),
  },
  {
    rule: 'network.text',
    kind: 'provider.network',
    failure: refused(500, 'OpenAIException: Connection refused'),
  },
  {
    rule: 'permission.scopes',
    kind: 'provider.permission',
    failure: refused(401, 'Missing scopes: model.request'),
  },
  {
    rule: 'status.400-without-reason',
    kind: 'provider.invalid_request',
    failure: { status: 400, body: 'Bad Request' },
  },
  {
    rule: 'permission.reported-as-unknown-caller',
    kind: 'provider.permission',
    failure: refused(401, 'The principal lacks an action', { code: 'PermissionDenied' }),
  },
  {
    rule: 'content.code-part',
    kind: 'provider.content_filter',
    failure: refused(400, 'Bad', { code: 'PUBLIC_ERROR_UNSAFE_GENERATION' }),
  },
  {
    rule: 'zhipu.context',
    kind: 'provider.context_length',
    failure: { ...refused(400, '超长', { code: '1261' }), provider: 'zhipu' },
  },
  {
    rule: 'zhipu.overload',
    kind: 'provider.overloaded',
    failure: { ...refused(429, '访问量过大', { code: '1305' }), provider: 'zhipu' },
  },
  {
    rule: 'quota.long-window-limit',
    kind: 'provider.quota_exhausted',
    failure: refused(403, 'Key limit exceeded (monthly limit)'),
  },
  {
    rule: 'quota.code-part',
    kind: 'provider.quota_exhausted',
    failure: refused(429, 'Exhausted', { reason: 'INSUFFICIENT_G1_CREDITS_BALANCE' }),
  },
  {
    rule: 'quota.reported-as-auth',
    kind: 'provider.quota_exhausted',
    failure: refused(429, 'ExceededBudget: the team is over budget', { type: 'auth_error' }),
  },
  {
    rule: 'auth.code-part',
    kind: 'provider.auth',
    failure: { status: 200, body: { Response: { Error: { Code: 'AuthFailure.TokenFailure' } } } },
  },
  {
    rule: 'server.no-memory',
    kind: 'provider.server_error',
    failure: refused(500, 'model requires more system memory than is available'),
  },
  {
    rule: 'server.crashed',
    kind: 'provider.server_error',
    failure: refused(400, 'The model has crashed'),
  },
  {
    rule: 'permission.text-forbidden',
    kind: 'provider.permission',
    failure: refused(403, 'Unauthorized: the user has no licence for it'),
  },
  {
    rule: 'timeout.away',
    kind: 'provider.timeout',
    failure: refused(504, 'Come back later', { code: 'service_unavailable' }),
  },
  {
    rule: 'timeout.away-said',
    kind: 'provider.timeout',
    failure: refused(503, 'The worker timed out', { code: 'temporarily_unavailable' }),
  },
  {
    rule: 'parameter.kind',
    kind: 'provider.invalid_request',
    failure: {
      status: 422,
      phase: 'headers',
      body: {
        detail: [{ type: 'literal_error', loc: ['body', 'flavour'], msg: 'Use mild or hot' }],
      },
    },
  },
  {
    rule: 'parameter.of-code',
    kind: 'provider.invalid_request',
    failure: refused(400, 'No such thing', { code: 'InvalidParameter', param: 'flavour' }),
  },
  {
    rule: 'missing.code-of-set-up',
    kind: 'provider.invalid_request',
    failure: refused(404, 'Nothing here', { code: 'voice_profile_not_found' }),
  },
  {
    rule: 'auth.text-forbidden',
    kind: 'provider.auth',
    failure: refused(403, 'Your API key was revoked'),
  },
  {
    rule: 'permission.region',
    kind: 'provider.permission',
    failure: refused(400, 'Blocked in this country'),
  },
  {
    rule: 'permission.text',
    kind: 'provider.permission',
    failure: refused(400, 'You are not authorized for this'),
  },
  {
    rule: 'context.text',
    kind: 'provider.context_length',
    failure: refusedWith('The prompt is too long'),
  },
  {
    rule: 'permission.text',
    kind: 'provider.permission',
    failure: refusedWith('You are not authorized'),
  },
  {
    rule: 'address.text',
    kind: 'provider.invalid_request',
    failure: refused(404, 'Cannot POST /v1/v1/chat'),
  },
  {
    rule: 'code.invalid',
    kind: 'provider.invalid_request',
    failure: { body: { errors: [{ code: 'invalid_json_line', message: 'Line 1' }] } },
  },
  {
    rule: 'entra.auth',
    kind: 'provider.auth',
    failure: refused(400, 'AADSTS90002: Tenant not found.'),
  },
  {
    rule: 'entra.permission',
    kind: 'provider.permission',
    failure: refused(400, 'AADSTS65001: The user has not consented to use the application.'),
  },
  {
    rule: 'server.refused',
    kind: 'provider.server_error',
    failure: refused(400, 'Internal failure, reference 82ad'),
  },
  {
    rule: 'address.gone',
    kind: 'provider.invalid_request',
    failure: refused(410, 'v1 of this endpoint was switched off; use v2'),
  },
  {
    rule: 'conflict.pending',
    kind: 'provider.conflict',
    failure: refused(409, 'A queued export of this table already exists'),
  },
  {
    rule: 'feature.gone',
    kind: 'provider.unsupported',
    failure: refused(410, 'The retrieval tool was removed'),
  },
  {
    rule: 'media.of-input',
    kind: 'provider.invalid_request',
    failure: refused(400, 'The source clip frame rate is not valid'),
  },
  {
    rule: 'conflict.taken',
    kind: 'provider.invalid_request',
    failure: refused(409, 'A resource with this name already exists'),
  },
  {
    rule: 'stop.length-said',
    kind: 'provider.truncated',
    failure: {
      status: 200,
      body: { choices: [{ finish_reason: 'output_limit', message: { content: 'a' } }] },
    },
  },
  {
    rule: 'stop.filtered-said',
    kind: 'provider.content_filter',
    failure: {
      status: 200,
      body: { choices: [{ finish_reason: 'blacklist', message: { content: 'a' } }] },
    },
  },
];
