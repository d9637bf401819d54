/** Routes and assertions, as a file writes them. Rules for combinations of keys are in `rules/route-rules.ts`. */
import { ASK_OPTIONS, BACKOFFS, MOVES } from '../plan/route-plan.ts';
import { assertedKind, onErrorSchema } from './kind-schema.ts';
import {
  anyText,
  choice,
  duration,
  either,
  hinted,
  jsonMap,
  list,
  literal,
  matching,
  number,
  strict,
  text,
  wholeNumber,
  type FromFile,
} from './leaf.ts';

const TARGET_PATTERN = '^(\\$end|[A-Za-z_][A-Za-z0-9_-]{0,99})$';

export const target = matching(
  'The node or group that runs next, or `$end`.',
  TARGET_PATTERN,
  'the name of a node or group, or `$end`',
);

const retry = strict(
  '`retry`',
  'Run the node again.',
  {
    max: wholeNumber('How many retries, not counting the first attempt.', { min: 1, max: 100 }),
    backoff: choice('How the waits grow. Default: exponential, factor 2.', BACKOFFS).optional(),
    initial_seconds: number('The first wait. Default: 1.', { min: 0, max: 86_400 }).optional(),
    max_seconds: number('The longest wait. Default: 60.', { min: 0, max: 86_400 }).optional(),
    jitter: number('The random spread of each wait (jitter), 0 to 1. Default: 0.2.', {
      min: 0,
      max: 1,
    }).optional(),
  },
  { max: 3, backoff: 'fixed', initial_seconds: 2, max_seconds: 30, jitter: 0.5 },
);

const ask = strict(
  '`ask`',
  'Open a gate for a person, with the report.',
  {
    options: list(
      'What the person may answer. Default: all four.',
      choice('An answer.', ASK_OPTIONS),
      1,
    ).optional(),
    timeout: duration(
      'How long the gate is open; after that, matching continues with the routes below. Default: no limit.',
    ).optional(),
  },
  { options: ['retry', 'abort'], timeout: '24h' },
);

const park = strict(
  '`park`',
  'Pause the run for a time.',
  {
    for: duration('How long; then the node runs again.'),
    max: wholeNumber('How often at most. Default: no limit.', { min: 1 }).optional(),
  },
  { for: '15m', max: 4 },
);

const halt = strict(
  '`halt`',
  'End the whole run here.',
  {
    message: anyText('The reason, as a template.').optional(),
  },
  { message: 'No order {{ workflow.input.ticket }}' },
);

export const routeSchema = hinted(
  strict(
    'a route',
    'What happens next: one condition and exactly one move.',
    {
      on_error: onErrorSchema.optional(),
      when: text(
        'A template or a bare expression; the route matches only when it is true.',
      ).optional(),
      to: target.optional(),
      output: jsonMap(
        'With `to: $end`: values, as templates, that replace or add to those of the output of the workflow.',
      ).optional(),
      retry: retry.optional(),
      ask: either('Ask a person; `true` for all options.', '`true` or a map', [
        literal('All options, no timeout.', true),
        ask,
      ]).optional(),
      park: either('Pause the run, durably.', '`true`, or a map with `for`', [
        literal('Until someone resumes the run.', true),
        park,
      ]).optional(),
      halt: either(
        'End the whole run with `halt.intentional`.',
        '`true`, or a map with `message`',
        [literal('Without a message of its own.', true), halt],
      ).optional(),
      propagate: literal('Raise the failure to the calling workflow.', true).optional(),
    },
    {
      on_error: ['provider.rate_limited', 'provider.overloaded'],
      when: 'output.score > 0.8',
      to: 'publish',
      output: { label: 'none' },
      retry: { max: 3 },
      ask: { options: ['retry', 'abort'] },
      park: { for: '15m' },
      halt: { message: 'The order is gone' },
    },
  ),
  {
    id: 'route',
    description: 'What happens next: one condition and exactly one move.',
    oneOf: MOVES.map((move) => ({ required: [move] })),
    dependencies: {
      ...Object.fromEntries(
        ['retry', 'ask', 'park', 'propagate'].map((move) => [move, ['on_error']]),
      ),
      output: { properties: { to: { const: '$end' } }, required: ['to'] },
    },
    defaultSnippets: [
      { label: 'success route', body: { to: '${1:\\$end}' } },
      { label: 'error route', body: { on_error: '${1:true}', to: '${2:handler}' } },
      { label: 'retry', body: { on_error: '${1:kind}', retry: { max: '^${2:3}' } } },
      { label: 'ask a person', body: { on_error: '${1:kind}', ask: { timeout: '${2:24h}' } } },
      { label: 'park', body: { on_error: '${1:kind}', park: { for: '${2:15m}' } } },
      { label: 'halt', body: { on_error: '${1:kind}', halt: { message: '${2:why}' } } },
    ],
  },
);

export type RouteFile = FromFile<typeof routeSchema>;

/** The workflow's own table, which handles failures only. */
export const errorTable = hinted(
  list('Routes for the failures that no route of a node matches.', routeSchema),
  { items: { allOf: [{ $ref: '#/definitions/route' }, { required: ['on_error'] }] } },
);

export const assertionSchema = strict(
  'an assertion',
  'Checked after the node has succeeded.',
  {
    that: text('A template or a bare expression that must be true.'),
    raise: assertedKind.optional(),
    message: anyText('The message when it is not, as a template.').optional(),
  },
  {
    that: 'output.score <= 1',
    raise: 'label.bad_score',
    message: 'The score is {{ output.score }}',
  },
).meta({
  id: 'assertion',
  description: 'Checked on success; a failed assertion is routed like any failure.',
});
