/** The `workflow` block: the name, the inputs, the limits and what holds for all nodes. */
import { BUDGET_MODES, CONTEXT_MODES } from '../model.ts';
import { inputField, stateField } from './field.ts';
import { errorTable } from './route.ts';
import { modelPrice, runtimeSchema } from './runtime.ts';
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

const limits = strict('`limits`', 'What the run may use at most.', {
  max_iterations: wholeNumber('Nodes that may start. Default: 1000.', {
    min: 1,
    max: 1_000_000,
  }).optional(),
  timeout_seconds: seconds(
    'How long the run may take; stands still while people are asked.',
  ).optional(),
  budget_usd: number('US dollars.', { min: 0, max: 1_000_000_000 }).optional(),
  budget_tokens: wholeNumber('Tokens of input and output.', { min: 0 }).optional(),
  budget_mode: choice(
    'What a spent budget does: enforce ends the run, ask asks a person, audit warns. Default: enforce.',
    BUDGET_MODES,
  ).optional(),
  unpriced: choice(
    'allow: models without a price may be asked under a budget in dollars, which then does not count them. Without it such a file is refused.',
    ['allow'],
  ).optional(),
  max_retries: wholeNumber('Retries of the whole run.', { min: 0 }).optional(),
});

const cost = strict('`cost`', 'How costs are shown, and prices that Errand does not know.', {
  show_per_agent: flag(
    'Accepted for Conductor’s files; costs are always kept per node.',
  ).optional(),
  show_summary: flag('Accepted for Conductor’s files; there is always a summary.').optional(),
  pricing: map('Prices by model.', modelPrice).optional(),
});

const context = strict('`context`', 'What templates of a node can see.', {
  mode: choice(
    'accumulate: everything before; last_only: the node before; explicit: what `input` lists. Default: accumulate.',
    CONTEXT_MODES,
  ).optional(),
});

export const headerSchema = strict('`workflow`', 'The workflow as a whole.', {
  name: text('What the workflow is called in runs and reports.'),
  entry_point: name('The node or group that runs first.'),
  description: anyText('What it is for.').optional(),
  version: scalar('A version of your own.').optional(),
  metadata: jsonMap('Anything you want to keep with the file.').optional(),
  instructions: list('Stand before the prompt of every agent.', anyText('One of them.')).optional(),
  module: text('A TypeScript or JavaScript file that exports functions and tools.').optional(),
  extensions: list(
    'TypeScript or JavaScript files that export extensions.',
    text('A file.'),
  ).optional(),
  input: namedMap('The inputs by name.', inputField).optional(),
  context: context.optional(),
  limits: limits.optional(),
  cost: cost.optional(),
  runtime: runtimeSchema.optional(),
  state: namedMap('Values that nodes share, by key.', stateField).optional(),
  on_unhandled: choice(
    'Says that the default is meant for failures without a route: fail (in a child: propagate).',
    ['fail', 'propagate'],
  ).optional(),
  on_error: errorTable.optional(),
});

export const outputSchema = map(
  'What the workflow gives, by name; each value is a template.',
  json('A template, or JSON with templates in it.'),
);

export type HeaderFile = FromFile<typeof headerSchema>;
