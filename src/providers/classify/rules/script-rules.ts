/**
 * Rules for Chinese, Japanese, Korean and Russian by concepts. Their servers say in one short sentence what is spoken
 * of and what is the matter with it, mostly under a number of their own and a status that means nothing.
 */
import { anyOf, each } from '../concepts/saying.ts';
import { NONE, type Rule } from '../rule.ts';

const REFUSED = [NONE, 200, 400, 404, 406, 409, 412, 418, 422, 424];
const UNSURE = [NONE, 200, 400];

/** Limits that count something else than the size of one request. */
const OF_TIME = ['rate', 'minute', 'day', 'money', 'quota', 'plan'] as const;

export const SCRIPT_RULES: readonly Rule[] = [
  {
    id: 'script.size',
    when: {
      statuses: REFUSED,
      phrases: ['about_script'],
      says: [
        ...each(['media'], ['excess', 'reached'], [...OF_TIME, 'tokens', 'window']),
        ...anyOf(
          [
            ['media', 'too', 'large'],
            ['media', 'too', 'length'],
            ['characters', 'excess'],
          ],
          [...OF_TIME, 'tokens', 'window'],
        ),
      ],
    },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'a file is said to be too large or too long, or there are too many of them',
  },
  {
    id: 'script.context',
    when: {
      statuses: REFUSED,
      phrases: ['about_script'],
      says: anyOf(
        [
          ['prompt', 'length', 'excess'],
          ['prompt', 'length', 'too'],
          ['prompt', 'tokens', 'excess'],
          ['prompt', 'excess', 'bound'],
          ['prompt', 'excess', 'content'],
          ['window', 'excess'],
          ['tokens', 'length', 'excess'],
        ],
        [...OF_TIME, 'media', 'reply'],
      ),
    },
    means: { kind: 'provider.context_length', scope: 'request', recovery: 'human' },
    why: 'the input is said to be longer than the model takes',
  },
  {
    id: 'script.spent',
    when: {
      statuses: [...REFUSED, 401, 402, 403, 429],
      phrases: ['about_script'],
      says: [
        ...each(
          ['money', 'quota', 'plan'],
          ['lacking', 'spent', 'reached', 'expired'],
          ['minute', 'rate'],
        ),
        ...each(['day'], ['reached', 'spent', 'lacking'], ['minute', 'rate', 'media', 'prompt']),
      ],
    },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'money, a plan or what a day or a month allows is said to be used up',
  },
  {
    id: 'script.rate',
    when: {
      statuses: [...UNSURE, 403, 500, 503],
      phrases: ['about_script'],
      says: [
        ...each(
          ['rate'],
          ['reached', 'bound', 'too', 'much', 'requests', 'forbidden'],
          ['day', 'money', 'media', 'param'],
        ),
        ...anyOf(
          [
            ['requests', 'too', 'much'],
            ['requests', 'much', 'minute'],
            ['requests', 'reached', 'minute'],
            ['often'],
          ],
          ['day', 'money', 'media', 'prompt'],
        ),
      ],
    },
    means: { kind: 'provider.rate_limited', scope: 'model', recovery: 'hint' },
    why: 'calls are said to come too fast',
  },
  {
    id: 'script.filter',
    when: {
      statuses: [...REFUSED, 403, 451, 500],
      phrases: ['about_script'],
      says: each(
        ['filter'],
        ['content', 'media', 'prompt', 'text', 'found'],
        ['account', 'right', 'key', 'login', 'region', 'trust'],
      ),
    },
    means: { kind: 'provider.content_filter', scope: 'request', recovery: 'human' },
    why: 'the content is said to be against the rules',
  },
  {
    id: 'script.auth',
    when: {
      statuses: [...REFUSED, 401],
      phrases: ['about_script'],
      notPhrases: ['scopes'],
      says: [
        ...each(['key'], ['invalid', 'expired'], ['vetting', 'tool', 'media']),
        ...each(
          ['key', 'login'],
          ['invalid', 'expired', 'missing', 'failed', 'unset'],
          ['model', 'vetting', 'tool', 'media'],
        ),
        ...each(
          ['tokens', 'token'],
          ['expired', 'invalid'],
          ['bound', 'reached', 'length', 'prompt', 'reply', 'model'],
        ),
      ],
    },
    means: { kind: 'provider.auth', scope: 'key', recovery: 'human' },
    why: 'a key, a signature or a login is said to be wrong, missing or expired',
  },
  {
    id: 'script.permission',
    when: {
      statuses: REFUSED,
      phrases: ['about_script'],
      says: [
        ...each(
          ['right'],
          ['forbidden', 'missing', 'lacking'],
          ['key', 'login', 'media', 'param', 'address'],
        ),
        ...each(
          ['account', 'host', 'region'],
          ['forbidden'],
          ['model', 'media', 'param', 'money', 'filter'],
        ),
        ...each(['region'], ['unsupported', 'unavailable']),
      ],
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'the caller is said to lack a right, or the service not to be open to it',
  },
  {
    id: 'script.address-of-caller',
    when: {
      statuses: REFUSED,
      phrases: ['about_script'],
      mentions: /(?<![a-z])ip(?![a-z]).{0,12}(?:非法|不合法|无效|受限|不允许|제한|차단)/i,
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'the address that the call came from is not one of those that may call',
  },
  {
    id: 'script.model',
    when: {
      statuses: [...REFUSED, 500],
      phrases: ['about_script'],
      says: [
        ...each(
          ['model'],
          ['missing'],
          ['media', 'tool', 'feature', 'param', 'prompt', 'account', 'right', 'region'],
        ),
        ...anyOf(
          [['model', 'unsupported']],
          [
            'media',
            'tool',
            'feature',
            'param',
            'prompt',
            'text',
            'reply',
            'sampling',
            'account',
            'right',
            'region',
            'plan',
            'format',
            'schema',
            'content',
            'endpoint',
            'ofmodel',
          ],
        ),
      ],
    },
    means: { kind: 'provider.model_not_found', scope: 'model', recovery: 'human' },
    why: 'the model is said not to exist',
  },
  {
    id: 'script.file',
    when: {
      statuses: REFUSED,
      phrases: ['about_script'],
      says: anyOf(
        [
          ['media', 'format', 'unsupported'],
          ['media', 'format', 'invalid'],
          ['media', 'invalid'],
          ['media', 'failed'],
        ],
        ['model', 'host', 'inner', 'param', 'feature', 'key', 'login', 'filter', 'address'],
      ),
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'a file is said to be unreadable or of the wrong kind',
  },
  {
    id: 'script.address',
    when: {
      statuses: [NONE, 200, 400, 404, 405],
      phrases: ['about_script'],
      says: each(['address', 'endpoint'], ['invalid', 'missing'], ['media', 'model', 'account']),
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'the address of the call is said to lead nowhere',
  },
  {
    id: 'script.unsupported',
    when: {
      statuses: REFUSED,
      phrases: ['about_script'],
      says: each(
        ['model', 'feature', 'tool'],
        ['unsupported'],
        ['account', 'region', 'plan', 'right'],
      ),
    },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'the model is said not to be able to do it',
  },
  {
    id: 'script.setting',
    when: {
      statuses: REFUSED,
      phrases: ['about_script'],
      says: each(
        ['param'],
        ['missing', 'must', 'invalid', 'range', 'unset'],
        ['media', 'prompt', 'text', 'content', 'tool', 'schema', 'key', 'login', 'filter'],
      ),
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'a parameter is said to be missing or to have a wrong value',
  },
  {
    id: 'script.late',
    when: {
      statuses: UNSURE,
      phrases: ['about_script'],
      phrasesToo: ['timeout'],
      says: anyOf([['host'], ['inner']], ['media', 'address', 'login', 'key']),
    },
    means: { kind: 'provider.timeout', scope: 'provider', recovery: 'now' },
    why: 'the server is said to have taken too long, under whatever status',
  },
  {
    id: 'script.busy',
    when: {
      statuses: UNSURE,
      phrases: ['about_script'],
      says: [
        { all: ['busy'], none: ['rate', 'requests', 'day', 'money', 'quota', 'account'] },
        ...anyOf([['host', 'unavailable']], ['account', 'region', 'right', 'money']),
      ],
    },
    means: { kind: 'provider.overloaded', scope: 'model', recovery: 'window' },
    why: 'the service is said to be busy or away for a while',
  },
  {
    id: 'script.underway',
    when: {
      statuses: [...UNSURE, 409, 422, 423],
      phrases: ['about_script'],
      says: [{ all: ['underway'], none: ['rate', 'bound', 'money', 'param', 'late', 'model'] }],
    },
    means: { kind: 'provider.conflict', scope: 'request', recovery: 'now' },
    why: 'something else is said to be at work on the same thing',
  },
  {
    id: 'script.network',
    when: {
      statuses: UNSURE,
      phrases: ['about_script'],
      says: each(['connection'], ['failed', 'cut', 'unavailable'], ['media', 'account', 'key']),
    },
    means: { kind: 'provider.network', outcome: 'unknown', scope: 'provider', recovery: 'now' },
    why: 'the way between servers is said to have failed',
  },
  {
    id: 'script.content',
    when: {
      statuses: REFUSED,
      phrases: ['about_script'],
      says: anyOf(
        [
          ['content', 'invalid'],
          ['prompt', 'invalid'],
          ['text', 'invalid'],
        ],
        ['filter', 'param', 'media', 'key', 'login', 'inner', 'account', 'model', 'tool', 'format'],
      ),
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'what was sent is said to be wrong, and nothing is said of harm',
  },
  {
    id: 'script.fault',
    when: {
      statuses: UNSURE,
      phrases: ['about_script'],
      says: [
        ...each(['inner'], ['failed', 'invalid'], ['param', 'prompt', 'media', 'key', 'login']),
        ...each(['host'], ['failed'], ['param', 'prompt', 'media', 'key', 'login', 'account']),
      ],
    },
    means: { kind: 'provider.server_error', scope: 'provider', recovery: 'now' },
    why: 'the server is said to have failed, under whatever status',
  },
];
