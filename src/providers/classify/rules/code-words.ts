/** Rules for codes by the concepts of their words: `TOKEN_QUOTA_REACHED` is a short sentence. */
import { anyOf, each } from '../concepts/saying.ts';
import { NONE, type Rule } from '../rule.ts';
import { OTHER_LIMITS } from './concept-access.ts';

/** No `max tokens` of the reply, no `maximum output`. */
const NOT_OF_OUTPUT = /^(?![^]*\bmax(?:imum)?[ _]?output|[^]*\bmax[ _]?tokens must\b)/i;

export const CODE_WORD_RULES: readonly Rule[] = [
  {
    id: 'code-words.not-configured',
    when: { codeSays: each(['host', 'key'], ['unset']) },
    means: { kind: 'provider.not_configured', scope: 'key', recovery: 'human' },
    why: 'the code says that a provider or a key is not set up',
  },
  {
    id: 'code-words.spent',
    when: {
      codeSays: [
        ...each(['money'], ['lacking', 'reached', 'expired', 'forbidden']),
        ...each(['quota'], ['lacking'], ['rate', 'minute']),
        ...each(['plan'], ['expired', 'spent', 'lacking'], ['rate', 'minute']),
        ...anyOf([['plan', 'bound', 'reached']], ['rate', 'minute']),
        ...anyOf([['bound', 'spent']], OTHER_LIMITS),
      ],
    },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'the code says that money or a quota is gone',
  },
  {
    id: 'code-words.quota-refused',
    when: {
      statuses: [401, 402, 403],
      codeSays: each(['quota'], ['reached', 'bound'], ['rate', 'minute']),
    },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'window' },
    why: 'the code says that a quota is reached, under a status of access',
  },
  {
    id: 'code-words.own-limit',
    when: {
      statuses: [400, 402, 403, 409, 422],
      codeSays: anyOf(
        [
          ['bound', 'hit'],
          ['plan', 'bound'],
        ],
        OTHER_LIMITS,
      ),
      notPhrases: ['rate_limit', 'short_window', 'context', 'window', 'oversize'],
    },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'the code says that a limit is reached, which counts neither calls nor sizes',
  },
  {
    id: 'code-words.context',
    when: {
      codeSays: anyOf(
        [
          ['prompt', 'excess'],
          ['prompt', 'too', 'length'],
          ['window', 'excess'],
          ['window', 'lacking'],
          ['prompt', 'too', 'much'],
        ],
        ['bytes', 'media', 'rate'],
      ),
    },
    means: { kind: 'provider.context_length', scope: 'request', recovery: 'human' },
    why: 'the code says that the prompt is too long',
  },
  {
    id: 'code-words.tokens',
    when: {
      statuses: [NONE, 200, 400, 413, 422, 500],
      codeSays: anyOf(
        [
          ['tokens', 'excess'],
          ['tokens', 'too', 'much'],
        ],
        ['rate', 'minute', 'day', 'quota', 'reply'],
      ),
      notPhrases: ['short_window', 'long_window', 'output_cap'],
      mentions: NOT_OF_OUTPUT,
    },
    means: { kind: 'provider.context_length', scope: 'request', recovery: 'human' },
    why: 'the code says that there are too many tokens, and nothing says that they are those of a window',
  },
  {
    id: 'code-words.auth',
    when: {
      statuses: [NONE, 200, 400, 401, 403, 404, 422],
      codeSays: [
        ...each(['key', 'login'], ['must', 'expired', 'invalid', 'missing', 'failed'], ['tool']),
        ...each(['login'], ['unset']),
        ...each(['token'], ['expired', 'invalid'], ['bound']),
      ],
      notPhrases: ['spent', 'scopes'],
    },
    means: { kind: 'provider.auth', scope: 'key', recovery: 'human' },
    why: 'the code says that a key or a login is wrong or missing',
  },
  {
    id: 'code-words.model',
    when: {
      codeSays: anyOf(
        [
          ['model', 'missing'],
          ['model', 'name', 'invalid'],
          ['endpoint', 'missing'],
        ],
        ['param', 'right', 'tool', 'reply', 'prompt'],
      ),
      notPhrases: ['overload'],
    },
    means: { kind: 'provider.model_not_found', scope: 'model', recovery: 'human' },
    why: 'the code says that there is no such model',
  },
  {
    id: 'code-words.model-off',
    when: {
      statuses: [400, 404, 410, 422],
      codeSays: each(['model'], ['unavailable'], ['param', 'right', 'tool', 'busy', 'feature']),
      notPhrases: ['overload', 'wait'],
    },
    means: { kind: 'provider.model_not_found', scope: 'model', recovery: 'human' },
    why: 'the code says that the model is off, under the status of a refusal',
  },
  {
    id: 'code-words.no-access',
    when: {
      statuses: [400, 401, 403, 404, 422],
      codeSays: anyOf([['model', 'right', 'forbidden']], ['money', 'key']),
      notPhrases: ['spent'],
    },
    means: { kind: 'provider.permission', scope: 'key', recovery: 'human' },
    why: 'the code says that access to the model is denied, whatever else the message guesses',
  },
  {
    id: 'code-words.permission',
    when: {
      codeSays: [
        ...each(['right', 'account'], ['forbidden', 'lacking'], ['money']),
        ...each(['region'], ['forbidden', 'unsupported', 'unavailable', 'blocked']),
        ...each(['plan'], ['forbidden']),
        ...each(['vetting'], ['account', 'forbidden', 'must'], ['failed', 'key', 'token']),
      ],
      notPhrases: ['spent', 'auth'],
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'the code says that a right is missing',
  },
  {
    id: 'code-words.needs-plan',
    when: {
      statuses: [NONE, 200, 400, 401, 403, 404, 409, 412, 422],
      codeSays: anyOf([['plan', 'must']], ['money', 'bound', 'expired']),
      notPhrases: ['spent'],
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'the code says that a plan or a subscription is needed, and no status asks for money',
  },
  {
    id: 'code-words.filter',
    when: {
      codeSays: each(
        ['filter'],
        ['text', 'content', 'prompt', 'reply', 'blocked', 'found', 'invalid'],
        ['account'],
      ).concat(each(['prompt', 'reply', 'content'], ['blocked'], ['account', 'key'])),
    },
    means: { kind: 'provider.content_filter', scope: 'request', recovery: 'human' },
    why: 'the code says that the content is refused',
  },
  {
    id: 'code-words.policy',
    when: {
      statuses: [NONE, 200, 400, 403, 422],
      codeSays: anyOf(
        [['policy']],
        ['account', 'right', 'key', 'rate', 'money', 'region', 'plan', 'model', 'must', 'unset'],
      ),
    },
    means: { kind: 'provider.content_filter', scope: 'request', recovery: 'human' },
    why: 'the code names a policy, and nothing that a policy could be about but the content',
  },
  {
    id: 'code-words.size',
    when: {
      statuses: [NONE, 200, 400, 413, 422],
      codeSays: anyOf(
        [
          ['media', 'excess'],
          ['media', 'too', 'much'],
          ['bytes', 'excess'],
          ['bytes', 'too', 'much'],
          ['content', 'large'],
          ['content', 'length', 'bound'],
        ],
        ['rate', 'minute', 'day', 'quota', 'tokens', 'window'],
      ),
    },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'the code says that a file is too large, too long or one too many',
  },
  {
    id: 'code-words.format',
    when: {
      statuses: [NONE, 200, 400, 415, 422],
      codeSays: anyOf(
        [
          ['media', 'format', 'unsupported'],
          ['media', 'format', 'invalid'],
        ],
        ['reply', 'feature'],
      ),
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'the code says that a file is of the wrong kind; another one would do',
  },
  {
    id: 'code-words.tool-schema',
    when: {
      statuses: [NONE, 200, 400, 422],
      codeSays: [
        ...each(['schema'], ['invalid', 'failed', 'unsupported'], ['reply', 'text']),
        ...anyOf(
          [
            ['tool', 'name', 'invalid'],
            ['tool', 'described', 'invalid'],
          ],
          ['call', 'choice'],
        ),
      ],
    },
    means: { kind: 'provider.tool_schema', scope: 'request', recovery: 'human' },
    why: 'the code says that the definition of a tool or a schema is wrong',
  },
  {
    id: 'code-words.underway',
    when: {
      statuses: [NONE, 200, 400, 409, 422, 423],
      codeSays: anyOf([['underway']], ['rate']).concat(
        anyOf([['underway', 'rate']], ['bound', 'reached']),
      ),
      notCodes: ['in_progress', 'in_process'],
    },
    means: { kind: 'provider.conflict', scope: 'request', recovery: 'now' },
    why: 'the code says that something else works on the same thing',
  },
  {
    id: 'code-words.expired-thing',
    when: {
      statuses: [409],
      codeSays: anyOf(
        [['expired']],
        ['key', 'token', 'login', 'account', 'plan', 'money', 'late', 'job', 'trust'],
      ),
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'something that the request refers to has expired; nobody else works on it',
  },
  {
    id: 'code-words.cancelled',
    when: {
      statuses: [NONE, 200, 400, 409, 410, 422, 499],
      codeSays: anyOf(
        [['cancelled']],
        ['late', 'connection', 'host', 'money', 'plan', 'account', 'forbidden', 'expired'],
      ).concat(anyOf([['cancelled', 'account']], ['money', 'plan', 'late'])),
      notPhrases: ['timeout', 'spent'],
    },
    means: { kind: 'cancelled.call', scope: 'request', recovery: 'human' },
    why: 'the code says that somebody stopped it',
  },
  {
    id: 'code-words.material',
    when: {
      statuses: [NONE, 200],
      codeSays: each(
        ['media', 'prompt', 'text', 'sampling'],
        ['invalid', 'missing', 'unset', 'short', 'fetch', 'blank'],
        ['reply', 'host', 'rate', 'key', 'account'],
      ),
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'the code says that something in the request is wrong, under a status that does not',
  },
  {
    id: 'code-words.connect-late',
    when: { statuses: [NONE], codeSays: each(['connect'], ['late']) },
    means: { kind: 'provider.network', outcome: 'not_started', scope: 'provider', recovery: 'now' },
    why: 'the code says that connecting took too long, so no request left',
  },
  {
    id: 'code-words.late',
    when: {
      statuses: [NONE, 200, 400, 500, 502, 503],
      codeSays: anyOf([['late']], ['money', 'key']),
    },
    means: { kind: 'provider.timeout', scope: 'provider', recovery: 'now' },
    why: 'the code says that time ran out',
  },
  {
    id: 'code-words.off-for-caller',
    when: {
      statuses: [401, 403],
      codeSays: each(['feature'], ['unavailable', 'forbidden'], ['model', 'money', 'key']),
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'the code says that a feature is off, and the status that it is so for this caller',
  },
  {
    id: 'code-words.unsupported',
    when: {
      codeSays: each(
        ['feature', 'media', 'sampling', 'param', 'tool'],
        ['unsupported', 'unavailable'],
        ['rate', 'choice'],
      ).concat(each(['param'], ['unknown'])),
    },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'the code says that a feature is not supported',
  },
  {
    id: 'code-words.connection',
    when: {
      statuses: [NONE, 200, 500, 502, 503],
      codeSays: each(
        ['connection', 'proxy'],
        ['refused'],
        ['account', 'key', 'plan', 'rate', 'prompt'],
      ),
    },
    means: { kind: 'provider.network', outcome: 'unknown', scope: 'provider', recovery: 'now' },
    why: 'the code says that no connection came about',
  },
  {
    id: 'code-words.overload',
    when: {
      codeSays: [
        ...each(['machinery'], ['full'], ['account', 'missing', 'media']),
        ...each(['host', 'model'], ['busy', 'unavailable'], ['missing', 'invalid']),
        ...anyOf(
          [
            ['busy', 'bound'],
            ['busy', 'spent'],
          ],
          ['account', 'missing'],
        ),
      ],
    },
    means: { kind: 'provider.overloaded', scope: 'model', recovery: 'window' },
    why: 'the code says that there is no room at the moment',
  },
  {
    id: 'code-words.rate',
    when: {
      statuses: [NONE, 200, 400, 403, 409, 429, 503],
      codeSays: [
        ...each(['rate'], ['bound', 'reached']),
        ...each(['quota'], ['minute']),
        ...anyOf([['requests', 'too', 'much']], ['day', 'media', 'tokens', 'prompt']),
      ],
      notPhrases: ['auth', 'spent', 'long_window', 'no_allowance'],
    },
    means: { kind: 'provider.rate_limited', scope: 'model', recovery: 'hint' },
    why: 'the code says that requests come too fast',
  },
];
