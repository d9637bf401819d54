/** The bill of a run: one row for each attempt of each effect, failed and abandoned ones included. */
import { isPlainObject } from '../errors/json.ts';
import type { RunEvent } from './events.ts';
import type { ModelAnswer } from './model-call.ts';
import { isTurnedAway } from './failure.ts';
import { isCostUnknown } from './spending.ts';

export interface LedgerRow {
  readonly node: string;
  readonly path: string;
  readonly type: string;
  readonly target: string;
  /** The model that answered, where the provider says another than was asked. */
  readonly answeredBy?: string;
  /** Of the effect, from 0. */
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
  /** Nobody has said what the model costs, so the cost is 0. */
  readonly unpriced?: true;
  readonly latencyMs: number;
  readonly rule?: string;
}

export interface Costs {
  readonly totalUsdMicros: number;
  readonly failedUsdMicros: number;
  readonly attempts: readonly LedgerRow[];
}

type Requested = Extract<RunEvent, { type: 'effect:requested' }>;
type Settled = Extract<RunEvent, { type: 'effect:succeeded' | 'effect:failed' }>;

export function costsOf(events: Iterable<RunEvent>): Costs {
  const open = new Map<string, Requested>();
  const attempts: LedgerRow[] = [];
  const sentBack = new Set<LedgerRow>();
  /** By path: the latest answer in words, which may still be sent back. */
  const answers = new Map<string, LedgerRow>();
  for (const event of events) {
    if (isSentBack(event)) {
      const answer = answers.get(event.path);
      if (answer !== undefined) sentBack.add(answer);
    }
    if (event.type === 'effect:requested') {
      // asked again after a crash: the first one was never heard of
      const lost = open.get(event.effect.key);
      if (lost !== undefined) attempts.push(abandoned(lost));
      // the same call, so what was set aside for it is the same
      const reserves = event.reserves ?? lost?.reserves;
      open.set(event.effect.key, reserves === undefined ? event : { ...event, reserves });
    }
    if (event.type !== 'effect:succeeded' && event.type !== 'effect:failed') continue;
    const requested = open.get(event.effect.key);
    open.delete(event.effect.key);
    if (event.type === 'effect:failed' && isTurnedAway(event.error)) continue;
    // nothing was done for it
    if (event.type === 'effect:succeeded' && (event.replayed ?? event.given) === true) continue;
    const row = rowOf(event, requested);
    attempts.push(row);
    if (isWords(event)) answers.set(event.path, row);
    else if (event.effect.type === 'model') answers.delete(event.path);
  }
  // asked for and never heard of again: it is on the bill as what it is
  for (const requested of open.values()) attempts.push(abandoned(requested));
  const cost = (rows: readonly LedgerRow[]): number =>
    rows.reduce((sum, row) => sum + row.costUsdMicros, 0);
  return {
    totalUsdMicros: cost(attempts),
    failedUsdMicros: cost(
      attempts.filter((row) => row.outcome !== 'succeeded' || sentBack.has(row)),
    ),
    attempts,
  };
}

/** An answer was off its schema: the model is asked again, or the node has failed by it. */
function isSentBack(event: RunEvent): event is RunEvent & { readonly path: string } {
  if (event.type === 'effect:requested') return event.isCorrection === true;
  return event.type === 'node:failed' && OFF_SCHEMA.has(event.error.kind);
}

const OFF_SCHEMA: ReadonlySet<string> = new Set(['agent.output_invalid', 'supervisor.routing']);

function isWords(event: Settled): boolean {
  if (event.type === 'effect:failed' || event.effect.type !== 'model') return false;
  // what a model effect gives
  return (event.output as unknown as ModelAnswer).toolCalls.length === 0;
}

function rowOf(event: Settled, requested: Requested | undefined): LedgerRow {
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
    inputTokens: usage?.inputTokens ?? 0,
    outputTokens: usage?.outputTokens ?? 0,
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

function abandoned({ node, path, effect, attempt, reserves }: Requested): LedgerRow {
  return {
    node,
    path,
    type: effect.type,
    target: effect.target,
    attempt,
    outcome: 'unknown',
    inputTokens: 0,
    outputTokens: 0,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
    costUsdMicros: reserves?.usdMicros ?? 0,
    estimated: true,
    latencyMs: 0,
  };
}
