/**
 * The fate of one call of an effect. It is drawn from its input and from how many of its results
 * were stored before, not from what ran around it: a run that was killed and resumed meets the same
 * world.
 */
import {
  isArray,
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../errors/support/safe-json.ts';
import type { ReportDraft } from '../../errors/report/report.ts';
import type { EffectContext, EffectResult } from '../../effects/effect-port.ts';
import type { EffectRequest } from '../../machine/decide/effect-request.ts';
import { kindsOf } from '../../workflow/check/handled-kinds.ts';
import type { FilePlan, SimulatedAnswer } from '../../workflow/plan/plan.ts';
import type { FaultPlan } from './faults.ts';
import { drawModelFailure, type Speaker } from './model-fate.ts';
import type { Random } from './random.ts';

/** The reaction of an effect to an abort. */
export type WhenStopped = 'finishes' | 'gives up' | 'ignores it';

export type Fate = {
  readonly latencyMs: number;
  /** It ends before everything else that ends at the same time. */
  readonly isFirst?: boolean;
  /** From the abort to the end. */
  readonly stopMs: number;
  /** Ignores the abort, and its outcome is unknown; for a model: its usage. */
  readonly isDeaf: boolean;
  /** Finishes its work in spite of the abort, within the time that it has for stopping. */
  readonly isStubborn: boolean;
  /** The result if it succeeds. */
  readonly output: JsonValue;
} &
  /** Wholly or in part; `errors` explains a partial result. */
  (
    | { readonly type: 'succeeds'; readonly errors?: readonly ReportDraft[] }
    /** A model's reply: this one, or whatever fits. */
    | { readonly type: 'speaks'; readonly answer: SimulatedAnswer | undefined }
    | { readonly type: 'fails'; readonly failure: ReportDraft; readonly part?: JsonValue }
    | { readonly type: 'loses its reply'; readonly failure: ReportDraft }
    | { readonly type: 'hangs' }
    | { readonly type: 'throws' }
    /** Really evaluated, outside the time of this world. */
    | { readonly type: 'evaluates'; readonly evaluate: Evaluate }
  );

export type Evaluate = (context: EffectContext) => Promise<EffectResult>;

/** Decided by the machine or by the engine, never by an effect. */
const NOT_RAISED = new Set([
  'effect.outcome_unknown',
  'validation.template',
  'limit.node_timeout',
  'internal.script_timeout',
  'breaker.open',
  'route.guard_failed',
  'route.no_match',
]);

/**
 * Failures of a provider that a function calls, with the requested waits. The breaker is the
 * function's own, so the function was called all the same.
 */
const PROVIDER_FAILURES: readonly ReportDraft[] = [
  { kind: 'breaker.open', message: 'The breaker of the function is open', outcome: 'failed' },
  { kind: 'provider.overloaded', message: 'The model is overloaded' },
  {
    kind: 'provider.rate_limited',
    message: 'Too many requests',
    provider: { retryAfterMs: 7000 },
  },
  {
    kind: 'provider.rate_limited',
    message: 'Too many requests today',
    provider: { retryAfterMs: 600_000 },
  },
];

/** Failures of a tool itself; all others are decided before it is called. */
const TOOL_KINDS = [
  'tool.failed',
  'tool.failed',
  'tool.busy',
  'tool.timeout',
  'tool.unavailable',
  'tool.output_malformed',
  'mcp.unreachable',
  'mcp.tool_failed',
];

/** Kinds of an author who declared none. */
const AUTHOR_KINDS = ['order.missing', 'order.late', 'stock.empty'];

export interface FateOptions {
  readonly plan: FilePlan;
  readonly faults: FaultPlan;
  /** The result when nothing goes wrong. */
  readonly output: JsonValue;
  /** Replies of models that have no script. Default: whatever fits. */
  readonly speaker: Speaker | undefined;
}

export function drawFate(request: EffectRequest, options: FateOptions, random: Random): Fate {
  const { faults, output } = options;
  const { type } = request.work;
  const how = {
    latencyMs: random.chance(0.2) ? random.int(20_000) : random.int(50),
    stopMs: random.chance(0.3) ? random.int(2000) : 0,
    isDeaf: type !== 'script' && type !== 'transform' && random.chance(0.2),
    isStubborn: type !== 'model' && random.chance(0.4),
    output,
  };
  if (request.work.type === 'model') return drawModelFate(request, options, { how, random });
  const isPartial = random.chance(faults.partial) && (type === 'call' || type === 'tool');
  const errors = isPartial ? { errors: random.pick(MISSING) } : {};
  const draw = random.next();
  const failure = drawFailure(request, options.plan, random);
  const bounds = [faults.effectFails, faults.replyLost, faults.effectHangs, faults.effectThrows];
  switch (bounds.findIndex((_, index) => draw < total(bounds.slice(0, index + 1)))) {
    case 0:
      return { ...how, type: 'fails', failure };
    case 1:
      // without side effects the outcome is never unknown
      return request.work.type === 'transform'
        ? { ...how, type: 'fails', failure }
        : { ...how, type: 'loses its reply', failure: lostReply(request, random) };
    case 2:
      return { ...how, type: 'hangs' };
    case 3:
      return { ...how, type: 'throws' };
    default:
      return { ...how, type: 'succeeds', ...errors };
  }
}

/** Errors that an author or an SDK attaches to a partial result; some contain secrets. */
const MISSING: readonly (readonly ReportDraft[])[] = [
  [{ kind: 'page.gone', message: 'Page 4 is gone' }],
  [
    { kind: 'page.gone', message: 'Page 4 is gone' },
    { kind: 'page.gone', message: 'Page 5 is gone', details: { page: 5 } },
    { kind: 'tool.failed', message: 'Page 6 cannot be read', retryable: null },
  ],
];

interface Drawing {
  readonly how: Omit<Extract<Fate, { type: 'succeeds' }>, 'type'>;
  readonly random: Random;
}

function drawModelFate(
  request: EffectRequest,
  { faults, speaker }: FateOptions,
  { how, random }: Drawing,
): Fate {
  const draw = random.next();
  const bounds = [faults.modelFails, faults.replyLost, faults.effectHangs, faults.effectThrows];
  switch (bounds.findIndex((_, index) => draw < total(bounds.slice(0, index + 1)))) {
    case 0:
      return { ...how, type: 'speaks', answer: drawModelFailure(random) };
    case 1:
      return { ...how, type: 'loses its reply', failure: lostReply(request, random) };
    case 2:
      return { ...how, type: 'hangs' };
    case 3:
      return { ...how, type: 'throws' };
    default: {
      const call = request.work.type === 'model' ? request.work.call : undefined;
      const answer = call?.simulated ?? (call === undefined ? undefined : speaker?.(call, random));
      return { ...how, type: 'speaks', answer };
    }
  }
}

/** Applies a time limit, as the real effects do. */
export function timeoutFailure(
  { work, node, isIdempotent, server }: EffectRequest,
  { isDeaf, isOfTool }: Pick<Fate, 'isDeaf'> & { readonly isOfTool: boolean },
): ReportDraft {
  const message = `${node.name} ran longer than its time limit`;
  switch (work.type) {
    case 'script':
      return { kind: 'internal.script_timeout', message };
    case 'transform':
      return { kind: 'sandbox.timeout', message };
    case 'call':
    case 'tool': {
      // a server finishes a request even when the caller is gone
      const isUnknown = !isIdempotent && (isDeaf || server !== undefined);
      const kind = isOfTool ? 'tool.timeout' : 'limit.node_timeout';
      const isAmbiguous = isOfTool && !isIdempotent;
      return {
        kind,
        message,
        outcome: isUnknown ? 'unknown' : 'partial',
        ...(isAmbiguous ? { category: 'ambiguous' as const, retryable: false } : {}),
      };
    }
    case 'model':
      return { kind: 'provider.timeout', message };
  }
}

/** A value that fits the schema of the node, as far as its types go. */
export function exampleOutput({ work, node }: EffectRequest, random: Random): JsonValue {
  const schema = 'outputSchema' in node && node.type !== 'agent' ? node.outputSchema : undefined;
  const fields = schema === undefined ? { n: random.int(4) } : exampleOf(schema, random);
  return work.type === 'script' && isJsonObject(fields)
    ? { stdout: '', stderr: '', exit_code: 0, ...fields }
    : fields;
}

function drawFailure(request: EffectRequest, plan: FilePlan, random: Random): ReportDraft {
  const { node, work } = request;
  if (work.type === 'call' && random.chance(0.3)) return random.pick(PROVIDER_FAILURES);
  const known =
    work.type === 'tool'
      ? TOOL_KINDS
      : kindsOf(node, plan, () => []).filter((kind) => !NOT_RAISED.has(kind));
  const isFree = node.raises === undefined && work.type !== 'transform';
  const kind = random.pick(isFree && random.chance(0.5) ? AUTHOR_KINDS : known);
  return { kind, message: `${node.name} fails with ${kind}` };
}

function lostReply({ work, node }: EffectRequest, random: Random): ReportDraft {
  return {
    kind: random.pick(LOST_KINDS[work.type]),
    message: `The reply of ${node.name} was lost`,
    outcome: 'unknown',
  };
}

/** A function that aborts its own request throws a cancellation that the run did not cause. */
const LOST_KINDS: Readonly<Record<EffectRequest['work']['type'], readonly string[]>> = {
  script: ['internal.script_error'],
  call: ['call.failed', 'cancelled.call'],
  tool: ['tool.failed', 'cancelled.tool'],
  transform: ['sandbox.runtime'],
  model: ['provider.outcome_unknown'],
};

function exampleOf(schema: JsonObject, random: Random): JsonValue {
  const choices = schema['enum'];
  if (isArray(choices) && choices.length > 0) return random.pick(choices);
  switch (schema['type']) {
    case 'object': {
      const { properties } = schema;
      if (!isJsonObject(properties)) return {};
      const fields = Object.entries(properties).map(([name, field]): [string, JsonValue] => [
        name,
        isJsonObject(field) ? exampleOf(field, random) : null,
      ]);
      return Object.fromEntries(fields);
    }
    case 'array':
      return [];
    case 'number':
    case 'integer':
      return random.int(4);
    case 'boolean':
      return random.chance(0.5);
    default:
      return 'simulated';
  }
}

function total(list: readonly number[]): number {
  return list.reduce((sum, value) => sum + value, 0);
}
