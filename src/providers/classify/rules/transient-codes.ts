/** Rules for codes of failures that pass, or that happened on the way. */
import { NONE, type Rule } from '../rule.ts';
import { RATE_CODES } from './code-lists.ts';

/** Codes of gateways and gRPC for a service that is away, for whatever reason. */
const AWAY = ['service_unavailable', 'temporarily_unavailable', 'unavailable'];

export const TRANSIENT_CODE_RULES: readonly Rule[] = [
  {
    id: 'conflict.code',
    when: {
      codes: [
        'conversation_locked',
        'conflict',
        'resource_conflict',
        'resource_locked',
        'lock_conflict',
      ],
    },
    means: { kind: 'provider.conflict', scope: 'request', recovery: 'now' },
    why: 'someone else works on the same thing; a short wait resolves it',
  },
  {
    id: 'conflict.code-part',
    when: {
      codeParts: [
        ['already', 'active'],
        ['already', 'running'],
        ['already', 'progress'],
      ],
    },
    means: { kind: 'provider.conflict', scope: 'request', recovery: 'now' },
    why: 'the code says that another request works on it; the type beside it says less',
  },
  {
    id: 'parameter.too-long',
    when: {
      codes: ['string_above_max_length', 'string_too_long'],
      params: /^(?!(?:body\.)?(?:messages|input|prompt|contents)\b)/,
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'one field is too long, and it is not the prompt',
  },
  {
    id: 'parameter.long-id',
    when: {
      codes: ['string_above_max_length', 'string_too_long'],
      params: /^(?:messages|input)\b.*[.\]](?:id|\w{1,30}_id|name)$/,
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'an id or a name in the history is too long; the history is not',
  },
  {
    id: 'too-large.string',
    when: {
      codes: ['string_above_max_length', 'string_too_long'],
      notPhrases: ['context', 'window'],
    },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'one message is longer than the server ever accepts',
  },
  {
    id: 'too-large.code',
    when: {
      codes: [
        'request_too_large',
        'payload_too_large',
        'request_entity_too_large',
        'content_too_large',
        'request_size_exceeded',
        'image_too_large',
        'file_too_large',
      ],
      notPhrases: ['context', 'window'],
    },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'a code for a request with too many bytes',
  },
  {
    id: 'too-large.code-part',
    when: {
      codeParts: [
        ['image', 'exceed'],
        ['file', 'exceed'],
        ['exceed', 'size'],
        ['exceed', 'resolution'],
        ['page', 'limit'],
        'too_large',
      ],
      notPhrases: ['context', 'window', 'rate_limit'],
    },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'a code built from words for a file or a request that is too large',
  },
  {
    id: 'sampling.tool-use',
    when: {
      codes: [
        'tool_use_failed',
        'json_validate_failed',
        'malformed_function_call',
        'malformed_tool_use',
        'malformed_model_output',
        'unexpected_tool_call',
        'too_many_tool_calls',
      ],
    },
    means: { kind: 'provider.unknown', category: 'transient', scope: 'request', recovery: 'now' },
    why: 'the model wrote a tool call that does not fit a good schema; the next sample may',
  },
  {
    id: 'stream.code',
    when: {
      codes: ['model_stream', 'stream_read', 'stream_interrupted', 'err_stream_premature_close'],
    },
    means: { kind: 'provider.stream_interrupted', scope: 'request', recovery: 'now' },
    why: 'the model broke while it was streaming',
  },
  {
    id: 'timeout.code',
    when: {
      codes: [
        'timeout',
        'request_timeout',
        'model_timeout',
        'deadline_exceeded',
        'gateway_timeout',
        'upstream_timeout',
        'batch_expired',
        'expired',
        'cf_origin_timeout',
      ],
      notPhrases: ['spent', 'auth'],
    },
    means: { kind: 'provider.timeout', scope: 'provider', recovery: 'now' },
    why: 'a code for work that took too long on the server',
  },
  {
    id: 'timeout.away',
    when: { codes: AWAY, statuses: [408, 504, 524, 598] },
    means: { kind: 'provider.timeout', scope: 'provider', recovery: 'now' },
    why: 'the code is one for every service that is away, and the status says that time ran out',
  },
  {
    id: 'timeout.away-said',
    when: { codes: AWAY, phrases: ['timeout'], notPhrases: ['auth', 'model', 'connection'] },
    means: { kind: 'provider.timeout', scope: 'provider', recovery: 'now' },
    why: 'the code is one for every service that is away, and the message says that time ran out',
  },
  {
    id: 'overload.code',
    when: {
      codes: [
        'overloaded',
        'server_overloaded',
        'engine_overloaded',
        'server_is_overloaded',
        'model_overloaded',
        'service_unavailable',
        'temporarily_unavailable',
        'model_not_ready',
        'no_capacity',
        'capacity_exceeded',
        'service_tier_capacity_exceeded',
        'insufficient_capacity',
        'provider_unavailable',
        'server_busy',
        'model_loading',
        'provider_overloaded',
        'queue_exceeded',
        'queue_full',
      ],
    },
    means: { kind: 'provider.overloaded', scope: 'model', recovery: 'window' },
    why: 'a code for a model or service without capacity at the moment',
  },
  {
    id: 'overload.unavailable',
    when: {
      // under a refusal it is a model or a feature that is unavailable, to this caller
      statuses: [NONE, 200, 409, 424, 429, 500, 502, 503, 504, 529],
      codes: ['unavailable'],
      notPhrases: ['model', 'connection', 'auth', 'oversize', 'timeout'],
    },
    means: { kind: 'provider.overloaded', scope: 'model', recovery: 'window' },
    why: 'gRPC has one word for every service that is out of reach; the message may say more',
  },
  {
    id: 'overload.code-part',
    when: { codeParts: [['system', 'busy'], ['server', 'busy'], ['engine', 'busy'], 'overload'] },
    means: { kind: 'provider.overloaded', scope: 'model', recovery: 'window' },
    why: 'a code built from words for a service that has too much to do',
  },
  {
    id: 'rate.code',
    when: {
      codes: RATE_CODES,
      notPhrases: ['auth'],
      statuses: [429, 400, 403, 503, 500, 529, 200, 413],
    },
    means: { kind: 'provider.rate_limited', scope: 'model', recovery: 'hint' },
    why: 'a code for a limit by the minute',
  },
  {
    id: 'rate.code-part',
    when: {
      codeParts: [
        ['request', 'limit', 'exceeded'],
        'rate_limit',
        'throttl',
        'burst',
        'qps',
        'per_second',
        'cooldown',
      ],
      notPhrases: ['auth', 'spent', 'long_window', 'no_allowance'],
      statuses: [200, 400, 403, 429, 503],
    },
    means: { kind: 'provider.rate_limited', scope: 'model', recovery: 'hint' },
    why: 'a code built from words for requests by the second or the minute',
  },
  {
    id: 'rate.code-without-status',
    when: {
      codes: RATE_CODES.filter((code) => code !== 'tokens' && code !== 'requests'),
      hasStatus: false,
    },
    means: { kind: 'provider.rate_limited', scope: 'model', recovery: 'hint' },
    why: 'a code for a limit by the minute',
  },
];
