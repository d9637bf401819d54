/** Routes and assertions, as a file writes them. How the keys go together is in `nodes/route-rules.ts`. */
import { ASK_OPTIONS, BACKOFFS, MOVES } from '../route.ts';
import { assertedKind, onErrorSchema } from './kinds.ts';
import {
  anyText,
  choice,
  duration,
  either,
  hinted,
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
  'The node or group to go on with, or `$end`.',
  TARGET_PATTERN,
  'the name of a node or group, or `$end`',
);

const retry = strict('`retry`', 'Run the node again.', {
  max: wholeNumber('Re-runs, the first run not counted.', { min: 1, max: 100 }),
  backoff: choice('How the waits grow. Default: exponential, factor 2.', BACKOFFS).optional(),
  initial_seconds: number('The first wait. Default: 1.', { min: 0, max: 86_400 }).optional(),
  max_seconds: number('The longest wait. Default: 60.', { min: 0, max: 86_400 }).optional(),
  jitter: number('How much a wait is spread, 0 to 1. Default: 0.2.', { min: 0, max: 1 }).optional(),
});

const ask = strict('`ask`', 'Open a gate for a person, with the report.', {
  options: list(
    'What the person may answer. Default: all four.',
    choice('An answer.', ASK_OPTIONS),
    1,
  ).optional(),
  timeout: duration('How long the gate is open; then matching goes on below.').optional(),
});

const park = strict('`park`', 'Pause the run for a time.', {
  for: duration('How long; then the node runs again.'),
  max: wholeNumber('How often. Default: as often as it takes.', { min: 1 }).optional(),
});

const halt = strict('`halt`', 'End the whole run here.', {
  message: anyText('Why, as a template.').optional(),
});

export const routeSchema = hinted(
  strict('a route', 'What happens next: one condition and exactly one move.', {
    on_error: onErrorSchema.optional(),
    when: text(
      'A template or a bare expression; the route counts only when it is true.',
    ).optional(),
    to: target.optional(),
    retry: retry.optional(),
    ask: either('Ask a person; `true` for all options.', '`true` or a map', [
      literal('All options, no timeout.', true),
      ask,
    ]).optional(),
    park: either('Pause the run, durably.', '`true`, or a map with `for`', [
      literal('Until someone resumes the run.', true),
      park,
    ]).optional(),
    halt: either('End the whole run with `halt.intentional`.', '`true`, or a map with `message`', [
      literal('Without a message of its own.', true),
      halt,
    ]).optional(),
    propagate: literal('Raise the failure to the calling workflow.', true).optional(),
  }),
  {
    id: 'route',
    description: 'What happens next: one condition and exactly one move.',
    oneOf: MOVES.map((move) => ({ required: [move] })),
    dependencies: Object.fromEntries(
      ['retry', 'ask', 'park', 'propagate'].map((move) => [move, ['on_error']]),
    ),
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

/** The workflow's own table, which is asked about failures only. */
export const errorTable = hinted(
  list('For any node of this file whose own table has no match.', routeSchema),
  { items: { allOf: [{ $ref: '#/definitions/route' }, { required: ['on_error'] }] } },
);

export const assertionSchema = strict('an assertion', 'Checked when the node succeeded.', {
  that: text('A template or a bare expression that must be true.'),
  raise: assertedKind.optional(),
  message: anyText('What to say when it is not, as a template.').optional(),
}).meta({
  id: 'assertion',
  description: 'Checked on success; a failing one is routed like any failure.',
});
