/** Cost ledger of a run: one row for each call of each effect, including failed and abandoned ones. */
import { isPlainObject } from '../errors/support/safe-json.ts';
import type { RunEvent, Usage } from '../machine/state/events.ts';
import type { ModelReply } from '../machine/conversation/model-message.ts';
import { isTurnedAway } from '../machine/decide/failure.ts';
import { isCostUnknown } from '../machine/policy/spending.ts';

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
  /** The latest reply without tool calls, by path; it may still be sent back. */
  const answers = new Map<string, LedgerRow>();
  for (const event of events) {
    if (isSentBack(event)) {
      const answer = answers.get(event.path);
      if (answer !== undefined) sentBack.add(answer);
    }
    if (event.type === 'effect:requested') {
      // repeated after a crash: the first call has no result
      const lost = open.get(event.effect.key);
      if (lost !== undefined) attempts.push(abandoned(lost));
      // the same call, so its reserved amount is the same
      const reserves = event.reserves ?? lost?.reserves;
      open.set(event.effect.key, reserves === undefined ? event : { ...event, reserves });
    }
    if (event.type !== 'effect:succeeded' && event.type !== 'effect:failed') continue;
    const requested = open.get(event.effect.key);
    open.delete(event.effect.key);
    if (event.type === 'effect:failed' && isTurnedAway(event)) continue;
    // nothing was executed for it
    if (event.replayed === true) continue;
    if (event.type === 'effect:succeeded' && event.given === true) continue;
    const row = rowOf(event, requested);
    attempts.push(row);
    if (isWords(event)) answers.set(event.path, row);
    else if (event.effect.type === 'model') answers.delete(event.path);
  }
  // requested and never ended: it counts with its estimate
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

/** A reply did not match its schema: it is sent back, or the node fails. */
function isSentBack(event: RunEvent): event is RunEvent & { readonly path: string } {
  if (event.type === 'effect:requested') return event.isCorrection === true;
  return event.type === 'node:failed' && OFF_SCHEMA.has(event.error.kind);
}

const OFF_SCHEMA: ReadonlySet<string> = new Set(['agent.output_invalid', 'supervisor.routing']);

function isWords(event: Settled): boolean {
  if (event.type === 'effect:failed' || event.effect.type !== 'model') return false;
  // the output of a model effect
  return (event.output as unknown as ModelReply).toolCalls.length === 0;
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

type Reserved = NonNullable<Requested['reserves']>;

const NOTHING: Reserved = { usdMicros: 0, tokens: 0 };

function abandoned({ node, path, effect, attempt, reserves }: Requested): LedgerRow {
  return {
    node,
    path,
    type: effect.type,
    target: effect.target,
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
