/** Rules for prose by its concepts, about load and rates; see `concepts.ts`. */
import { anyOf, each } from '../concepts/saying.ts';
import { NONE, type Rule } from '../rule.ts';

/** After the rules for requests: a model that no server has is missing, not busy. */
export const CONCEPT_CAPACITY_RULES: readonly Rule[] = [
  {
    id: 'concept.overload',
    when: {
      statuses: [NONE, 200, 408, 425, 429, 500, 503, 529],
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
    id: 'concept.overload-refused',
    when: {
      statuses: [400],
      says: [
        ...each(['host', 'model'], ['busy'], ['minute', 'day', 'missing', 'invalid', 'account']),
        ...anyOf(
          [
            ['busy', 'wait'],
            ['busy', 'now'],
            ['unavailable', 'now'],
            ['host', 'unavailable', 'wait'],
            ['host', 'lacking', 'wait'],
          ],
          ['minute', 'day', 'account'],
        ),
      ],
    },
    means: { kind: 'provider.overloaded', scope: 'model', recovery: 'window' },
    why: 'the servers are said to have no room at the moment, under the status of a refusal',
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
            ['requests', 'bound', 'now'],
            ['minute', 'bound', 'reached'],
            ['often'],
          ],
          ['prompt', 'bytes', 'schema', 'day'],
        ),
        ...anyOf(
          [['requests', 'bound', 'reached']],
          [
            'prompt',
            'bytes',
            'media',
            'tokens',
            'day',
            'plan',
            'money',
            'quota',
            'tool',
            'characters',
            'length',
            'size',
            'schema',
          ],
        ),
      ],
    },
    means: { kind: 'provider.rate_limited', scope: 'model', recovery: 'hint' },
    why: 'requests are said to come too fast',
  },
  {
    id: 'rate.limit-hit',
    when: { statuses: [NONE, 200, 400, 403, 500, 502, 503, 529], phrases: ['limit_hit'] },
    means: { kind: 'provider.rate_limited', scope: 'model', recovery: 'hint' },
    why: 'a limit is hit, and nothing says which',
  },
];
