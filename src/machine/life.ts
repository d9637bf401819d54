/** The life of one failure as it is being written: what it is now, and the steps that it took. */
import { forPerson } from '../errors/project.ts';
import { causesOf } from '../errors/render/words.ts';
import type { ErrorReport } from '../errors/report.ts';
import type { RunEvent } from './events.ts';
import type { FailureLife, LifeStep } from './failure-life.ts';

type EffectEvent = Extract<RunEvent, { type: `effect:${string}` }>;

export interface Life {
  readonly path: string | undefined;
  readonly node: string | undefined;
  readonly startedAt: string;
  readonly source: FailureLife['source'];
  readonly key: string | undefined;
  readonly ids: Set<string>;
  readonly steps: LifeStep[];
  status: FailureLife['status'];
  endedAt: string | undefined;
  joined: string | undefined;
  error: ErrorReport;
  /** The node whose failure it is now; undefined while only an effect has failed. */
  failedNode: string | undefined;
}

export interface Origin {
  readonly source: FailureLife['source'];
  readonly at: string;
  readonly key?: string;
  readonly path?: string;
  readonly node?: string;
}

export interface Ending {
  readonly status: FailureLife['status'];
  readonly how: string;
}

export function newLife(error: ErrorReport, { source, at, key, path, node }: Origin): Life {
  return {
    path,
    node,
    startedAt: at,
    source,
    key,
    ids: new Set(idsOf(error)),
    steps: [],
    status: 'open',
    endedAt: undefined,
    joined: undefined,
    error,
    failedNode: undefined,
  };
}

export function noteFailed(
  life: Life,
  error: ErrorReport,
  where: Pick<
    Extract<LifeStep, { type: 'failed' }>,
    'layer' | 'at' | 'path' | 'target' | 'costUsdMicros'
  >,
): void {
  const { id, kind, message, outcome, rule } = forPerson(error);
  life.error = error;
  life.ids.add(id);
  const why = rule === undefined ? {} : { rule };
  life.steps.push({ type: 'failed', ...where, id, kind, message, outcome, ...why });
}

export function noteEnded(life: Life, { status, how }: Ending, at: string): void {
  life.status = status;
  life.endedAt = at;
  life.steps.push({ type: 'ended', at, how });
}

export function noteAskedAgain(
  life: Life,
  event: Extract<RunEvent, { type: 'effect:requested' }>,
): void {
  const last = life.steps.findLast((step) => step.type === 'failed');
  if (last?.layer !== 'effect' || life.steps.at(-1) !== last) return;
  const { at, path, effect, attempt } = event;
  life.steps.push({
    type: 'asked_again',
    at,
    path,
    target: effect.target,
    attempt,
    waitedMs: Date.parse(at) - Date.parse(last.at),
    because: effect.target === last.target ? 'schedule' : 'fallback',
  });
}

/** The models of a chain are one effort; a node that is tried again goes on with its own trouble. */
export function isSameEffect(
  { source, key, failedNode }: Life,
  effect: EffectEvent['effect'],
): boolean {
  if (failedNode !== undefined || key === effect.key) return true;
  return effect.type === 'model' && source.type === 'model';
}

/** Whether a report is what became of it, as itself or as what it was caused by. */
export function isOf({ ids }: Life, error: ErrorReport): boolean {
  return idsOf(error).some((id) => ids.has(id));
}

function idsOf(error: ErrorReport): readonly string[] {
  return [error, ...causesOf(error)].map(({ id }) => id);
}
