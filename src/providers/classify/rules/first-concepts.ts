/** Rules for prose by its concepts that come before the phrases, whose words they share; see `concepts.ts`. */
import { anyOf, each } from '../concepts/saying.ts';
import { NONE, type Rule } from '../rule.ts';
import { REFUSED } from './concept-capability.ts';

export const FIRST_CONCEPT_RULES: readonly Rule[] = [
  {
    id: 'key.of-another',
    when: {
      statuses: [401],
      mentions:
        /\bkey\b[^.\n]{0,40}\b(?:(?:not|n['’]t) (?:belong to|for|of|from) (?:this|the|that) (?:resource|endpoint|region|environment|host|server|deployment|service|api)|belongs to (?:an? )?(?:other|another|different)|(?:from|of|for|fits) (?:an? )?(?:other|another|different))\b/i,
    },
    means: { kind: 'provider.auth', scope: 'key', recovery: 'human' },
    why: 'the key opens something else; nobody lacks a right',
  },
  {
    id: 'concept.longer',
    when: {
      statuses: REFUSED,
      phrases: ['excess', 'parameter'],
      mentions: /length|tokens/i,
      says: anyOf(
        [
          ['prompt', 'tokens', 'over'],
          ['prompt', 'length', 'over'],
          ['requests', 'length', 'over'],
        ],
        [
          'minute',
          'day',
          'rate',
          'bytes',
          'media',
          'tool',
          'quota',
          'money',
          'reply',
          'characters',
        ],
      ),
    },
    means: { kind: 'provider.context_length', scope: 'request', recovery: 'human' },
    why: 'the length of the prompt stands before a smaller number that it must keep to',
  },
  {
    id: 'concept.signed-block',
    when: {
      statuses: [400, 422],
      phrases: ['about_signature'],
      says: anyOf([
        ['signature', 'feature'],
        ['signature', 'block'],
        ['signature', 'tool'],
      ]),
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'the signature is that of a part of the history, not that of the request',
  },
  {
    id: 'concept.plan-limit',
    when: {
      statuses: [400, 402, 403, 429],
      phrases: ['about_plan'],
      phrasesToo: ['about_excess'],
      says: anyOf(
        [
          ['plan', 'bound', 'reached'],
          ['plan', 'quota', 'reached'],
        ],
        ['minute', 'rate', 'requests', 'tokens', 'prompt', 'bytes', 'media', 'window'],
      ),
    },
    means: { kind: 'provider.quota_exhausted', scope: 'account', recovery: 'human' },
    why: 'the limit is one of the plan, and no short window is named',
  },
  {
    id: 'concept.of-account',
    when: {
      statuses: [NONE, 200, 400, 403, 404, 422],
      phrases: ['unsupported', 'about_off'],
      says: each(
        ['unsupported', 'unavailable'],
        ['ofaccount'],
        ['text', 'role', 'turn', 'wait', 'now', 'money', 'quota', 'key', 'busy', 'late', 'param'],
      ),
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'others have it: a plan, an account or a region is said not to',
  },
  {
    id: 'concept.not-on-list',
    when: {
      statuses: [NONE, 200, 400, 401, 404, 422],
      phrases: ['unsupported'],
      mentions: /model|不支持(?:的|该|此|这个|当前|所选)?模型/i,
      says: anyOf(
        [['model', 'unsupported', 'listed']],
        ['account', 'plan', 'region', 'feature'],
      ).concat(
        anyOf(
          [['model', 'unsupported']],
          [
            'account',
            'plan',
            'region',
            'feature',
            'media',
            'tool',
            'sampling',
            'param',
            'endpoint',
            'reply',
            'ofmodel',
            'content',
            'format',
            'prompt',
            'requests',
            'address',
            'text',
            'call',
            'schema',
            'incapable',
            'must',
            'key',
            'role',
          ],
        ),
      ),
    },
    means: { kind: 'provider.model_not_found', scope: 'model', recovery: 'human' },
    why: 'the model itself is said to be unsupported, not something that it should do',
  },
  {
    id: 'concept.setting-of-model',
    when: {
      statuses: [400, 404, 422],
      phrases: ['model'],
      says: anyOf(
        [
          ['sampling', 'missing', 'ofmodel'],
          ['param', 'missing', 'ofmodel'],
        ],
        ['account', 'must', 'given', 'text', 'content', 'name', 'listed', 'endpoint'],
      ),
    },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'a setting is said to be gone for this model; the model is there',
  },
  {
    id: 'concept.feature-of-model',
    when: {
      statuses: [400, 405, 422],
      phrases: ['about_off'],
      says: anyOf(
        [
          ['feature', 'most', 'model'],
          ['model', 'text', 'most', 'ofmodel'],
          ['feature', 'unavailable', 'model'],
          ['feature', 'forbidden', 'model'],
          ['media', 'unavailable', 'model'],
          ['media', 'forbidden', 'model'],
          ['tool', 'forbidden', 'model'],
          ['unavailable', 'ofmodel'],
          ['unsupported', 'ofmodel'],
          ['forbidden', 'ofmodel'],
        ],
        [
          'account',
          'key',
          'right',
          'region',
          'plan',
          'wait',
          'now',
          'filter',
          'found',
          'money',
          'host',
          'quota',
          'missing',
          'underway',
        ],
      ),
    },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'a feature is said to be off for this model; the model is there',
  },
  {
    id: 'concept.schema-keyword',
    when: {
      statuses: REFUSED,
      phrases: ['about_schema'],
      says: each(
        ['schema'],
        ['unsupported'],
        ['model', 'param', 'endpoint', 'host', 'sampling', 'feature'],
      ),
    },
    means: { kind: 'provider.tool_schema', scope: 'request', recovery: 'human' },
    why: 'a part of the schema is said to be unsupported, not schemas as such',
  },
  {
    id: 'filter.contains',
    when: {
      statuses: [NONE, 200, 400, 403, 422],
      mentions:
        /\b(?:contains?|includes?|containing)\b[^.\n]{0,40}\b(?:content|text|words?|material|language|phrases?|imagery)\b[^.\n]{0,24}\b(?:not (?:allowed|permitted|acceptable)|prohibited|forbidden)\b/i,
    },
    means: { kind: 'provider.content_filter', scope: 'request', recovery: 'human' },
    why: 'the text is said to contain forbidden content; nobody lacks a right',
  },
  {
    id: 'schema.keyword',
    when: {
      statuses: [NONE, 400, 422],
      mentions:
        /\b(?:array|object)s?(?: fields?| types?| schemas?| propert(?:y|ies)| parameters?)?\b[^.]{0,24}\b(?:must|requires?|needs?|missing|lacks?|without)\b[^.]{0,20}\b(?:items|properties)\b/i,
    },
    means: { kind: 'provider.tool_schema', scope: 'request', recovery: 'human' },
    why: 'words of JSON Schema: a type is said to lack the keyword that describes its parts',
  },
  {
    id: 'concept.output-cap',
    when: {
      statuses: REFUSED,
      phrases: ['about_tokens'],
      phrasesToo: ['about_reply'],
      says: anyOf(
        [
          ['reply', 'tokens', 'excess', 'bound'],
          ['reply', 'tokens', 'bound', 'given'],
          ['reply', 'tokens', 'most'],
          ['reply', 'tokens', 'must', 'bound'],
          ['reply', 'tokens', 'range'],
        ],
        ['prompt', 'window', 'minute', 'text', 'rate', 'length', 'total', 'unsupported'],
      ),
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'the output limit is set higher than the model allows; the prompt is fine',
  },
];

/** Before those about keys: a variable of the set-up is nobody's wrong key. */
export const SET_UP_RULES: readonly Rule[] = [
  {
    id: 'concept.variable-unset',
    when: {
      statuses: [NONE, 200, 400, 404, 422, 500, 502, 503],
      mentions: /\b[A-Z][A-Z0-9]{1,30}_(?:[A-Z]{2,10}_)?(?:KEY|TOKEN|SECRET)\b/,
      says: each(['key'], ['must', 'missing', 'unset'], ['invalid', 'expired']),
    },
    means: { kind: 'provider.not_configured', scope: 'key', recovery: 'human' },
    why: 'a variable of the set-up is said to be missing, by its name',
  },
  {
    id: 'concept.needs-plan',
    when: {
      statuses: [NONE, 200, 400, 401, 406, 409, 412, 418, 422, 423, 424, 500, 502],
      says: anyOf(
        [
          ['model', 'must', 'plan'],
          ['feature', 'must', 'plan'],
          ['endpoint', 'must', 'plan'],
        ],
        ['expired', 'invalid', 'text', 'key', 'money', 'quota', 'bound'],
      ),
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'a plan or a subscription is said to be needed for it; others have it',
  },
  {
    id: 'concept.account-cannot',
    when: {
      statuses: [NONE, 200, 400, 401, 406, 409, 412, 418, 422, 423, 424, 500, 502],
      says: each(
        ['account'],
        ['incapable'],
        ['model', 'host', 'media', 'text', 'connection', 'busy', 'machinery', 'param'],
      ),
    },
    means: { kind: 'provider.permission', scope: 'account', recovery: 'human' },
    why: 'accounts of this kind are said to be unable to do it',
  },
];
