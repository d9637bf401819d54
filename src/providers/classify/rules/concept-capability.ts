/** Rules for prose by its concepts, about models and what they can do; see `concepts.ts`. */
import { anyOf, each } from '../concepts/saying.ts';
import { NONE, type Rule } from '../rule.ts';

/** A request that was refused, or a text that lost its status. */
export const REFUSED = [NONE, 200, 400, 404, 405, 406, 409, 410, 412, 415, 417, 418, 422, 424];

export const CAPABILITY_RULES: readonly Rule[] = [
  {
    id: 'concept.unsupported',
    when: {
      statuses: [...REFUSED, 501],
      says: [
        ...each(
          ['feature'],
          ['unavailable', 'unsupported', 'forbidden'],
          ['account', 'plan', 'key'],
        ),
        ...each(
          ['feature'],
          ['missing'],
          ['account', 'plan', 'key', 'text', 'content', 'turn', 'block'],
        ),
        ...each(
          ['media', 'tool', 'sampling', 'param'],
          ['unavailable', 'unsupported'],
          ['account', 'plan', 'endpoint'],
        ),
        ...each(['param'], ['unknown', 'forbidden'], ['account', 'key', 'model', 'right', 'plan']),
        ...anyOf(
          [
            ['sampling', 'param', 'missing'],
            ['incapable', 'model', 'media'],
            ['incapable', 'model', 'feature'],
            ['incapable', 'model', 'tool'],
            ['incapable', 'endpoint', 'feature'],
            ['incapable', 'endpoint', 'tool'],
            ['incapable', 'host', 'feature'],
            ['incapable', 'feature', 'model'],
            ['most', 'text', 'prompt'],
          ],
          ['account', 'plan', 'key', 'must', 'wait', 'now', 'given', 'header'],
        ),
        ...anyOf([['model', 'unsupported']], ['account', 'plan', 'name', 'missing']),
        ...anyOf(
          [['model', 'incapable']],
          ['account', 'plan', 'key', 'prompt', 'text', 'content', 'reply', 'region', 'name'],
        ),
      ],
    },
    means: { kind: 'provider.unsupported', scope: 'model', recovery: 'human' },
    why: 'this model is said to lack a feature or a parameter',
  },
  {
    id: 'concept.model',
    when: {
      statuses: REFUSED,
      says: [
        ...each(
          ['model'],
          ['missing'],
          ['param', 'account', 'right', 'key', 'media', 'tool', 'text', 'must', 'region'],
        ),
        ...anyOf(
          [
            ['model', 'listed', 'given'],
            ['model', 'must', 'listed'],
            ['model', 'name', 'invalid'],
            ['endpoint', 'name', 'missing'],
          ],
          ['account', 'right', 'tool', 'text', 'busy', 'connection', 'reply'],
        ),
        ...anyOf(
          [['model', 'cut']],
          [
            'account',
            'right',
            'tool',
            'text',
            'busy',
            'connection',
            'reply',
            'prompt',
            'invalid',
            'host',
          ],
        ),
        ...anyOf(
          [['model', 'unset', 'host']],
          ['account', 'right', 'tool', 'text', 'reply', 'must'],
        ),
      ],
    },
    means: { kind: 'provider.model_not_found', scope: 'model', recovery: 'human' },
    why: 'the model is said not to exist, or another one is asked for',
  },
  {
    id: 'concept.model-wrapped',
    when: {
      statuses: [500, 502, 503],
      says: anyOf(
        [
          ['model', 'name', 'invalid'],
          ['model', 'name', 'missing'],
        ],
        ['busy', 'now', 'wait', 'late', 'connection', 'reply', 'machinery', 'fetch'],
      ),
    },
    means: { kind: 'provider.model_not_found', scope: 'model', recovery: 'human' },
    why: 'the name of the model is said to be wrong, under a status of the gateway',
  },
  {
    id: 'concept.model-param',
    when: {
      statuses: [400, 404, 422],
      params: /^(?:body\.)?model$/,
      notCodes: ['missing', 'missing_required_parameter', 'value_missing', 'missing_parameter'],
      says: anyOf([['must'], ['invalid'], ['listed']], ['param', 'given', 'unset', 'missing']),
    },
    means: { kind: 'provider.model_not_found', scope: 'model', recovery: 'human' },
    why: 'the value that was refused is the name of the model',
  },
  {
    id: 'concept.attachment-missing',
    when: {
      statuses: [404],
      says: anyOf(
        [
          ['media', 'missing'],
          ['prompt', 'missing'],
          ['job', 'missing'],
          ['job', 'expired'],
          ['reply', 'name', 'missing'],
        ],
        ['model', 'address', 'endpoint'],
      ),
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'something that the request points at is said to be missing, and it is not the model',
  },
  {
    id: 'concept.model-unavailable',
    when: {
      statuses: [400, 404, 410, 422],
      says: each(['model'], ['unavailable'], ['param', 'account', 'right', 'now', 'wait', 'busy']),
    },
    means: { kind: 'provider.model_not_found', scope: 'model', recovery: 'human' },
    why: 'the model is said not to be served there',
  },
];
