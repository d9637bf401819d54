/**
 * Rules for prose by its concepts: what is spoken of, and what is said about it. They come after the
 * phrases, for wordings that nobody has recorded, and before the status alone.
 */
import { anyOf, each } from '../concepts/saying.ts';
import { NONE, type Rule } from '../rule.ts';
import { CAPABILITY_RULES, REFUSED } from './concept-capability.ts';

/** Statuses that gateways and frameworks also use for refusals of theirs. */
const ALSO_SERVER = [...REFUSED, 403, 413, 500, 502, 503];

export const CONCEPT_RULES: readonly Rule[] = [
  {
    id: 'concept.context',
    when: {
      statuses: ALSO_SERVER,
      says: anyOf(
        [
          ['prompt', 'excess', 'length'],
          ['prompt', 'excess', 'bound'],
          ['prompt', 'excess', 'tokens'],
          ['prompt', 'too', 'much'],
          ['prompt', 'length', 'bound'],
          ['prompt', 'tokens', 'bound'],
          ['tokens', 'excess', 'bound'],
          ['tokens', 'too', 'much'],
          ['prompt', 'tokens', 'over'],
          ['model', 'tokens', 'over'],
          ['prompt', 'characters', 'bound'],
          ['tokens', 'over', 'bound'],
          ['tokens', 'over', 'given'],
          ['token', 'over', 'excess'],
          ['prompt', 'shorten'],
          ['text', 'too', 'length'],
          ['window', 'full'],
          ['window', 'lacking'],
          ['window', 'excess'],
          ['window', 'too', 'much'],
          ['text', 'excess', 'tokens'],
          ['text', 'bound', 'tokens'],
          ['text', 'bound', 'length'],
          ['tokens', 'excess', 'must'],
          ['tokens', 'over', 'most'],
          ['token', 'excess', 'bound'],
          ['window', 'too', 'length'],
          ['prompt', 'total', 'tokens', 'must'],
          ['too', 'length', 'over'],
          ['prompt', 'length', 'over'],
        ],
        ['minute', 'day', 'rate', 'bytes', 'media', 'tool', 'quota', 'money', 'stop'],
      ),
    },
    means: { kind: 'provider.context_length', scope: 'request', recovery: 'human' },
    why: 'the prompt is said to be longer than something allows',
  },
  {
    id: 'concept.size',
    when: {
      statuses: REFUSED,
      says: anyOf(
        [
          ['bytes', 'excess'],
          ['bytes', 'too', 'much'],
          ['media', 'excess', 'bound'],
          ['media', 'too', 'large'],
          ['characters', 'bound', 'reached'],
          ['characters', 'excess'],
          ['characters', 'over'],
          ['text', 'bound', 'reached'],
          ['bytes', 'most'],
          ['media', 'over', 'bound'],
          ['bytes', 'bound', 'media'],
          ['media', 'most', 'bound'],
          ['media', 'bound', 'must'],
          ['size', 'excess', 'over'],
        ],
        ['rate', 'minute', 'day', 'quota', 'tool'],
      ).concat(
        anyOf(
          [['content', 'length', 'excess']],
          ['rate', 'minute', 'day', 'quota', 'tool', 'tokens', 'prompt', 'window', 'text', 'model'],
        ),
      ),
    },
    means: { kind: 'provider.request_too_large', scope: 'request', recovery: 'human' },
    why: 'a file or the request is said to have too many bytes',
  },
  {
    id: 'concept.tool-schema',
    when: {
      statuses: [...REFUSED, 500],
      says: [
        ...each(['grammar'], ['invalid', 'failed']),
        ...anyOf([['schema', 'fetch', 'failed']], ['reply', 'host']),
        ...each(['schema'], ['invalid', 'must', 'missing', 'unknown'], ['reply']),
        ...each(['schema'], ['forbidden'], ['reply', 'account', 'model', 'key']),
        ...anyOf([['schema', 'too', 'much']], ['reply', 'requests']),
        ...each(['schema'], ['unsupported'], ['model', 'param', 'endpoint', 'host', 'sampling']),
        ...anyOf(
          [
            ['tool', 'property', 'must'],
            ['tool', 'param', 'must'],
            ['tool', 'param', 'invalid'],
            ['tool', 'param', 'missing'],
            ['tool', 'name', 'must'],
            ['tool', 'name', 'invalid'],
            ['tool', 'name', 'bound'],
            ['tool', 'described', 'must'],
            ['tool', 'described', 'excess'],
            ['tool', 'name', 'excess'],
            ['tool', 'param', 'excess'],
            ['property', 'must'],
          ],
          ['text', 'role', 'model', 'choice', 'call'],
        ),
        ...anyOf([['tool', 'too', 'much']], ['text', 'choice', 'call', 'requests', 'wait']),
      ],
    },
    means: { kind: 'provider.tool_schema', scope: 'request', recovery: 'human' },
    why: 'the definition of a tool or of the output is said to be wrong',
  },
  {
    id: 'concept.filter',
    when: {
      statuses: [200, 400, 403, 406, 409, 412, 413, 418, 422, 424, 451, 498, 500],
      says: each(
        ['filter'],
        ['forbidden', 'invalid', 'prompt', 'found', 'blocked', 'text', 'content', 'media'],
        ['account', 'region', 'right', 'key', 'rate'],
      ).concat(
        anyOf(
          [
            ['prompt', 'found', 'forbidden'],
            ['prompt', 'found', 'blocked'],
          ],
          ['account', 'right', 'key'],
        ),
        anyOf([['filter', 'prompt', 'invalid']], ['right', 'key']),
        anyOf(
          [
            ['content', 'forbidden'],
            ['content', 'blocked'],
          ],
          [
            'account',
            'right',
            'key',
            'param',
            'header',
            'format',
            'host',
            'address',
            'region',
            'model',
            'tool',
          ],
        ),
      ),
    },
    means: { kind: 'provider.content_filter', scope: 'request', recovery: 'human' },
    why: 'the content is said to be harmful or against a policy',
  },
  ...CAPABILITY_RULES,
  {
    id: 'concept.address',
    when: {
      statuses: [NONE, 400, 404, 405, 424],
      says: each(
        ['address'],
        ['missing', 'invalid', 'unsupported', 'refused', 'unset'],
        ['media', 'model'],
      ),
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'provider',
      recovery: 'human',
    },
    why: 'the address is said to lead nowhere: the base URL is wrong',
  },
  {
    id: 'concept.underway',
    when: {
      statuses: [400, 409, 422, 423],
      says: anyOf([['underway']], ['rate', 'bound', 'money', 'quota', 'param', 'invalid', 'model']),
    },
    means: { kind: 'provider.conflict', scope: 'request', recovery: 'now' },
    why: 'something else is said to work on the same thing',
  },
  {
    id: 'concept.role-order',
    when: {
      statuses: [...REFUSED, 500],
      says: anyOf(
        [
          ['turn', 'must'],
          ['turn', 'invalid'],
          ['role', 'must', 'text'],
          ['role', 'invalid', 'text'],
        ],
        ['key', 'right', 'param'],
      ),
    },
    means: { kind: 'provider.invalid_request', scope: 'request', recovery: 'human' },
    why: 'the order or the roles of the messages are refused',
  },
  {
    id: 'concept.setting',
    when: {
      statuses: [NONE, 400, 422],
      says: [
        ...each(
          ['sampling'],
          ['must', 'bound', 'invalid'],
          ['prompt', 'text', 'role', 'tool', 'schema', 'content'],
        ),
        ...anyOf(
          [
            ['media', 'length', 'must'],
            ['media', 'must', 'range'],
            ['stop', 'too', 'much'],
            ['stop', 'must'],
            ['sampling', 'range'],
            ['sampling', 'unknown'],
            ['header', 'must'],
            ['header', 'missing'],
            ['param', 'failed'],
            ['param', 'must', 'missing'],
            ['param', 'missing'],
            ['param', 'must', 'unset'],
            ['model', 'must'],
            ['account', 'must'],
            ['address', 'must'],
            ['numeric', 'must'],
          ],
          ['prompt', 'text', 'role', 'tool', 'schema', 'key', 'content'],
        ),
        // a value of the wrong type, whose type may be a string
        ...anyOf(
          [
            ['sampling', 'invalid', 'must'],
            ['param', 'invalid', 'must'],
            ['param', 'given', 'must'],
          ],
          ['prompt', 'role', 'turn', 'content', 'tool', 'schema', 'key', 'model', 'media'],
        ),
      ],
    },
    means: {
      kind: 'provider.invalid_request',
      category: 'configuration',
      scope: 'request',
      recovery: 'human',
    },
    why: 'a setting or a header of the call is missing or out of its range',
  },
];
