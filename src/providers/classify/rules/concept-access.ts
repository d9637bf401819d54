/** Rules for prose by its concepts, about keys, rights, money and capacity; see `concepts.ts`. */
import { anyOf, each } from '../concepts/saying.ts';
import { NONE, type Rule } from '../rule.ts';

/** Words beside which a key is none that opens an account. */
const OTHER_KEYS = ['tool', 'model', 'prompt', 'text', 'schema'] as const;
const OTHER_TOKENS = ['tokens', 'bound', 'prompt', 'reply', 'text', 'sampling'] as const;

const REFUSED = [NONE, 200, 400, 404, 406, 409, 412, 418, 422, 424];

export const CONCEPT_ACCESS_RULES: readonly Rule[] = [
  {
    id: 'concept.no-credentials',
    when: {
      hasStatus: false,
      hasTransport: true,
      says: each(
        ['key'],
        ['failed', 'missing', 'lacking', 'unset'],
        ['invalid', 'expired', 'param'],
      ),
    },
    means: { kind: 'provider.not_configured', scope: 'key', recovery: 'human' },
    why: 'without a response it is the client that has no key; nothing was sent',
  },
  {
    id: 'concept.not-configured',
    when: {
      statuses: [NONE, 200, 400, 422, 500, 502, 503],
      says: each(['host', 'key'], ['unset'], ['invalid', 'expired', 'text', 'param', 'header']),
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
        ...anyOf(
          [
            ['plan', 'expired'],
            ['plan', 'lacking'],
          ],
          ['minute', 'rate'],
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
    id: 'concept.quota-refused',
    when: { statuses: [401, 402, 403], says: each(['quota'], ['reached', 'invalid'], ['minute']) },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'window' },
    why: 'a quota is said to be reached, under a status of access',
  },
  {
    id: 'concept.auth',
    when: {
      statuses: [...REFUSED, 401],
      says: [
        ...each(['key'], ['invalid', 'expired', 'missing', 'must', 'untrusted'], OTHER_KEYS),
        ...each(['token'], ['expired', 'invalid', 'missing'], OTHER_TOKENS),
        ...each(['login'], ['must', 'failed', 'invalid', 'missing', 'expired', 'unset']),
      ],
    },
    means: { kind: 'provider.auth', scope: 'key', recovery: 'human' },
    why: 'a key or a login is said to be wrong, missing or expired',
  },
  {
    id: 'concept.auth-forbidden',
    when: {
      statuses: [403],
      says: [
        ...each(
          ['key'],
          ['invalid', 'expired', 'missing', 'must'],
          [...OTHER_KEYS, 'forbidden', 'right', 'account'],
        ),
        ...each(
          ['token'],
          ['expired', 'invalid', 'missing'],
          [...OTHER_TOKENS, 'account', 'right'],
        ),
        ...each(['login'], ['must', 'invalid', 'missing', 'expired'], ['account', 'right']),
      ],
    },
    means: { kind: 'provider.auth', scope: 'key', recovery: 'human' },
    why: 'forbidden, and the key or the login itself is said to be wrong or missing',
  },
  {
    id: 'concept.permission',
    when: {
      statuses: [NONE, 200, 400, 401, 406, 409, 412, 418, 422, 424, 500, 502],
      says: [
        ...each(['right'], ['forbidden', 'missing', 'lacking'], ['param', 'feature', 'prompt']),
        ...each(['account'], ['forbidden'], ['param', 'feature', 'text', 'login']),
        ...each(['region'], ['forbidden', 'unsupported', 'unavailable', 'missing'], ['param']),
        ...anyOf(
          [
            ['key', 'forbidden'],
            ['account', 'role', 'missing'],
            ['model', 'must', 'plan'],
            ['feature', 'must', 'plan'],
          ],
          ['expired', 'invalid', 'text'],
        ),
      ],
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'an account is said to lack a right',
  },
  {
    id: 'concept.permission-hidden',
    when: {
      statuses: [404],
      says: [
        ...each(['account', 'key'], ['forbidden'], ['param', 'feature', 'text', 'invalid']),
        ...each(['account'], ['missing'], ['model', 'tool', 'endpoint', 'text', 'host']),
      ],
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'the model is there, but not for this account',
  },
];

/** After the rules for requests: a model that no server has is missing, not busy. */
export const CONCEPT_CAPACITY_RULES: readonly Rule[] = [
  {
    id: 'concept.overload',
    when: {
      statuses: [NONE, 200, 400, 408, 425, 429, 500, 503, 529],
      says: [
        ...each(['host', 'model'], ['busy'], ['minute', 'day', 'missing', 'invalid', 'account']),
        ...each(
          ['host'],
          ['lacking', 'unavailable'],
          ['minute', 'day', 'money', 'quota', 'account', 'reply'],
        ),
        ...anyOf(
          [
            ['busy', 'wait'],
            ['busy', 'now'],
            ['unavailable', 'now'],
          ],
          ['minute', 'day', 'account'],
        ),
      ],
    },
    means: { kind: 'provider.overloaded', scope: 'model', recovery: 'window' },
    why: 'the servers are said to have no room at the moment',
  },
  {
    id: 'concept.rate',
    when: {
      statuses: [NONE, 200, 400, 403, 500, 503],
      says: [
        ...each(['rate'], ['reached', 'bound', 'much'], ['prompt', 'sampling', 'param']),
        ...anyOf(
          [
            ['requests', 'too', 'much'],
            ['requests', 'reached', 'minute'],
          ],
          ['prompt', 'bytes'],
        ),
      ],
    },
    means: { kind: 'provider.rate_limited', scope: 'model', recovery: 'hint' },
    why: 'requests are said to come too fast',
  },
];
