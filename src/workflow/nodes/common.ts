/** What node types have in common: the shape in the file, and its part of the plan. */
import { given } from '../given.ts';
import { fieldListToSchema } from '../fields.ts';
import { usdToMicros } from '../money.ts';
import { secondsToMs } from '../duration.ts';
import { toChain } from '../models.ts';
import type { ModelEntry } from '../node-model.ts';
import type { Path } from '../path.ts';
import type { Planner } from '../planner.ts';
import type { Assertion, Place, Route } from '../route.ts';
import type { JsonObject } from '../../errors/json.ts';
import { fieldList } from '../schema/field.ts';
import { raisedKind } from '../schema/kinds.ts';
import { modelSchema } from '../schema/model.ts';
import { assertionSchema, routeSchema } from '../schema/route.ts';
import {
  choice,
  flag,
  anyText,
  jsonMap,
  list,
  name,
  number,
  seconds,
  strict,
  text,
  wholeNumber,
  type FromShape,
} from '../schema/leaf.ts';
import { planRoute } from './plan-route.ts';

export const namedShape = {
  name: name('The name that routes and templates use.'),
  description: anyText('What the node is for; shown to people.').optional(),
};

export const inputShape = {
  input: list(
    'What the node sees in explicit mode: workflow.input.x, node.output.field, group.outputs; `?` at the end makes it optional.',
    text('A name.'),
  ).optional(),
};

export const routedShape = {
  assert: list('Checked on success, in order.', assertionSchema).optional(),
  routes: list(
    'What happens next. Without routes a success ends the workflow.',
    routeSchema,
  ).optional(),
};

const raisingShape = {
  raises: list('The kinds of its own that the node can raise.', raisedKind).optional(),
};

export const timeoutShape = {
  timeout_seconds: seconds('How long one try may take.').optional(),
};

export const breakerShape = {
  breaker: flag(
    'Whether the node is left alone for a while after it failed too often, in all runs. Default: false.',
  ).optional(),
};

export function planBreaker({ breaker }: { readonly breaker?: boolean | undefined }): {
  hasBreaker?: true;
} {
  return breaker === true ? { hasBreaker: true } : {};
}

/** For nodes whose effect gives text that may be longer than what is kept. */
export const truncatingShape = {
  on_truncated: choice('What happens when an output is longer than Errand keeps. Default: fail.', [
    'fail',
    'keep',
  ]).optional(),
};

export function planTruncating(node: FromShape<typeof truncatingShape>): {
  keepsTruncated?: true;
} {
  return node.on_truncated === 'keep' ? { keepsTruncated: true } : {};
}

/** For every node type but `terminate`. */
export const stepShape = { ...namedShape, ...inputShape, ...raisingShape, ...routedShape };

export const answeringShape = {
  output: fieldList.optional(),
  output_schema: jsonMap('What the output must be, as JSON Schema.').optional(),
};

export const spendingShape = {
  model: modelSchema
    .describe('The model, or a fallback chain. Default: `default_model`.')
    .optional(),
  system_prompt: anyText('What the model is told about itself.').optional(),
  temperature: number('How freely the model answers.', { min: 0, max: 2 }).optional(),
  max_tokens: wholeNumber('The longest answer, in tokens.', { min: 1, max: 10_000_000 }).optional(),
  budget: strict('`budget`', 'What the node may spend.', {
    usd: number('US dollars.', { min: 0, max: 1_000_000_000 }).optional(),
    tokens: wholeNumber('Tokens of input and output.', { min: 0 }).optional(),
  }).optional(),
};

export type StepFile = FromShape<typeof stepShape> & Partial<FromShape<typeof timeoutShape>>;

export interface StepPlan {
  readonly name: string;
  readonly description?: string;
  readonly input?: readonly string[];
  readonly assert: readonly Assertion[];
  readonly raises?: readonly string[];
  readonly timeoutMs?: number;
  readonly routes: readonly Route[];
  readonly location: Place;
}

export function planStep(
  node: Partial<StepFile> & { name: string },
  path: Path,
  planner: Planner,
): StepPlan {
  return given({
    name: node.name,
    description: node.description,
    input: node.input,
    assert: (node.assert ?? []).map((assertion, index) =>
      given({
        index,
        that: assertion.that,
        raise: assertion.raise ?? 'assert.failed',
        message: assertion.message,
        ...planner.place([...path, 'assert', index]),
      }),
    ),
    raises: node.raises === undefined ? undefined : [...new Set(node.raises)],
    timeoutMs: node.timeout_seconds === undefined ? undefined : secondsToMs(node.timeout_seconds),
    routes: (node.routes ?? []).map((route, index) =>
      planRoute(route, index, planner.place([...path, 'routes', index])),
    ),
    location: planner.place(path),
  });
}

export function planAnswering(node: FromShape<typeof answeringShape>): {
  outputSchema?: JsonObject;
} {
  const outputSchema =
    node.output === undefined ? node.output_schema : fieldListToSchema(node.output);
  return given({ outputSchema });
}

export interface SpendingPlan {
  readonly model?: readonly ModelEntry[];
  readonly systemPrompt?: string;
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly budget?: { readonly usdMicros?: number; readonly tokens?: number };
}

export function planSpending(
  node: FromShape<typeof spendingShape>,
  planner: Planner,
): SpendingPlan {
  const { budget } = node;
  const usdMicros = budget?.usd === undefined ? undefined : usdToMicros(budget.usd);
  return given({
    model: node.model === undefined ? undefined : toChain(node.model, planner.provider),
    systemPrompt: node.system_prompt,
    temperature: node.temperature,
    maxTokens: node.max_tokens,
    budget: budget === undefined ? undefined : given({ usdMicros, tokens: budget.tokens }),
  });
}
