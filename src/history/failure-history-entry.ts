/** Entry of a failure history while it is built: the current error, and the steps so far. */
import { forPerson } from '../errors/report/audiences.ts';
import { causesOf } from '../errors/render/report-words.ts';
import type { ErrorReport } from '../errors/report/report.ts';
import type { RunEvent } from '../machine/state/events.ts';
import type { FailureHistory, FailureStep } from './failure-history.ts';

type EffectEvent = Extract<RunEvent, { type: `effect:${string}` }>;

export interface FailureHistoryEntry {
  readonly path: string | undefined;
  readonly node: string | undefined;
  readonly startedAt: string;
  readonly source: FailureHistory['source'];
  readonly key: string | undefined;
  readonly ids: Set<string>;
  readonly steps: FailureStep[];
  status: FailureHistory['status'];
  endedAt: string | undefined;
  joined: string | undefined;
  error: ErrorReport;
  /** The node that has failed with it; undefined while only an effect has failed. */
  failedNode: string | undefined;
}

export interface Origin {
  readonly source: FailureHistory['source'];
  readonly at: string;
  readonly key?: string;
  readonly path?: string;
  readonly node?: string;
}

export interface HistoryEnd {
  readonly status: FailureHistory['status'];
  readonly how: string;
}

export function newHistoryEntry(
  error: ErrorReport,
  { source, at, key, path, node }: Origin,
): FailureHistoryEntry {
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
  entry: FailureHistoryEntry,
  error: ErrorReport,
  where: Pick<
    Extract<FailureStep, { type: 'failed' }>,
    'layer' | 'at' | 'path' | 'target' | 'costUsdMicros'
  >,
): void {
  const { id, kind, message, outcome, rule } = forPerson(error);
  entry.error = error;
  entry.ids.add(id);
  const why = rule === undefined ? {} : { rule };
  entry.steps.push({ type: 'failed', ...where, id, kind, message, outcome, ...why });
}

export function noteEnded(
  entry: FailureHistoryEntry,
  { status, how }: HistoryEnd,
  at: string,
): void {
  entry.status = status;
  entry.endedAt = at;
  entry.steps.push({ type: 'ended', at, how });
}

export function noteAskedAgain(
  entry: FailureHistoryEntry,
  event: Extract<RunEvent, { type: 'effect:requested' }>,
): void {
  const last = entry.steps.findLast((step) => step.type === 'failed');
  if (last?.layer !== 'effect' || entry.steps.at(-1) !== last) return;
  const { at, path, effect, attempt } = event;
  entry.steps.push({
    type: 'asked_again',
    at,
    path,
    target: effect.target,
    attempt,
    waitedMs: Date.parse(at) - Date.parse(last.at),
    because: effect.target === last.target ? 'schedule' : 'fallback',
  });
}

/** All models of a chain count as one effect; a node that is retried continues its own history. */
export function isSameEffect(
  { source, key, failedNode }: FailureHistoryEntry,
  effect: EffectEvent['effect'],
): boolean {
  if (failedNode !== undefined || key === effect.key) return true;
  return effect.type === 'model' && source.type === 'model';
}

/** Whether a report is this failure, or was caused by it. */
export function isSameFailure({ ids }: FailureHistoryEntry, error: ErrorReport): boolean {
  return idsOf(error).some((id) => ids.has(id));
}

function idsOf(error: ErrorReport): readonly string[] {
  return [error, ...causesOf(error)].map(({ id }) => id);
}
