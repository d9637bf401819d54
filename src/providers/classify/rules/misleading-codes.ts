/**
 * Rules for codes that do not mean what they say. They read prose and come before the plain rules, which
 * would otherwise trust a wrong code.
 */
import { anyOf, each } from '../concepts/saying.ts';
import { NONE, type Rule } from '../rule.ts';
import { DENIED_CODES, RATE_CODES } from './code-lists.ts';

/** `119 characters remaining, while 965 characters are required`, or the other way around. */
const BELOW_NEED =
  /\b\d[\d,.]{0,14} (?:\w{1,20} )?(?:remaining|left)\b[^\n]{0,60}\b\d[\d,.]{0,14} (?:\w{1,20} )?(?:(?:is|are|was|were) )?(?:required|needed|requested)\b|\b(?:requires?|needs?|costs?) \d[\d,.]{0,14} [^\n]{0,60}\b(?:remaining|left)\b|\b\d[\d,.]{0,14}\w{0,3} (?:\w{1,20} )?(?:needed|requested|required)\b[^\n]{0,40}\b\d[\d,.]{0,14}\w{0,3} (?:\w{1,20} )?(?:remaining|left)\b/i;

/** `only paid accounts get this model`, `comes with the Max plan and up`, `for Enterprise customers only`. */
const PAYING_ONLY =
  /^(?![^]*\b(?:not exist|n['’]t exist|not found|no such|unknown)\b)[^]*(?:\b(?:paid|paying|free|trial|premium|enterprise|business)\b[^.\n]{0,12}\b(?:accounts?|users?|customers?|plans?|tiers?|subscribers?|members?)\b|\b(?:accounts?|users?|customers?)\b[^.\n]{0,12}\btier\b|\b(?:plan|tier)(?: \w+)? (?:and|or) (?:up|above|higher)\b)/i;

export const MISLEADING_CODE_RULES: readonly Rule[] = [
  {
    id: 'overload.model-away',
    when: {
      statuses: [429, 500, 502, 503, 529],
      codes: ['model_unavailable', 'model_not_available', 'model_offline'],
    },
    means: { kind: 'provider.overloaded', scope: 'model', recovery: 'window' },
    why: 'under the status of a fault or of a limit, a model that is unavailable is away for now',
  },
  {
    id: 'quota.none-at-all',
    when: { quota: 'zero' },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'an allowance of 0 means that this tier has no access; the delay beside it is empty',
  },
  {
    id: 'quota.long-window',
    when: { quota: 'long_window' },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'window' },
    why: 'one of the quotas that were hit is counted by the day or longer',
  },
  {
    id: 'quota.short-window',
    when: { quota: 'short_window' },
    means: { kind: 'provider.rate_limited', scope: 'model', recovery: 'hint' },
    why: 'the quota that was hit is counted by the minute, whatever the message says of plans',
  },
  {
    id: 'rate.tokens-of-a-window',
    when: {
      statuses: [429],
      codes: ['token_limit_exceeded'],
      mentions: /again later|retry later/i,
    },
    means: { kind: 'provider.rate_limited', scope: 'model', recovery: 'hint' },
    why: 'a limit of tokens that a later call may stay within is a rate, not a limit of the prompt',
  },
  {
    id: 'rate.single-request-over-limit',
    when: { asksMoreThanLimit: true },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'this one request asks for more than the limit ever allows; waiting is futile',
  },
  {
    id: 'too-large.bytes-of-window',
    when: {
      codes: ['context_window_exceeded', 'context_length_exceeded'],
      mentions: /^(?![^]*\btokens?\b)[^]*\d ?(?:bytes|[kmg]i?b)\b/i,
    },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'a wrapper took the size in bytes for a window; the server speaks of no tokens',
  },
  {
    id: 'cancelled.refused',
    when: {
      statuses: [NONE, 200, 400, 422],
      codeSays: anyOf([['cancelled']], ['account', 'plan', 'money']),
      mentions:
        /\b(?:cannot|can(?:no|['’])t|could not|failed to|nothing to|unable to)\b[^.\n]{0,24}\bcancel|\bcancel(?:l?ation|l?ing)? failed\b/i,
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'the request to cancel was refused; nobody stopped the call',
  },
  {
    id: 'permission.paying-accounts',
    when: {
      statuses: [400, 403, 404],
      codes: ['model_not_available', 'model_not_supported', 'model_not_found', 'model_unavailable'],
      mentions: PAYING_ONLY,
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'others have the model: accounts of another plan are said to get it',
  },
  {
    id: 'permission.unverified',
    when: {
      codes: ['unsupported_value', 'unsupported_parameter'],
      mentions:
        /\b(?:organi[sz]ation|account)s?\b[^.\n]{0,60}\b(?:un)?verif(?:y|ied|ication)\b|\b(?:un)?verif(?:y|ied|ication)\b[^.\n]{0,24}\b(?:organi[sz]ation|account)s?\b/i,
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'the value is supported, for those who were verified',
  },
  {
    id: 'permission.off-until-enabled',
    when: {
      codeEndings: ['feature_disabled', 'tool_disabled', 'model_disabled', 'not_enabled'],
      mentions:
        /\badmin(?:istrator)?s?\b|\b(?:account|organi[sz]ation|workspace|team)['’]?s? owner\b/i,
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'it is switched off for this account, and an administrator can switch it on',
  },
  {
    id: 'permission.unsupported-until-granted',
    when: {
      codes: [
        'unsupported_value',
        'unsupported_parameter',
        'invalid_request',
        'failed_precondition',
      ],
      phrases: ['permission', 'region'],
      notPhrases: [
        'spent',
        'context',
        'window',
        'content_filter',
        'model',
        'oversize',
        'tool_schema',
      ],
    },
    means: { kind: 'provider.permission', scope: 'key', recovery: 'human' },
    why: 'reported as a bad value, but a right is missing',
  },
  {
    id: 'quota.balance-below-need',
    when: {
      statuses: [NONE, 200, 400, 401, 402, 403, 429],
      phrases: ['about_rest'],
      mentions: BELOW_NEED,
      notPhrases: ['short_window'],
    },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'less of something is left than this call needs, whatever the code or the class says',
  },
  {
    id: 'quota.trial',
    when: {
      statuses: [NONE, 200, 401, 402, 403, 429],
      phrases: ['about_plan'],
      mentions: /\btrials?\b/i,
      says: each(
        ['plan'],
        ['reached', 'spent', 'lacking'],
        ['minute', 'rate', 'prompt', 'window', 'bytes', 'media', 'length', 'param', 'busy'],
      ),
      notPhrases: ['short_window'],
    },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'a trial that is used up is not filled again, whatever it counts',
  },
  {
    id: 'quota.reported-as-auth',
    when: {
      statuses: [400, 401, 402, 403, 429],
      codes: ['auth', 'invalid_api_key'],
      phrases: ['spent'],
    },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'a budget that is used up, which gateways report as a fault of the key',
  },
  {
    id: 'quota.another-status-in-words',
    when: {
      statuses: [402],
      codes: ['unauthorized', 'forbidden', 'bad_request', 'not_found', 'auth', 'authentication'],
      notPhrases: ['auth', 'rate_limit', 'overload', 'scopes'],
    },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'the code is the name of another status, and the status itself asks for payment',
  },
  {
    id: 'permission.real-name',
    when: {
      statuses: [NONE, 200, 400, 401, 403],
      mentions: /实名|實名|\breal[- ]name|\bKYC\b/i,
      says: anyOf([['vetting']], ['money', 'late']),
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'the account must prove whose it is, whatever the code says of logins',
  },
  {
    id: 'auth.denied-key',
    when: { codes: DENIED_CODES, phrases: ['auth'], notPhrases: ['spent'] },
    means: { kind: 'provider.auth', scope: 'key', recovery: 'human' },
    why: 'reported as a missing right, but the key itself is invalid',
  },
  {
    id: 'auth.denied-key-said',
    when: {
      statuses: [400, 401, 403],
      codes: DENIED_CODES,
      says: each(['key', 'token', 'login'], ['expired'], ['right', 'account', 'model']),
      notPhrases: ['spent'],
    },
    means: { kind: 'provider.auth', scope: 'key', recovery: 'human' },
    why: 'reported as a missing right, but the key itself is said to be gone',
  },
  {
    id: 'permission.reported-as-unknown-caller',
    when: {
      statuses: [401],
      codes: [...DENIED_CODES, 'key_model_access_denied', 'team_model_access_denied'],
      notPhrases: ['auth', 'spent'],
    },
    means: { kind: 'provider.permission', scope: 'key', recovery: 'human' },
    why: 'the caller is known; the code says that a right is missing, whatever the status',
  },
  {
    id: 'permission.reported-as-auth',
    when: {
      statuses: [401, 403],
      codes: ['auth', 'authentication'],
      says: each(
        ['model', 'right'],
        ['forbidden'],
        ['key', 'token', 'login', 'invalid', 'expired'],
      ),
      notPhrases: ['auth', 'spent'],
    },
    means: { kind: 'provider.permission', scope: 'key', recovery: 'human' },
    why: 'the caller is known, but is said to have no access to the model',
  },
  {
    id: 'permission.model-of-a-plan',
    when: {
      statuses: [NONE, 400, 401, 403, 404],
      codeSays: each(['model'], ['missing', 'unavailable', 'unsupported']),
      says: [
        ...each(['plan'], ['unavailable', 'forbidden'], ['missing', 'key', 'wait', 'spent']),
        ...anyOf(
          [
            ['account', 'forbidden', 'model'],
            ['account', 'vetting', 'must'],
          ],
          ['missing', 'key', 'token', 'wait'],
        ),
      ],
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'the code reads as if the model did not exist; the message says that a plan does not include it',
  },
  {
    id: 'permission.model-of-others',
    when: {
      statuses: [401, 403],
      codes: ['model_not_found'],
      says: each(['account'], ['forbidden'], ['missing', 'key', 'token']),
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'the model exists; this project or account is said to have no access to it',
  },
  {
    id: 'quota.possessions',
    when: {
      statuses: [NONE, 200, 400, 403],
      codes: ['limit_exceeded', 'service_limit_exceeded', 'resource_limit_exceeded'],
      notPhrases: ['short_window', 'rate_limit', 'context', 'window', 'oversize'],
    },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'clouds call a limit so that counts what an account owns, not how fast it calls',
  },
  {
    id: 'context.oversize-status',
    when: { statuses: [413], phrases: ['context', 'window'] },
    means: { kind: 'provider.context_length', scope: 'request', recovery: 'human' },
    why: 'too many tokens for the window, not too many bytes for the edge',
  },
  {
    id: 'rate.oversize-request',
    when: { codes: RATE_CODES, phrases: ['oversize'], notPhrases: ['spent'] },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'shares its code with a rate limit, but the request alone is too large',
  },
  {
    id: 'rate.oversize-said',
    when: {
      codes: ['resource_exhausted'],
      says: each(
        ['bytes', 'size'],
        ['excess'],
        ['rate', 'minute', 'day', 'quota', 'requests', 'money', 'tokens'],
      ),
    },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'gRPC has one word for every bound; this one is a size, and the request is larger',
  },
  {
    id: 'overload.resource',
    when: {
      codes: ['resource_exhausted'],
      says: anyOf(
        [['unavailable', 'wait']],
        ['rate', 'minute', 'day', 'quota', 'money', 'requests', 'tokens', 'bound'],
      ),
    },
    means: { kind: 'provider.overloaded', scope: 'model', recovery: 'window' },
    why: 'gRPC has one word for everything that is used up; it is their own room, and it comes back',
  },
  {
    id: 'overload.shared-rate-code',
    when: {
      codes: [...RATE_CODES, 'upstream', 'server', 'api'],
      phrases: ['overload'],
      notPhrases: ['short_window', 'long_window', 'spent'],
    },
    means: { kind: 'provider.overloaded', scope: 'model', recovery: 'window' },
    why: 'the model is overloaded for everyone, although it is reported as a limit or a fault',
  },
  {
    id: 'overload.said-under-rate-code',
    when: {
      codes: RATE_CODES,
      phrases: ['about_host'],
      says: each(
        ['host'],
        ['lacking', 'spent', 'unavailable', 'busy'],
        ['minute', 'day', 'money', 'quota', 'account', 'requests', 'rate', 'bound', 'tokens'],
      ),
    },
    means: { kind: 'provider.overloaded', scope: 'model', recovery: 'window' },
    why: 'their machines have no room, although the code is that of a limit',
  },
  {
    id: 'quota.long-window-text',
    when: { codes: RATE_CODES, phrases: ['long_window'] },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'window' },
    why: 'a limit by the day or longer; its code is that of the limit by the minute',
  },
  {
    id: 'rate.concurrent',
    when: {
      statuses: [429],
      codes: RATE_CODES,
      mentions: /\bconcurren(?:t|cy)\b|\bin parallel\b/i,
      says: each(['rate'], ['bound', 'reached', 'much'], ['money', 'day', 'quota', 'spent']),
    },
    means: { kind: 'provider.rate_limited', scope: 'account', recovery: 'hint' },
    why: 'what runs at the same time is counted, and each that ends makes room',
  },
  {
    id: 'quota.rate-code-without-money',
    when: { codes: RATE_CODES, phrases: ['spent'], notPhrases: ['short_window'] },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'money or credits are gone, reported under the code of a rate limit',
  },
  {
    id: 'media.wrong-format',
    when: {
      statuses: [NONE, 200, 400, 415, 422],
      phrases: ['unsupported', 'about_media'],
      says: anyOf(
        [
          ['media', 'format', 'unsupported'],
          ['media', 'format', 'invalid'],
        ],
        ['reply', 'feature', 'model', 'tool', 'schema', 'must'],
      ),
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'a file is of the wrong kind; another one would do',
  },
  {
    id: 'unsupported.said-of-model',
    when: {
      codes: ['model_not_supported', 'unsupported_model'],
      phrases: ['unsupported'],
      says: anyOf([['model', 'incapable']]),
    },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'the model is there and cannot do it; the code reads as if it were not there',
  },
  {
    id: 'quota.payment-pending',
    when: { providers: ['openrouter'], statuses: [402], header: { name: 'retry-after' } },
    means: { kind: 'provider.rate_limited', scope: 'account', recovery: 'hint' },
    why: 'spending in flight counts until it settles; OpenRouter names the wait',
  },
  {
    id: 'server.mislabelled',
    when: {
      codes: ['invalid_request'],
      statusRange: [200, 299],
      phrases: ['server'],
    },
    means: { kind: 'provider.server_error', scope: 'provider', recovery: 'now' },
    why: 'a fault of the server inside a stream, mislabelled as a bad request',
  },
];
