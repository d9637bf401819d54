/** Rules for prose by its concepts, about keys, rights and money; see `concepts.ts`. */
import { anyOf, each } from '../concepts/saying.ts';
import { NONE, type Rule } from '../rule.ts';

/** Words beside which a key is none that opens an account. */
const OTHER_KEYS = ['tool', 'model', 'prompt', 'text', 'schema', 'fetch'] as const;
const OF_A_BLOCK = [...OTHER_KEYS, 'block', 'feature', 'media', 'call'] as const;
const REJECTED_LOGIN = [['login', 'key', 'invalid'] as const, ['login', 'must'] as const];
const OTHER_TOKENS = ['tokens', 'bound', 'prompt', 'reply', 'text', 'sampling'] as const;

/** Words beside which a 429 means what it says. */
const OF_A_RATE = [
  'rate',
  'requests',
  'minute',
  'day',
  'tokens',
  'quota',
  'money',
  'bound',
  'reached',
  'busy',
  'now',
  'wait',
] as const;

/** Things that a limit counts if they are none of the account's possessions. */
export const OTHER_LIMITS = [
  'rate',
  'requests',
  'minute',
  'day',
  'call',
  'token',
  'tokens',
  'prompt',
  'text',
  'characters',
  'length',
  'window',
  'bytes',
  'media',
  'reply',
  'param',
  'tool',
  'schema',
  'host',
  'machinery',
  'connection',
  'wait',
] as const;

const REFUSED = [NONE, 200, 400, 404, 406, 409, 412, 418, 422, 424];

const NOT_A_PLAN = ['param', 'money', 'now', 'wait', 'busy'] as const;

export const CONCEPT_ACCESS_RULES: readonly Rule[] = [
  {
    id: 'concept.no-credentials',
    when: {
      hasStatus: false,
      hasTransport: true,
      says: [
        ...each(
          ['key'],
          ['failed', 'missing', 'lacking', 'unset'],
          ['invalid', 'expired', 'param'],
        ),
        ...anyOf(
          [
            ['login', 'refused'],
            ['unset', 'must'],
          ],
          ['invalid', 'expired', 'param', 'connection', 'host', 'text'],
        ),
      ],
    },
    means: { kind: 'provider.not_configured', scope: 'key', recovery: 'human' },
    why: 'without a response it is the client that has no key; nothing was sent',
  },
  {
    id: 'concept.not-configured',
    when: {
      statuses: [NONE, 200, 400, 422, 500, 502, 503],
      says: [
        ...each(['key'], ['unset'], ['invalid', 'expired', 'text', 'param', 'header']),
        ...each(['host'], ['unset'], ['invalid', 'expired', 'text', 'param', 'header', 'must']),
      ],
    },
    means: { kind: 'provider.not_configured', scope: 'key', recovery: 'human' },
    why: 'a provider or its key is said not to be set up',
  },
  {
    id: 'concept.spent',
    when: {
      statuses: [NONE, 200, 400, 401, 403, 404, 409, 412, 422, 429, 500],
      says: [
        ...each(
          ['money'],
          ['lacking', 'reached', 'expired', 'forbidden', 'must'],
          ['minute', 'param', 'tokens'],
        ),
        ...each(['quota'], ['lacking'], ['minute', 'rate']),
        ...each(['plan'], ['spent'], ['minute', 'rate', 'window', 'prompt', 'host']),
        ...anyOf(
          [
            ['plan', 'expired'],
            ['plan', 'lacking'],
            ['plan', 'full'],
            ['tokens', 'lacking', 'account'],
          ],
          ['minute', 'rate'],
        ),
        ...each(
          ['requests'],
          ['spent'],
          ['minute', 'rate', 'window', 'prompt', 'host', 'machinery'],
        ),
        ...anyOf(
          [
            ['day', 'reached', 'bound'],
            ['day', 'lacking'],
          ],
          ['prompt'],
        ),
      ],
    },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'money, a plan or a quota is said to be used up',
  },
  {
    id: 'concept.own-limit',
    when: {
      statuses: [400, 402, 403, 404, 409, 412, 422],
      says: [
        ...anyOf([['bound', 'reached']], [...OTHER_LIMITS, 'sampling']),
        ...anyOf([['bound', 'hit']], OTHER_LIMITS),
        ...anyOf(
          [['total', 'bound', 'hit']],
          ['tokens', 'prompt', 'text', 'minute', 'media', 'bytes'],
        ),
      ],
    },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'a limit is said to be reached, but one that counts neither calls nor the size of this call',
  },
  {
    id: 'concept.quota-refused',
    when: {
      statuses: [400, 401, 402, 403],
      says: [
        ...each(['quota'], ['reached', 'invalid'], ['minute', 'prompt']),
        ...each(['requests', 'tokens'], ['spent'], ['minute', 'rate', 'window', 'prompt']),
      ],
    },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'window' },
    why: 'a quota is said to be reached, under a status of access',
  },
  {
    id: 'concept.auth',
    when: {
      statuses: [...REFUSED, 401],
      says: [
        ...each(
          ['key'],
          ['invalid', 'expired', 'missing', 'must', 'untrusted', 'unset'],
          OTHER_KEYS,
        ),
        ...each(['token'], ['expired', 'invalid', 'missing', 'blank'], OTHER_TOKENS),
        ...each(['login'], ['must', 'failed', 'invalid', 'missing', 'expired', 'unset']),
        ...each(['signature'], ['invalid', 'missing', 'expired'], OF_A_BLOCK),
      ],
    },
    means: { kind: 'provider.auth', scope: 'key', recovery: 'human' },
    why: 'a key or a login is said to be wrong, missing or expired',
  },
  {
    id: 'concept.auth-wrapped',
    when: {
      statuses: [500, 502, 503],
      says: anyOf(REJECTED_LOGIN, [...OTHER_KEYS, 'machinery', 'late']),
    },
    means: { kind: 'provider.auth', scope: 'key', recovery: 'human' },
    why: 'a gateway says that the credentials were rejected, under a status of its own',
  },
  {
    id: 'concept.auth-forbidden',
    when: {
      statuses: [403],
      says: [
        ...each(
          ['key'],
          ['invalid', 'expired', 'missing', 'must', 'untrusted'],
          [...OTHER_KEYS, 'forbidden', 'right', 'account'],
        ),
        ...each(
          ['token'],
          ['expired', 'invalid', 'missing'],
          [...OTHER_TOKENS, 'account', 'right'],
        ),
        ...each(
          ['login'],
          ['must', 'invalid', 'missing', 'expired', 'failed'],
          ['account', 'right'],
        ),
        ...anyOf([['key', 'expired']], [...OTHER_KEYS, 'right', 'account', 'host']),
        ...each(['signature'], ['invalid', 'missing', 'expired'], OF_A_BLOCK),
      ],
    },
    means: { kind: 'provider.auth', scope: 'key', recovery: 'human' },
    why: 'forbidden, and the key or the login itself is said to be wrong or missing',
  },
  {
    id: 'concept.permission',
    when: {
      statuses: [NONE, 200, 400, 401, 406, 409, 412, 418, 422, 423, 424, 500, 502],
      says: [
        ...each(
          ['right'],
          ['forbidden', 'missing', 'lacking'],
          ['param', 'feature', 'prompt', 'media', 'machinery', 'address'],
        ),
        ...each(
          ['account'],
          ['forbidden'],
          ['param', 'feature', 'text', 'login', 'machinery', 'turn', 'media', 'content'],
        ),
        ...anyOf([['right', 'expired']], ['key', 'token', 'login', 'money', 'media', 'address']),
        ...each(
          ['account'],
          ['blocked'],
          ['prompt', 'text', 'content', 'reply', 'requests', 'filter', 'money', 'machinery'],
        ),
        ...each(['account'], ['vetting'], ['login', 'key', 'token', 'machinery', 'late', 'failed']),
        ...anyOf(
          [
            ['vetting', 'must'],
            ['vetting', 'forbidden'],
          ],
          ['login', 'key', 'token', 'trust', 'signature', 'machinery', 'late', 'failed', 'param'],
        ),
        ...each(['region'], ['forbidden', 'unsupported', 'unavailable', 'missing'], ['param']),
        ...each(['plan'], ['unavailable', 'unsupported'], NOT_A_PLAN),
        ...anyOf(
          [
            ['key', 'forbidden'],
            ['account', 'role', 'missing'],
            ['plan', 'most', 'bound'],
          ],
          ['expired', 'invalid', 'text'],
        ),
        ...anyOf(
          [['right', 'must']],
          [
            'param',
            'key',
            'token',
            'prompt',
            'media',
            'machinery',
            'address',
            'login',
            'header',
            'text',
          ],
        ),
      ],
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'an account is said to lack a right',
  },
  {
    id: 'concept.no-rate',
    when: {
      statuses: [429],
      says: [
        ...each(['account'], ['forbidden', 'filter', 'vetting', 'blocked'], OF_A_RATE),
        ...each(['region'], ['forbidden', 'unsupported'], OF_A_RATE),
        ...anyOf(
          [
            ['plan', 'model', 'forbidden'],
            ['plan', 'model', 'unsupported'],
            ['plan', 'model', 'unavailable'],
          ],
          OF_A_RATE,
        ),
      ],
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'an account is said to lack a right, and nothing is said of a rate',
  },
  {
    id: 'concept.no-rate-paused',
    when: {
      statuses: [429],
      says: anyOf(
        [['bound', 'account', 'reached', 'forbidden']],
        ['rate', 'requests', 'minute', 'day', 'tokens', 'busy', 'wait'],
      ),
    },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'an account reached a limit and was stopped for it; time alone does not start it again',
  },
  {
    id: 'concept.no-rate-key',
    when: {
      statuses: [429],
      says: each(['key'], ['invalid', 'expired', 'missing'], [...OF_A_RATE, ...OTHER_KEYS]),
    },
    means: { kind: 'provider.auth', scope: 'key', recovery: 'human' },
    why: 'a key is said to be wrong, and nothing is said of a rate',
  },
  {
    id: 'concept.no-rate-length',
    when: { statuses: [429], says: anyOf([['prompt', 'too', 'length']], OF_A_RATE) },
    means: { kind: 'provider.context_length', scope: 'request', recovery: 'human' },
    why: 'the prompt is said to be too long, and nothing is said of a rate',
  },
  {
    id: 'concept.permission-hidden',
    when: {
      statuses: [404],
      says: [
        ...each(
          ['account', 'key'],
          ['forbidden'],
          ['param', 'feature', 'text', 'invalid', 'missing'],
        ),
        ...each(['account'], ['missing'], ['model', 'tool', 'endpoint', 'text', 'host', 'prompt']),
        ...each(['plan'], ['forbidden', 'unavailable', 'unsupported'], ['param', 'money', 'busy']),
      ],
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'the model is there, but not for this account',
  },
];
