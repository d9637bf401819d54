/** Rows of the cost ledger: one for each call of an effect, including failed and abandoned ones. */
import { isPlainObject } from '../../errors/support/safe-json.ts';
import type { RunEvent, Usage } from '../../machine/state/events.ts';
import type { ModelReply } from '../../machine/conversation/model-message.ts';
import { isTurnedAway } from '../../machine/decide/failure-reports.ts';
import { isCostUnknown } from '../../machine/policy/spending.ts';
import type { PendingCall } from './view.ts';

export interface LedgerRow {
  readonly node: string;
  readonly path: string;
  readonly type: string;
  readonly target: string;
  /** The model that replied, where it differs from the requested one. */
  readonly answeredBy?: string;
  /** Attempt of the effect, from 0. */
  readonly attempt: number;
  readonly kind?: string;
  readonly outcome: 'succeeded' | 'failed' | 'partial' | 'unknown' | 'not_started';
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedTokens: number;
  readonly cacheWriteTokens: number;
  readonly reasoningTokens: number;
  readonly costUsdMicros: number;
  readonly estimated: boolean;
  /** No price is known for the model, so the cost is 0. */
  readonly unpriced?: true;
  readonly latencyMs: number;
  readonly rule?: string;
}

type Settled = Extract<RunEvent, { type: 'effect:succeeded' | 'effect:failed' }>;

/** Whether something was executed, so that there is a row for it. */
export function isExecuted(event: Settled): boolean {
  if (event.replayed === true) return false;
  return event.type === 'effect:failed' ? !isTurnedAway(event) : event.given !== true;
}

/** A reply did not match its schema: it is sent back, or the node fails. */
export function isSentBack(event: RunEvent): boolean {
  if (event.type === 'effect:requested') return event.isCorrection === true;
  return event.type === 'node:failed' && OFF_SCHEMA.has(event.error.kind);
}

const OFF_SCHEMA: ReadonlySet<string> = new Set(['agent.output_invalid', 'supervisor.routing']);

/** Whether the judge of the agent has refused its output. */
export function isRefused(event: RunEvent): boolean {
  if (event.type === 'effect:requested') return event.isRejected === true;
  return event.type === 'node:failed' && event.error.kind === 'agent.output_rejected';
}

/** A reply without tool calls. */
export function isWords(event: Settled): boolean {
  if (event.type === 'effect:failed' || event.effect.type !== 'model') return false;
  // the output of a model effect
  const { toolCalls } = event.output as unknown as Partial<ModelReply>;
  // a long reply may have been left out of an event
  return toolCalls === undefined || toolCalls.length === 0;
}

export function rowOf(event: Settled, requested: PendingCall | undefined): LedgerRow {
  const { node, path, effect, usage } = event;
  const startedMs = Date.parse(requested?.at ?? event.at);
  const isUnknown = isCostUnknown(event);
  const failure =
    event.type === 'effect:failed'
      ? {
          kind: event.error.kind,
          outcome: event.error.outcome,
          ...(event.error.rule === undefined ? {} : { rule: event.error.rule.id }),
        }
      : { outcome: 'succeeded' as const };
  return {
    node,
    path,
    type: effect.type,
    target: effect.target,
    ...answeredBy(event),
    attempt: requested?.attempt ?? 0,
    ...failure,
    ...(isUnknown ? estimatedTokens(requested?.reserves) : tokensIn(usage)),
    cachedTokens: usage?.cachedTokens ?? 0,
    cacheWriteTokens: usage?.cacheWriteTokens ?? 0,
    reasoningTokens: usage?.reasoningTokens ?? 0,
    costUsdMicros: event.costUsdMicros ?? (isUnknown ? (requested?.reserves?.usdMicros ?? 0) : 0),
    estimated: event.estimated === true || isUnknown,
    ...(isUnpriced(event) ? { unpriced: true } : {}),
    latencyMs: Date.parse(event.at) - startedMs,
  };
}

function isUnpriced({ effect, usage, costUsdMicros }: Settled): boolean {
  const tokens = (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0);
  return effect.type === 'model' && tokens > 0 && costUsdMicros === undefined;
}

function answeredBy(event: Settled): Pick<LedgerRow, 'answeredBy'> {
  const output = event.type === 'effect:succeeded' ? event.output : undefined;
  const name = isPlainObject(output) ? output['answeredBy'] : undefined;
  return event.effect.type === 'model' && typeof name === 'string' ? { answeredBy: name } : {};
}

type Tokens = Pick<LedgerRow, 'inputTokens' | 'outputTokens'>;

function tokensIn({ inputTokens = 0, outputTokens = 0 }: Usage = {}): Tokens {
  return { inputTokens, outputTokens };
}

/** The amount that the budget counts for a call whose usage nobody reported. */
function estimatedTokens({ tokens, inputTokens = tokens }: Reserved = NOTHING): Tokens {
  return { inputTokens, outputTokens: tokens - inputTokens };
}

type Reserved = NonNullable<PendingCall['reserves']>;

const NOTHING: Reserved = { usdMicros: 0, tokens: 0 };

/** The row of a call that has not ended: it counts with its estimate. */
export function openRow({ node, path, type, target, attempt, reserves }: PendingCall): LedgerRow {
  return {
    node,
    path,
    type,
    target,
    attempt,
    outcome: 'unknown',
    ...estimatedTokens(reserves),
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    costUsdMicros: reserves?.usdMicros ?? 0,
    estimated: true,
    latencyMs: 0,
  };
}
