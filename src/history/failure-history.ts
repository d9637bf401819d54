/**
 * Failure history: for each failure of a run, from its events, its origin, every attempt and wait,
 * the layers it crossed, the route that handled it, and why earlier routes did not. Handled
 * failures have one too. All attempts of an effect, and of its node, belong to one history until
 * the failure is over.
 */
import type { JsonValue } from '../errors/support/safe-json.ts';
import { forPerson, type PersonReport } from '../errors/report/audiences.ts';
import { causesOf } from '../errors/render/report-words.ts';
import type { ErrorReport, ProviderFacts, RuleReceipt } from '../errors/report/report.ts';
import type { Outcome } from '../errors/catalog/vocabulary.ts';
import type { WorkflowPlan } from '../workflow/plan/plan.ts';
import type { MoveType } from '../workflow/plan/route-plan.ts';
import type { RouteBucket, RunEvent } from '../machine/state/events.ts';
import { FailureHistoryBuilder } from './failure-history-builder.ts';
import type { FailureHistoryEntry } from './failure-history-entry.ts';
import type { SkippedRoute } from './skipped-routes.ts';

export const FAILURE_ENDS = [
  /** A route, a retry or a person handled it, and the run continued. */
  'handled',
  /** It ended the run, or one leg of it. */
  'failed',
  /** It became a part of the failure of its group. */
  'joined',
  /** An enclosing node or the run ended without it. */
  'cancelled',
  /** Not over yet. */
  'open',
] as const;

export type FailureStep = { readonly at: string; readonly path?: string } & (
  | {
      readonly type: 'failed';
      readonly layer: 'effect' | 'node' | 'run';
      readonly id: string;
      readonly kind: string;
      readonly message: string;
      readonly outcome: Outcome;
      readonly target?: string;
      /** Why it was classified as this kind. */
      readonly rule?: RuleReceipt;
      readonly costUsdMicros?: number;
    }
  | {
      readonly type: 'asked_again';
      readonly target: string;
      /** Attempt of the effect, from 0. */
      readonly attempt: number;
      readonly waitedMs: number;
      /** `fallback`: another model of the chain. */
      readonly because: 'schedule' | 'fallback';
    }
  | { readonly type: 'retrying'; readonly attempt: number; readonly delayMs: number }
  | {
      readonly type: 'route';
      readonly bucket: RouteBucket;
      readonly rule?: number;
      readonly move: MoveType;
      readonly to?: string;
      readonly until?: string;
      readonly passed: readonly SkippedRoute[];
    }
  | { readonly type: 'asked'; readonly gate: string; readonly options: readonly JsonValue[] }
  | {
      readonly type: 'answered';
      readonly gate: string;
      readonly value: JsonValue;
      readonly by: string;
    }
  | { readonly type: 'expired'; readonly gate: string }
  | { readonly type: 'suppressed'; readonly reason: string }
  | { readonly type: 'ended'; readonly how: string }
);

export interface FailureHistory {
  /** The correlation id of the failure as it ended. */
  readonly id: string;
  readonly kind: string;
  readonly status: (typeof FAILURE_ENDS)[number];
  /** Where it began. */
  readonly node?: string;
  readonly path?: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  /** The origin of the failure: the effect and its target, or the node itself. */
  readonly source: {
    readonly type: 'model' | 'tool' | 'script' | 'call' | 'transform' | 'node' | 'run';
    readonly target?: string;
    readonly provider?: ProviderFacts;
  };
  /** Why it was classified as its final kind. */
  readonly rule?: RuleReceipt;
  /** The correlation id of the group's failure that it became a part of. */
  readonly joined?: string;
  /** The workflows and nodes that it passed through, from the inside out. */
  readonly layers: NonNullable<ErrorReport['frames']>;
  /** As it ended. */
  readonly error: PersonReport;
  readonly steps: readonly FailureStep[];
}

/** `plan`: the one that the run was started with; later plans are in its events. */
export function failureHistories(
  plan: WorkflowPlan,
  events: Iterable<RunEvent>,
): readonly FailureHistory[] {
  const builder = new FailureHistoryBuilder(plan);
  for (const event of events) builder.add(event);
  return builder.entries.map(toFailureHistory);
}

function toFailureHistory(entry: FailureHistoryEntry): FailureHistory {
  const { error, status, node, path, startedAt, endedAt, source, joined, steps } = entry;
  const rule = [error, ...causesOf(error)].find((each) => each.rule !== undefined)?.rule;
  return {
    id: error.id,
    kind: error.kind,
    status,
    ...(node === undefined ? {} : { node }),
    ...(path === undefined ? {} : { path }),
    startedAt,
    ...(endedAt === undefined ? {} : { endedAt }),
    source,
    ...(rule === undefined ? {} : { rule }),
    ...(joined === undefined ? {} : { joined }),
    layers: error.frames ?? [],
    error: forPerson(error),
    steps,
  };
}
