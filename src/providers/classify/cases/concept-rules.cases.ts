/** Cases for rules that read concepts, in prose and in the words of codes. */
import type { RuntimeKind } from '../../../errors/catalog/catalog.ts';
import type { ProviderFailure } from '../../provider-failure.ts';
import type { RuleCase } from './rules.cases.ts';

const CODED: readonly (readonly [string, RuntimeKind, number, string])[] = [
  ['code-words.not-configured', 'provider.not_configured', 400, 'PROVIDER_NOT_CONFIGURED'],
  ['code-words.spent', 'provider.quota_exhausted', 403, 'WALLET_DEPLETED'],
  ['code-words.quota-refused', 'provider.quota_exhausted', 403, 'TOKEN_QUOTA_REACHED'],
  ['code-words.context', 'provider.context_length', 400, 'PROMPT_OVERFLOW'],
  ['code-words.auth', 'provider.auth', 403, 'SIGN_IN_REQUIRED'],
  ['code-words.model', 'provider.model_not_found', 400, 'DEPLOYMENT_RETIRED'],
  ['code-words.permission', 'provider.permission', 400, 'TENANT_BANNED'],
  ['code-words.filter', 'provider.content_filter', 403, 'RISKY_CONTENT'],
  ['code-words.unsupported', 'provider.unsupported', 400, 'VISION_NOT_SUPPORTED'],
  ['code-words.overload', 'provider.overloaded', 429, 'BACKEND_SATURATED'],
  ['code-words.rate', 'provider.rate_limited', 400, 'FREQUENCY_LIMIT'],
  ['code-words.own-limit', 'provider.quota_exhausted', 400, 'VOICE_LIMIT_REACHED'],
  ['code-words.policy', 'provider.content_filter', 400, 'CYBER_POLICY'],
  ['code-words.material', 'provider.invalid_request', 200, 'IMAGE_DIMENSION_MISMATCH'],
  ['code-words.late', 'provider.timeout', 200, 'VECTOR_STORE_TIMEOUT'],
  ['code-words.tokens', 'provider.context_length', 400, 'TOO_MANY_TOKENS'],
  ['too-large.budget-of-media', 'provider.request_too_large', 400, 'IMAGE_BUDGET_EXCEEDED'],
  ['code-words.model-off', 'provider.model_not_found', 400, 'MODEL_OFFLINE'],
  ['code-words.no-access', 'provider.permission', 403, 'TEAM_MODEL_ACCESS_FORBIDDEN'],
  ['code-words.size', 'provider.request_too_large', 400, 'AUDIO_TOO_LONG'],
  ['code-words.format', 'provider.invalid_request', 415, 'UNSUPPORTED_AUDIO_CODEC'],
  ['code-words.tool-schema', 'provider.tool_schema', 400, 'DUPLICATE_TOOL_NAMES'],
  ['code-words.underway', 'provider.conflict', 400, 'SESSION_BUSY'],
  ['code-words.cancelled', 'cancelled.call', 400, 'CANCELLED_BY_USER'],
  ['code-words.inner', 'provider.server_error', 200, 'SYSTEM_ERROR'],
];

const SAID: readonly (readonly [string, RuntimeKind, number, string])[] = [
  ['concept.of-account', 'provider.permission', 400, 'Audio is not supported in your region'],
  ['concept.not-on-list', 'provider.model_not_found', 401, 'Model acme-3 is not supported'],
  [
    'concept.setting-of-model',
    'provider.unsupported',
    400,
    'temperature is deprecated for this model.',
  ],
  [
    'concept.variable-unset',
    'provider.not_configured',
    400,
    'This search needs ACME_API_KEY on the server',
  ],
  ['concept.feature-of-model', 'provider.unsupported', 400, 'Vision is unavailable for the model'],
  ['concept.signed-block', 'provider.invalid_request', 400, 'Bad signature of a thinking block'],
  ['concept.plan-limit', 'provider.quota_exhausted', 403, 'You reached the limit of the free tier'],
  ['concept.schema-keyword', 'provider.tool_schema', 400, 'JSON schema not supported: oneOf'],
  [
    'concept.longer',
    'provider.context_length',
    400,
    'input tokens (900) and a prefix must be less than 512',
  ],
  [
    'concept.no-rate-paused',
    'provider.quota_exhausted',
    429,
    'The account reached the limit that it set and is paused',
  ],
  ['concept.output-cap', 'provider.invalid_request', 400, 'Output tokens may be at most 99'],
  [
    'concept.not-configured',
    'provider.not_configured',
    500,
    'The provider was never set up: not configured',
  ],
  ['concept.spent', 'provider.quota_exhausted', 400, 'The wallet is empty'],
  ['concept.quota-refused', 'provider.quota_exhausted', 403, 'The quota was reached'],
  ['concept.auth', 'provider.auth', 400, 'The key you sent is wrong'],
  ['concept.auth-forbidden', 'provider.auth', 403, 'Sign in is required'],
  ['concept.permission', 'provider.permission', 400, 'The organisation is not entitled to it'],
  ['concept.permission-hidden', 'provider.permission', 404, 'The tenant is not approved for it'],
  ['concept.context', 'provider.context_length', 500, 'The input length 9 surpasses the limit 8'],
  ['concept.size', 'provider.request_too_large', 400, 'More than 5 megabytes'],
  ['concept.tool-schema', 'provider.tool_schema', 400, 'A function must have the field name'],
  ['concept.filter', 'provider.content_filter', 400, 'Harmful material was detected'],
  ['concept.unsupported', 'provider.unsupported', 400, 'The pictures are incompatible with it'],
  ['concept.model', 'provider.model_not_found', 400, 'The checkpoint was discontinued'],
  ['concept.attachment-missing', 'provider.invalid_request', 404, 'The photo does not exist'],
  ['concept.model-unavailable', 'provider.model_not_found', 400, 'This checkpoint is not offered'],
  ['concept.address', 'provider.invalid_request', 404, 'The path could not be found'],
  ['concept.role-order', 'provider.invalid_request', 500, 'The turns must alternate'],
  ['concept.setting', 'provider.invalid_request', 400, 'The duration must be 6 or 10'],
  ['concept.overload', 'provider.overloaded', 429, 'All backends are saturated'],
  ['concept.overload-refused', 'provider.overloaded', 400, 'All backends are saturated'],
  ['concept.underway', 'provider.conflict', 400, 'A reply is already being written'],
  [
    'concept.auth-wrapped',
    'provider.auth',
    500,
    'The login service refused the password that was stored',
  ],
  ['media.wrong-format', 'provider.invalid_request', 200, 'The codec of the clip is unsupported'],
  ['concept.model-wrapped', 'provider.model_not_found', 503, 'The model id is incorrect'],
  ['concept.rate', 'provider.rate_limited', 400, 'The frequency reached its upper bound'],
  ['concept.own-machinery', 'provider.server_error', 500, 'The database connections are used up'],
  ['server.own-files', 'provider.server_error', 500, "Permission denied: '/var/cache/x'"],
  ['overload.not-there-yet', 'provider.overloaded', 404, 'It is not ready, retry in 30 seconds'],
  ['concept.own-limit', 'provider.quota_exhausted', 403, 'The maximum of projects was hit'],
  ['concept.no-rate', 'provider.permission', 429, 'The account is locked'],
  ['concept.no-rate-key', 'provider.auth', 429, 'The key you sent is wrong'],
  ['concept.no-rate-length', 'provider.context_length', 429, 'The prompt is too long'],
  ['concept.late-refusal', 'provider.timeout', 400, 'The upstream timed out'],
  ['concept.material', 'provider.invalid_request', 200, 'The picture could not be downloaded'],
  ['concept.refused', 'provider.invalid_request', 500, 'The messages must not be empty'],
  ['concept.refused-setting', 'provider.invalid_request', 500, 'The seed must be positive'],
  ['rate.limit-hit', 'provider.rate_limited', 500, 'Limit exceeded'],
];

const THROWN: readonly (readonly [string, RuntimeKind, string, string])[] = [
  ['concept.certificate', 'provider.network', 'Error', 'The certificate was revoked'],
  ['concept.handshake', 'provider.network', 'Error', 'A fatal alert in the handshake'],
  ['concept.connect-late', 'provider.network', 'PoolElapsed', 'nothing more'],
  ['concept.no-credentials', 'provider.not_configured', 'Error', 'The chain lacks a credential'],
  ['concept.late', 'provider.timeout', 'Elapsed', 'nothing more'],
  ['concept.cancelled', 'cancelled.call', 'JobCancellation', 'nothing more'],
  ['concept.unreachable', 'provider.network', 'Error', 'The network appears to be offline'],
  ['concept.lost', 'provider.network', 'ChannelClosed', 'nothing more'],
];

const refused = (status: number, error: object): Partial<ProviderFailure> => ({
  status,
  phase: 'headers',
  body: { error },
});

export const CONCEPT_CASES: readonly RuleCase[] = [
  ...CODED.map(([rule, kind, status, code]) => ({
    rule,
    kind,
    failure: refused(status, { code, message: 'No' }),
  })),
  ...SAID.map(([rule, kind, status, message]) => ({
    rule,
    kind,
    failure: refused(status, { message }),
  })),
  ...THROWN.map(([rule, kind, name, message]) => ({
    rule,
    kind,
    failure: { transport: { name, message } },
  })),
  {
    rule: 'overload.said-under-rate-code',
    kind: 'provider.overloaded',
    failure: refused(429, { code: 'resource_exhausted', message: 'Upstream nodes are depleted' }),
  },
  {
    rule: 'unsupported.said-of-model',
    kind: 'provider.unsupported',
    failure: refused(404, {
      code: 'model_not_supported',
      message: 'The model does not support it',
    }),
  },
  {
    rule: 'transport.credentials-expired',
    kind: 'provider.auth',
    failure: { transport: { name: 'CredentialsProviderError', message: 'The token is expired' } },
  },
  {
    rule: 'auth.denied-key-said',
    kind: 'provider.auth',
    failure: refused(403, { code: 'AccessDenied', message: 'The password is expired' }),
  },
  {
    rule: 'parameter.no-body',
    kind: 'provider.invalid_request',
    failure: refused(422, { param: 'body', message: 'Field needed' }),
  },
  {
    rule: 'parameter.absent',
    kind: 'provider.invalid_request',
    failure: refused(422, { param: 'messages', message: 'Field required' }),
  },
  {
    rule: 'parameter.off',
    kind: 'provider.unsupported',
    failure: refused(400, { message: 'parallel_tool_calls: not permitted' }),
  },
  {
    rule: 'transport.cancelled-by-clock',
    kind: 'provider.timeout',
    failure: { transport: { name: 'TaskCanceledException', message: 'canceled by a timeout' } },
  },
  {
    rule: 'output-cap.text',
    kind: 'provider.invalid_request',
    failure: refused(400, { message: 'The valid range of max_tokens is [1, 8192]' }),
  },
  {
    rule: 'transport.tls-protocol',
    kind: 'provider.network',
    failure: { transport: { code: 'EPROTO' } },
  },
  {
    rule: 'concept.model-param',
    kind: 'provider.model_not_found',
    failure: refused(422, { param: 'model', message: 'It must be another one' }),
  },
  {
    rule: 'messages.text',
    kind: 'provider.invalid_request',
    failure: refused(400, {
      param: 'messages[0].role',
      message: 'A required parameter is missing',
    }),
  },
  {
    rule: 'messages.range',
    kind: 'provider.invalid_request',
    failure: refused(400, { code: 'array_above_max_length', param: 'input[3].content' }),
  },
];
