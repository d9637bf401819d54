/** Failures of agents and supervisors: at the model, by its replies, by clock, price or turns. */
import { isReservedKind } from '../../errors/catalog/kinds.ts';
import type { JsonObject } from '../../errors/support/safe-json.ts';
import type { ModelCall } from '../../machine/conversation/model-message.ts';
import { offeredTools } from '../../machine/conversation/agent-tools.ts';
import { BUILT_IN_TOOLS } from '../../workflow/plan/built-in-tools.ts';
import { TRANSIENT_KINDS } from '../../workflow/plan/attempt-bound.ts';
import type { SimulatedAnswer } from '../../workflow/plan/plan.ts';
import { isNamed } from '../../workflow/check/routing.ts';
import type { Place } from '../places/atlas.ts';
import { madeUp } from '../values/made-up.ts';
import { runtimeOf } from '../values/world-values.ts';
import { lostReply } from './effect-recipes.ts';
import { draftOf } from './drafts.ts';
import { at, type RecipeContext } from './recipe-context.ts';
import type { How, Recipe } from './strike.ts';

type Reply = Extract<How, { type: 'model' }>['reply'];

export function modelRecipes(
  context: RecipeContext,
  place: Place,
  kind: string,
): readonly Recipe[] {
  if (kind === 'effect.outcome_unknown') return lostTool(context, place, kind);
  const reply = replyFor(context, place, kind);
  return reply === undefined ? [] : [at(place, kind, { type: 'model', reply })];
}

function replyFor(context: RecipeContext, place: Place, kind: string): Reply | undefined {
  const { node } = place;
  switch (kind) {
    case 'provider.exhausted':
      return () => fails(transientOf(place));
    case 'provider.stream_interrupted':
      return () => ({ type: 'stream', chunks: ['rehearsed'], isCut: true, delayMs: 0 });
    case 'limit.node_timeout':
      return node.timeoutMs === undefined ? undefined : () => ({ type: 'hangs' });
    case 'agent.output_invalid':
    case 'supervisor.routing':
      return context.values.schemaOf(place) === undefined && node.type === 'agent'
        ? undefined
        : () => says('off the schema');
    case 'internal.envelope_invalid':
      return () => says({ errand_error: true });
    case 'limit.turns':
      return (call) =>
        node.type === 'supervisor' ? says({ next: node.manages[0] ?? '' }) : callsATool(call);
    case 'limit.budget':
      return overBudget(place);
    default:
      break;
  }
  if (kind.startsWith('provider.')) {
    const { message } = draftOf(place, kind, context.details);
    return () => fails(kind, message);
  }
  if (isReservedKind(kind)) return undefined;
  const { message, details } = draftOf(place, kind, context.details);
  // true: details of a draft are what the plan has for the kind
  const carried = details === undefined ? {} : { details: details as JsonObject };
  return () => says({ errand_error: true, kind, message, ...carried });
}

function says(
  answer: SimulatedAnswer extends never ? never : JsonObject | string,
): SimulatedAnswer {
  return { type: 'answer', answer, delayMs: 0 };
}

function fails(kind: string, message?: string): SimulatedAnswer {
  return { type: 'fail', fail: message === undefined ? { kind } : { kind, message }, delayMs: 0 };
}

/** A kind that no route takes over, so that the whole chain is tried. */
function transientOf({ node, file }: Place): string {
  const routes = [...node.routes, ...file.plan.onError];
  const free = TRANSIENT_KINDS.find((kind) => !routes.some((route) => isNamed(route, kind)));
  return free ?? 'provider.overloaded';
}

/** Undefined without a tool: it then replies undisturbed. */
function callsATool({ tools }: ModelCall): SimulatedAnswer | undefined {
  const tool = tools.find(({ name }) => !BUILT_IN_TOOLS.includes(name));
  if (tool === undefined) return undefined;
  return {
    type: 'tool_calls',
    delayMs: 0,
    calls: [{ name: tool.name, arguments: argumentsOf(tool.inputSchema) }],
  };
}

function argumentsOf(schema: JsonObject): JsonObject {
  const made = madeUp(schema);
  return typeof made === 'object' && made !== null && !Array.isArray(made)
    ? (made as JsonObject)
    : {};
}

/**
 * The first reply does not match its schema and uses up the budget, so that the next call is one
 * too many.
 */
function overBudget({ node, file }: Place): Reply | undefined {
  if (node.type !== 'agent' || node.outputSchema === undefined || node.budget === undefined)
    return undefined;
  const { tokens, usdMicros = 0 } = node.budget;
  const price = runtimeOf(file)?.simulatePrice.inputUsdMicrosPerMtok ?? 0;
  const inputTokens =
    tokens ?? (price === 0 ? undefined : Math.ceil((usdMicros / price) * 1_000_000));
  if (inputTokens === undefined) return undefined;
  return () => ({
    type: 'answer',
    answer: 'off the schema',
    usage: { inputTokens, outputTokens: 0 },
    delayMs: 0,
  });
}

/** The first tool that the agent may call and that must not be repeated. */
export function doubtfulTool(
  { atlas }: Pick<RecipeContext, 'atlas'>,
  { node, file }: Place,
): string | undefined {
  if (node.type !== 'agent') return undefined;
  const tools = atlas.plan.tools?.[file.caller === undefined ? '' : file.plan.file] ?? {};
  return offeredTools(node, tools).find(([, { isIdempotent }]) => !isIdempotent)?.[0];
}

function lostTool(context: RecipeContext, place: Place, kind: string): readonly Recipe[] {
  const tool = doubtfulTool(context, place);
  if (tool === undefined) return [];
  return [
    at(place, kind, {
      type: 'tool',
      tool,
      call: (request) => ({ type: 'loses its reply', failure: lostReply(place, request) }),
    }),
  ];
}
