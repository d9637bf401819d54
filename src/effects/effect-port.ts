/**
 * The port for everything that acts on the world. An effect makes one attempt and returns its result; it
 * decides nothing: no retry, no route, no repeat. It never rejects. When it settles, nothing that it
 * started is still running, unless its failure says so (`outcome: 'unknown'`).
 */
import type { RuntimeKind } from '../errors/catalog/catalog.ts';
import { buildReport } from '../errors/report/build.ts';
import { PROBLEM_RULE } from '../errors/report/read-problem.ts';
import type { JsonValue } from '../errors/support/safe-json.ts';
import type { Redactor } from '../errors/redaction/redact.ts';
import type { ReportDraft, Stamp } from '../errors/report/report.ts';
import { ambientStamp } from '../errors/thrown/stamp.ts';
import { thrownDraft } from '../errors/thrown/to-report.ts';
import { endsTheRun } from '../machine/decide/unroutable.ts';
import type { Used } from '../providers/pricing/counted-usage.ts';
import type { KeptBackBy } from '../machine/state/events.ts';
import type { TraceCarrier } from '../machine/ports/trace-carrier.ts';
import type { EffectClock } from './clock.ts';

export type CancellationKind =
  | 'cancelled.run'
  | 'cancelled.node'
  | 'cancelled.tool'
  | 'cancelled.call';

/** Facts about a call, observed while it runs; no event stores them. */
export interface CallObservation {
  readonly responseId?: string;
  readonly timeToFirstChunkMs?: number;
  readonly mcpProtocolVersion?: string;
  readonly pid?: number;
}

export interface EffectContext {
  /** Aborted when the work is no longer wanted. */
  readonly signal: AbortSignal;
  /** Attempt of this effect, from 0. */
  readonly attempt: number;
  /** The same for every attempt of the same action. */
  readonly idempotencyKey: string;
  readonly run: string;
  readonly node: string;
  /** Path of the node through groups and sub-workflows. */
  readonly path: string;
  /** Removes the configured key values. */
  readonly redactor: Redactor;
  /** The kind of failure that an abort becomes. Default: the one of the effect. */
  readonly cancelled?: CancellationKind;
  /** Default: the clock of this computer. */
  readonly clock?: EffectClock;
  /** Receives the progress of a running effect. It is not stored. */
  readonly progress?: (value: JsonValue) => void;
  /** The trace that this attempt belongs to, for what it starts or asks outside this process. */
  readonly trace?: TraceCarrier | undefined;
  /** Receives what only a trace shows. Never throws. */
  readonly observe?: ((seen: CallObservation) => void) | undefined;
}

/** A fault besides the result: it needs no action, but it is recorded. */
export interface Suppressed {
  readonly failure: ReportDraft;
  readonly reason: string;
  /** Nothing failed; this is only a warning. */
  readonly isWarning?: true;
}

export interface EffectSuccess extends Used {
  readonly ok: true;
  readonly output: JsonValue;
  /** Why the output is only a part of the requested one; never mixed into it. */
  readonly errors?: readonly ReportDraft[];
  readonly suppressed?: readonly Suppressed[];
  /** Nothing was executed: this is the recorded result of an earlier call, which is good now. */
  readonly isReplayed?: true;
}

export interface EffectFailure extends Used {
  readonly ok: false;
  readonly failure: ReportDraft;
  /** Set by the engine's own breaker or guards, and by nothing that an effect throws or receives. */
  readonly keptBack?: KeptBackBy;
  /** The part of an output that existed. */
  readonly output?: JsonValue;
  /**
   * It was executed, and its result cannot be used; `output` is that result, if it could be kept.
   */
  readonly isUnusable?: true;
  /** The worker of the effect vanished; the effect may be repeated where that is safe. */
  readonly isLost?: boolean;
  /** For the internal record only: it may hold stacks, paths and secrets. */
  readonly thrown?: unknown;
  readonly suppressed?: readonly Suppressed[];
}

export type EffectResult = EffectSuccess | EffectFailure;

export type Effect<Request> = (request: Request, context: EffectContext) => Promise<EffectResult>;

/** Makes an effect keep the promise of this file even where it has a bug. */
export function neverRejecting<Request>(effect: Effect<Request>): Effect<Request> {
  return (request, context) => resultOf(() => effect(request, context), context);
}

/** Runs one attempt; a thrown value becomes a failure. */
export function resultOf(
  run: () => Promise<EffectResult>,
  context: Pick<EffectContext, 'redactor'>,
): Promise<EffectResult> {
  const failed = (thrown: unknown): EffectFailure => ({
    ok: false,
    failure: failureOfBug(thrown, context),
    thrown,
  });
  try {
    return run().catch(failed);
  } catch (thrown) {
    return Promise.resolve(failed(thrown));
  }
}

/** The failure of an effect that was aborted before its first step. */
export function cancelledBefore(kind: CancellationKind): EffectFailure {
  const message = 'The work was cancelled before it began';
  return { ok: false, failure: { kind, message, outcome: 'not_started' } };
}

/** The failure of something that threw where nothing should throw. */
export function failureOfBug(
  thrown: unknown,
  { redactor }: Pick<EffectContext, 'redactor'>,
): ReportDraft {
  const stamp = ambientStamp();
  const draft = thrownDraft(thrown, { redactor, stamp });
  return asOwnFailure(draft, { redactor, stamp, fallback: 'call.failed' });
}

interface OwnFailureOptions {
  readonly fallback: RuntimeKind;
  readonly stamp: Stamp;
  readonly redactor?: Redactor;
}

/**
 * The draft without its own id and time, which the recorder of the failure sets. A failure of
 * another Errand has a location in that one's files, which means nothing here. A kind that ended
 * the other run must not end this one, so it becomes the cause of a failure that routes can take.
 */
export function asOwnFailure(draft: ReportDraft, options: OwnFailureOptions): ReportDraft {
  const { id: _id, at: _at, ...open } = draft;
  if (open.rule?.id !== PROBLEM_RULE) return open;
  const { location: _location, ...here } = open;
  return endsTheRun(here.kind) ? asCause(draft, options) : here;
}

/** A failure that routes can take, caused by one that they cannot. */
export function asCause(
  { location: _location, ...draft }: ReportDraft,
  { fallback, stamp, redactor }: OwnFailureOptions,
): ReportDraft {
  const cause = buildReport(draft, { stamp, redactor });
  const { message, category, retryable, outcome } = cause;
  return { kind: fallback, message, category, retryable, outcome, cause };
}
