/**
 * The life of each failure of a run, told from its events: where it came from, every try and every
 * wait, the layers it crossed, the route that took it and why earlier ones did not. Handled failures
 * have a life too. One life is one trouble: the tries of an effect, and of the node around it, belong
 * together until the trouble is over.
 */
import type { JsonValue } from '../errors/json.ts';
import { forPerson, type PersonReport } from '../errors/project.ts';
import { causesOf } from '../errors/render/words.ts';
import type { ErrorReport, ProviderFacts, RuleReceipt } from '../errors/report.ts';
import type { Outcome } from '../errors/vocabulary.ts';
import type { WorkflowPlan } from '../workflow/model.ts';
import type { MoveType } from '../workflow/route.ts';
import type { RouteBucket, RunEvent } from './events.ts';
import { LifeBook } from './life-book.ts';
import type { Life } from './life.ts';
import type { PassedRoute } from './passed-routes.ts';

export const LIFE_ENDS = [
  /** Something took it and the run went on. */
  'handled',
  /** It ended the run, or the leg of it. */
  'failed',
  /** It became a part of the failure of its group. */
  'joined',
  /** What it was part of ended without it. */
  'cancelled',
  /** Still being dealt with. */
  'open',
] as const;

export type LifeStep = { readonly at: string; readonly path?: string } & (
  | {
      readonly type: 'failed';
      readonly layer: 'effect' | 'node' | 'run';
      readonly id: string;
      readonly kind: string;
      readonly message: string;
      readonly outcome: Outcome;
      readonly target?: string;
      /** Why it was taken for what it is. */
      readonly rule?: RuleReceipt;
      readonly costUsdMicros?: number;
    }
  | {
      readonly type: 'asked_again';
      readonly target: string;
      /** Of the effect, from 0. */
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
      readonly passed: readonly PassedRoute[];
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

export interface FailureLife {
  /** The correlation id of the failure as it ended. */
  readonly id: string;
  readonly kind: string;
  readonly status: (typeof LIFE_ENDS)[number];
  /** Where it began. */
  readonly node?: string;
  readonly path?: string;
  readonly startedAt: string;
  readonly endedAt?: string;
  /** What failed first: the effect and its target, or the node itself. */
  readonly source: {
    readonly type: 'model' | 'tool' | 'script' | 'call' | 'transform' | 'node' | 'run';
    readonly target?: string;
    readonly provider?: ProviderFacts;
  };
  /** Why it was taken for what it is, as it ended. */
  readonly rule?: RuleReceipt;
  /** The correlation id of the group's failure that it became a part of. */
  readonly joined?: string;
  /** The workflows and nodes that it crossed, from the inside out. */
  readonly layers: NonNullable<ErrorReport['frames']>;
  /** As it ended. */
  readonly error: PersonReport;
  readonly steps: readonly LifeStep[];
}

/** The plan is the one that the run was started with; later ones are in its events. */
export function livesOf(plan: WorkflowPlan, events: Iterable<RunEvent>): readonly FailureLife[] {
  const book = new LifeBook(plan);
  for (const event of events) book.note(event);
  return book.lives.map(toLife);
}

function toLife(life: Life): FailureLife {
  const { error, status, node, path, startedAt, endedAt, source, joined, steps } = life;
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
