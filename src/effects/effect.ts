/**
 * The port of everything that is done in the world. An effect does one try and says how it ended; it
 * decides nothing: no retry, no route, no repeat. It never rejects, and when it settles nothing that
 * it started is still running, except where its failure says so (`outcome: 'unknown'`).
 */
import type { JsonValue } from '../errors/json.ts';
import type { Redactor } from '../errors/redact.ts';
import type { ReportDraft } from '../errors/report.ts';
import { toReport } from '../errors/to-report.ts';
import type { Usage } from '../machine/events.ts';
import type { EffectClock } from './clock.ts';

export type CancellationKind =
  | 'cancelled.run'
  | 'cancelled.node'
  | 'cancelled.tool'
  | 'cancelled.call';

export interface EffectContext {
  /** Aborted when the work is no longer wanted. */
  readonly signal: AbortSignal;
  /** Of this effect; 0 for the first. */
  readonly attempt: number;
  /** The same for every try of the same action. */
  readonly idempotencyKey: string;
  readonly run: string;
  readonly node: string;
  /** Through groups and sub-workflows. */
  readonly path: string;
  /** Knows the configured key values. */
  readonly redactor: Redactor;
  /** What an abort is called. Default: what fits the effect. */
  readonly cancelled?: CancellationKind;
  /** Default: the machine's own. */
  readonly clock?: EffectClock;
  /** Hears what a function tells while it works. Ephemeral. */
  readonly progress?: (value: JsonValue) => void;
}

/** A fault beside the result that nobody has to act on, but that must not vanish. */
export interface Suppressed {
  readonly failure: ReportDraft;
  readonly reason: string;
  /** Nothing has failed: it is something to know. */
  readonly isWarning?: true;
}

/** What an effect has used, as far as it is known. */
export interface Used {
  readonly usage?: Usage;
  /** The counts are ours, not the provider's. */
  readonly isEstimated?: boolean;
}

export interface EffectSuccess extends Used {
  readonly ok: true;
  readonly output: JsonValue;
  /** Why the output is only a part of what was asked for; never mixed into it. */
  readonly errors?: readonly ReportDraft[];
  readonly suppressed?: readonly Suppressed[];
}

export interface EffectFailure extends Used {
  readonly ok: false;
  readonly failure: ReportDraft;
  /** What there was of an output. */
  readonly output?: JsonValue;
  /** Whoever did it is gone without a word: it may be asked for again where that is safe. */
  readonly isLost?: boolean;
  /** For the internal record only: it may hold stacks, paths and secrets. */
  readonly thrown?: unknown;
  readonly suppressed?: readonly Suppressed[];
}

export type EffectResult = EffectSuccess | EffectFailure;

export type Effect<Request> = (request: Request, context: EffectContext) => Promise<EffectResult>;

/** An effect that keeps the promise of this file even where it has a bug. */
export function neverRejecting<Request>(effect: Effect<Request>): Effect<Request> {
  return (request, context) => resultOf(() => effect(request, context), context);
}

/** Of one try: what it throws is a failure too. */
export async function resultOf(
  run: () => Promise<EffectResult>,
  { redactor }: Pick<EffectContext, 'redactor'>,
): Promise<EffectResult> {
  try {
    return await run();
  } catch (thrown) {
    return { ok: false, failure: toDraft(toReport(thrown, { redactor })), thrown };
  }
}

/** The failure that an abort before the first step amounts to. */
export function cancelledBefore(kind: CancellationKind): EffectFailure {
  const message = 'The work was cancelled before it began';
  return { ok: false, failure: { kind, message, outcome: 'not_started' } };
}

/** Without the facts that whoever records the failure gives it. */
export function toDraft(report: ReportDraft): ReportDraft {
  const { id: _id, at: _at, ...draft } = report;
  return draft;
}
