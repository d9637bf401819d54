/** The `workflow` block: the name, the inputs, the limits and settings for all nodes. */
import { BUDGET_MODES, CONTEXT_MODES, OVERLAPS } from '../plan/plan.ts';
import { inputField, stateField } from './field.ts';
import { errorTable } from './route-schema.ts';
import { modelPrice, runtimeSchema } from './runtime-schema.ts';
import {
  anyText,
  choice,
  flag,
  json,
  jsonMap,
  list,
  map,
  name,
  namedMap,
  number,
  scalar,
  seconds,
  strict,
  text,
  wholeNumber,
  type FromFile,
} from './leaf.ts';

const limits = strict(
  '`limits`',
  'The limits of the run.',
  {
    max_iterations: wholeNumber('The most nodes that may start. Default: 1000.', {
      min: 1,
      max: 1_000_000,
    }).optional(),
    timeout_seconds: seconds(
      'How long the run may take; the time in which it is paused, as for a person or a `park`, does not count.',
    ).optional(),
    budget_usd: number('The most that the run may cost, in US dollars.', {
      min: 0,
      max: 1_000_000_000,
    }).optional(),
    budget_tokens: wholeNumber('The most tokens that the run may use, input and output together.', {
      min: 0,
    }).optional(),
    budget_mode: choice(
      'What happens at the budget: enforce ends the run, ask asks a person, audit warns. Default: enforce.',
      BUDGET_MODES,
    ).optional(),
    unpriced: choice(
      'allow: models without a price may be called under a budget in dollars, which does not count them. Without it, Errand refuses such a file.',
      ['allow'],
    ).optional(),
    max_retries: wholeNumber('The most retries of nodes in the whole run.', {
      min: 0,
    }).optional(),
  },
  {
    max_iterations: 200,
    timeout_seconds: 3600,
    budget_usd: 5,
    budget_tokens: 200_000,
    budget_mode: 'ask',
    max_retries: 20,
  },
);

const cost = strict(
  '`cost`',
  'How costs are shown, and prices of models that Errand does not know.',
  {
    show_per_agent: flag(
      'Accepted for Conductor’s files; costs are always kept per node.',
    ).optional(),
    show_summary: flag('Accepted for Conductor’s files; there is always a summary.').optional(),
    pricing: map('Prices by model.', modelPrice).optional(),
  },
  { pricing: { 'acme/acme-large': { input_per_mtok: 2, output_per_mtok: 8 } } },
);

const context = strict(
  '`context`',
  'What the templates of a node can see.',
  {
    mode: choice(
      'accumulate: everything before; last_only: the node before; explicit: what `input` lists. Default: accumulate.',
      CONTEXT_MODES,
    ).optional(),
  },
  { mode: 'explicit' },
);

const schedule = strict(
  'a schedule',
  'A time table by which servers start runs of this workflow.',
  {
    cron: text(
      'The time, as a cron expression of five fields: minute, hour, day of month, month, day of week.',
    ),
    timezone: text('The time zone of the expression. Default: UTC.').optional(),
    input: jsonMap('The input of each run, by name; no templates.').optional(),
    overlap: choice(
      'What happens while the run before is not over: skip starts none, queue starts it afterwards. Default: skip.',
      OVERLAPS,
    ).optional(),
  },
  { cron: '0 6 * * 1-5', timezone: 'Europe/Berlin', input: { limit: 20 }, overlap: 'queue' },
);

export const headerSchema = strict(
  '`workflow`',
  'The workflow as a whole.',
  {
    name: text('The name of the workflow in runs and reports.'),
    entry_point: name('The node or group that runs first.'),
    description: anyText('What it is for.').optional(),
    version: scalar('A version of your own.').optional(),
    metadata: jsonMap('Anything you want to keep with the file.').optional(),
    instructions: list(
      'Texts that come before the prompt of every agent.',
      anyText('One of them.'),
    ).optional(),
    module: text('A TypeScript or JavaScript file that exports functions and tools.').optional(),
    extensions: list(
      'TypeScript or JavaScript files that export extensions.',
      text('A file.'),
    ).optional(),
    input: namedMap('The inputs by name.', inputField).optional(),
    schedule: list(
      'When `errand serve` starts runs by itself. Other commands ignore it.',
      schedule,
    ).optional(),
    context: context.optional(),
    limits: limits.optional(),
    cost: cost.optional(),
    runtime: runtimeSchema.optional(),
    state: namedMap('Values that nodes share, by key.', stateField).optional(),
    on_unhandled: choice(
      'Confirms that failures without a route are meant to end the run (`fail`) or to reach the calling workflow (`propagate`).',
      ['fail', 'propagate'],
    ).optional(),
    on_error: errorTable.optional(),
  },
  {
    name: 'triage',
    entry_point: 'classify',
    description: 'Labels a ticket',
    version: '1.2',
    metadata: { team: 'support' },
    instructions: ['Answer in English.'],
    module: './triage.ts',
    extensions: ['./acme.ts'],
    input: { ticket: { type: 'string' } },
    schedule: [{ cron: '0 6 * * *' }],
    state: { labels: { type: 'array', merge: 'append' } },
    on_error: [{ on_error: 'provider.*', to: 'escalate' }],
  },
);

export const outputSchema = map(
  'The output of the workflow, by name; each value is a template.',
  json('A template, or JSON with templates in it.'),
);

export type HeaderFile = FromFile<typeof headerSchema>;
