/** The form of a rehearsal plan. Rules that need the workflow are checked where it is rehearsed. */
import {
  anyText,
  choice,
  delay,
  either,
  flag,
  hinted,
  json,
  jsonMap,
  list,
  literal,
  map,
  matching,
  number,
  scalar,
  strict,
  text,
  wholeNumber,
  type FromFile,
} from '../schema/leaf.ts';

const CRASHES_PATTERN = '^(all|none|sample:\\d{1,9})$';
const TRY_PATTERN = '^([1-9]\\d{0,5}|[1-9]\\d{0,5}-([1-9]\\d{0,5})?|every)$';
const TRY_FORM = 'a try such as 1, 1-2, 3- or every';
const PERCENT = { min: 0, max: 100 } as const;

const fail = strict(
  '`fail` of a fault',
  'A failure: by kind, or as the response of a provider, which is then classified.',
  {
    kind: text('The kind.').optional(),
    message: text('Its message.').optional(),
    details: jsonMap('Its details.').optional(),
    retry_after: number('The server’s hint, in seconds.', { min: 0, max: 1_000_000 }).optional(),
    provider: text('The provider that responds.').optional(),
    status: wholeNumber('The HTTP status.', { min: 100, max: 599 }).optional(),
    headers: map('Headers of the response.', scalar('A header.')).optional(),
    body: json('The body of the response.').optional(),
  },
  { kind: 'payment.declined', message: 'No funds', details: { card: '4242' }, status: 429 },
);

/** One of them in each fault; `cut` goes with `stream`. */
export const FAULTS = [
  'fail',
  'delay',
  'hang',
  'lose',
  'partial',
  'malformed',
  'stream',
  'kill',
  'cancel',
] as const;

const fault = hinted(
  strict(
    'a fault',
    'What goes wrong, where, and in which try.',
    {
      at: text('A node, a path, `model:NAME`, `tool:NAME` or `mcp:SERVER`.').optional(),
      store: choice('What the store does.', ['refuse', 'slow']).optional(),
      try: either('Which tries. Default: 1.', TRY_FORM, [
        matching('Tries.', TRY_PATTERN, TRY_FORM),
        wholeNumber('One try.', { min: 1 }),
      ]).optional(),
      fail: fail.optional(),
      delay: delay('How much longer it takes.').optional(),
      hang: literal('It does not end by itself.', true).optional(),
      lose: literal('It does its work, and its reply is lost.', 'reply').optional(),
      partial: json('A part of its output, with an error beside it.').optional(),
      malformed: literal('Its result does not fit its schema.', true).optional(),
      stream: list('Pieces of a reply, one after the other.', anyText('A piece.')).optional(),
      cut: flag('Whether the connection breaks after the stream.').optional(),
      kill: choice('When the process dies: around the commit of its result, or before that.', [
        'before_commit',
        'after_commit',
        'while_running',
      ]).optional(),
      cancel: literal('Someone cancels the run.', true).optional(),
      from: delay('When the store begins to fail, from the start of the run.').optional(),
      for: delay('How long the store fails.').optional(),
    },
    { at: 'refund', try: '1-2', fail: { kind: 'payment.declined' } },
  ),
  { anyOf: [{ required: ['at'] }, { required: ['store'] }] },
);

const expectation = strict(
  '`expect`',
  'The expectation. A key that is left out may have any value.',
  {
    status: choice('How it ends.', ['completed', 'failed', 'paused', 'cancelled']).optional(),
    error: jsonMap('A part of the report of its failure.').optional(),
    output: json('A part of its output.').optional(),
    at: text('The node where it failed or waits.').optional(),
    routes: list('All error routes in order: `NODE KIND MOVE`.', text('A route.')).optional(),
    waiting: choice('What it waits for.', [
      'gate',
      'time',
      'budget',
      'outcome',
      'person',
    ]).optional(),
    effects: map(
      'How often the effects of a node were executed.',
      wholeNumber('Executions.', { min: 0 }),
    ).optional(),
    model_requests: wholeNumber('Requests to models.', { min: 0 }).optional(),
    cost_usd_at_most: number('The most that it may cost, in dollars.', { min: 0 }).optional(),
    waited: delay('Virtual time from its start to its rest.').optional(),
  },
  {
    status: 'paused',
    routes: ['refund payment.declined ask'],
    effects: { refund: 1 },
    waited: '4s',
  },
);

const answers = map(
  'Answers, by node or path of the gate: a value, or `never`.',
  json('The answer.'),
);

const scenario = strict(
  'a scenario',
  'One bad day.',
  {
    name: text('Its name.'),
    faults: list('What goes wrong.', fault).optional(),
    answers: answers.optional(),
    input: jsonMap('Inputs of this scenario.').optional(),
    expect: expectation.optional(),
  },
  { name: 'declined, and a person says skip', answers: { refund: 'skip' } },
);

const percent = number('In percent.', PERCENT);

export const rehearsalPlanSchema = strict(
  'a rehearsal plan',
  'A plan for the rehearsal of a workflow.',
  {
    rehearse: text('The workflow file, from the folder of this plan.'),
    input: jsonMap('Inputs.').optional(),
    given: map('What works gives, by node or by path.', json('The output.')).optional(),
    answers: answers.optional(),
    details: map('What injected failures carry, by kind.', jsonMap('Their details.')).optional(),
    generate: strict(
      '`generate`',
      'Which scenarios are made from the workflow itself.',
      {
        kinds: choice('Which failures: all, those with a route, or none.', [
          'all',
          'routed',
          'none',
        ]).optional(),
        crashes: matching('Crash points.', CRASHES_PATTERN, 'all, sample:N or none').optional(),
        doubt: choice('Whether replies are lost.', ['all', 'none']).optional(),
      },
      { kinds: 'all', crashes: 'sample:200', doubt: 'all' },
    ).optional(),
    scenarios: list('Scenarios that you write.', scenario).optional(),
    thresholds: strict(
      '`thresholds`',
      'The least that must be covered, in percent.',
      {
        routes: percent.optional(),
        moves: percent.optional(),
        kinds: percent.optional(),
        doubt: percent.optional(),
        crashes: percent.optional(),
        mutants: percent.optional(),
      },
      { routes: 100 },
    ).optional(),
  },
  {
    rehearse: './orders.yaml',
    given: { classify: { label: 'refund' } },
    answers: { approve: 'yes' },
  },
);

export type RehearsalPlan = FromFile<typeof rehearsalPlanSchema>;
export type PlannedScenario = FromFile<typeof scenario>;
export type PlannedFault = FromFile<typeof fault>;
export type Expectation = FromFile<typeof expectation>;
