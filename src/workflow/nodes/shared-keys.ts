/** Common parts of node types: their shape in the file, and their part of the plan. */
import { omitUndefined } from '../plan/omit-undefined.ts';
import { fieldListToSchema } from '../json-schema/field-schema.ts';
import { usdToMicros } from '../plan/micro-dollars.ts';
import { secondsToMs } from '../plan/duration.ts';
import { toChain } from '../plan/model-names.ts';
import { providerNamed } from '../../providers/known-providers.ts';
import {
  REASONING_EFFORTS,
  type Calling,
  type ModelEntry,
  type NodeBase,
  type Spending,
} from '../plan/node-plan.ts';
import type { Path } from '../plan/pointer.ts';
import type { Planner } from '../plan/planner.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import { fieldList } from '../schema/field.ts';
import { raisedKind } from '../schema/kind-schema.ts';
import { modelSchema } from '../schema/model-schema.ts';
import { assertionSchema, routeSchema } from '../schema/route-schema.ts';
import {
  choice,
  exampled,
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

export const namedShape = exampled(
  {
    name: name('The name that routes and templates use.'),
    description: anyText('What the node is for; shown to people.').optional(),
  },
  { name: 'classify', description: 'Finds the label' },
);

export const inputShape = exampled(
  {
    input: list(
      'What the node sees in explicit mode: workflow.input.x, node.output.field, group.outputs; `?` at the end makes it optional.',
      text('A name.'),
    ).optional(),
  },
  { input: ['workflow.input.ticket', 'escalate.output?'] },
);

export const routedShape = exampled(
  {
    assert: list('Checked on success, in order.', assertionSchema).optional(),
    routes: list(
      'What happens next. Without routes a success ends the workflow.',
      routeSchema,
    ).optional(),
  },
  { routes: [{ to: 'publish' }, { on_error: true, to: 'escalate' }] },
);

const raisingShape = exampled(
  {
    raises: list('The kinds of your own that the node can raise.', raisedKind).optional(),
  },
  { raises: ['order.missing'] },
);

export const timeoutShape = exampled(
  {
    timeout_seconds: seconds('How long one attempt may take. Default: no limit.').optional(),
  },
  { timeout_seconds: 60 },
);

export const breakerShape = {
  breaker: flag(
    'Whether a breaker guards the node: after five failures in a row, no run calls it for a while. Default: false.',
  ).optional(),
};

export function planBreaker({ breaker }: { readonly breaker?: boolean | undefined }): {
  hasBreaker?: true;
} {
  return breaker === true ? { hasBreaker: true } : {};
}

/** For nodes whose output may be longer than Errand keeps. */
export const truncatingShape = exampled(
  {
    on_truncated: choice(
      'What happens when an output is longer than Errand keeps. Default: fail.',
      ['fail', 'keep'],
    ).optional(),
  },
  { on_truncated: 'keep' },
);

export function planTruncating(node: FromShape<typeof truncatingShape>): {
  keepsTruncated?: true;
} {
  return node.on_truncated === 'keep' ? { keepsTruncated: true } : {};
}

/** For nodes that call a function or a tool; `idempotent: false` overrides its declaration. */
export function planCalling(node: {
  readonly arguments?: JsonObject | undefined;
  readonly idempotent?: boolean | undefined;
}): Calling {
  return {
    arguments: node.arguments ?? {},
    isIdempotent: node.idempotent ?? false,
    ...(node.idempotent === false ? { isNeverRepeated: true } : {}),
  };
}

/** For every node type but `terminate`. */
export const stepShape = { ...namedShape, ...inputShape, ...raisingShape, ...routedShape };

export const answeringShape = exampled(
  {
    output: fieldList.optional(),
    output_schema: jsonMap('The JSON Schema of the output.').optional(),
  },
  {
    output: { label: { type: 'string' } },
    output_schema: { type: 'object', properties: { label: { type: 'string' } } },
  },
);

export const spendingShape = exampled(
  {
    model: modelSchema
      .describe('The model, or a fallback chain. Default: `default_model`.')
      .optional(),
    provider: text(
      'The provider of a model that names none. Default: `runtime.provider`.',
    ).optional(),
    reasoning: strict(
      '`reasoning`',
      'How the model thinks.',
      {
        effort: choice(
          'How much it thinks before it replies. Default: `default_reasoning_effort`.',
          REASONING_EFFORTS,
        ),
      },
      { effort: 'high' },
    ).optional(),
    system_prompt: anyText('The system prompt of the model.').optional(),
    temperature: number('The sampling temperature.', { min: 0, max: 2 }).optional(),
    max_tokens: wholeNumber('The longest reply, in tokens.', {
      min: 1,
      max: 10_000_000,
    }).optional(),
    budget: strict(
      '`budget`',
      'What the node may spend.',
      {
        usd: number('The most that it may cost, in US dollars.', {
          min: 0,
          max: 1_000_000_000,
        }).optional(),
        tokens: wholeNumber('The most tokens that it may use, input and output together.', {
          min: 0,
        }).optional(),
      },
      { usd: 0.5, tokens: 20_000 },
    ).optional(),
  },
  {
    model: ['anthropic/claude-sonnet-5', 'openai/gpt-5.1'],
    provider: 'anthropic',
    system_prompt: 'You label support tickets.',
    temperature: 0.2,
    max_tokens: 2000,
  },
);

export type StepFile = FromShape<typeof stepShape> & Partial<FromShape<typeof timeoutShape>>;

/** The fingerprint follows when the whole node is planned. */
type StepPlan = Omit<NodeBase, 'fingerprint'>;

export function planStep(
  node: Partial<StepFile> & { name: string },
  path: Path,
  planner: Planner,
): StepPlan {
  return omitUndefined({
    name: node.name,
    description: node.description,
    input: node.input,
    assert: (node.assert ?? []).map((assertion, index) =>
      omitUndefined({
        index,
        that: assertion.that,
        raise: assertion.raise ?? 'assert.failed',
        message: assertion.message,
        ...planner.location([...path, 'assert', index]),
      }),
    ),
    raises: node.raises === undefined ? undefined : [...new Set(node.raises)],
    timeoutMs: node.timeout_seconds === undefined ? undefined : secondsToMs(node.timeout_seconds),
    routes: (node.routes ?? []).map((route, index) =>
      planRoute(route, index, planner.location([...path, 'routes', index])),
    ),
    location: planner.location(path),
  });
}

export function planAnswering(node: FromShape<typeof answeringShape>): {
  outputSchema?: JsonObject;
} {
  const outputSchema =
    node.output === undefined ? node.output_schema : fieldListToSchema(node.output);
  return omitUndefined({ outputSchema });
}

export function planSpending(node: FromShape<typeof spendingShape>, planner: Planner): Spending {
  const { budget } = node;
  const usdMicros = budget?.usd === undefined ? undefined : usdToMicros(budget.usd);
  return omitUndefined({
    model: planModel(node, planner),
    reasoning: node.reasoning?.effort,
    systemPrompt: node.system_prompt,
    temperature: node.temperature,
    maxTokens: node.max_tokens,
    budget: budget === undefined ? undefined : omitUndefined({ usdMicros, tokens: budget.tokens }),
  });
}

/** A provider of the node's own changes the default model too. */
function planModel(
  { model, provider }: FromShape<typeof spendingShape>,
  planner: Planner,
): readonly ModelEntry[] | undefined {
  if (provider === undefined)
    return model === undefined ? undefined : toChain(model, planner.provider);
  const own = model ?? planner.defaults.model;
  return own === undefined ? undefined : toChain(own, providerNamed(provider).name);
}
