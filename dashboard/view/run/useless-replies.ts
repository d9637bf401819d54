/**
 * Calls that led to a failure by a reply: those with an unusable reply, and those that failed
 * before.
 */
import type { PersonReport } from '../../../src/errors/report/audiences.ts';
import type { FailureHistory, FailureStep } from '../../../src/history/failure-history.ts';
import type { LedgerRow } from '../../../src/history/run-view/ledger-row.ts';
import { isByReply } from './open-failures.ts';
import type { RunPageData } from './page-data.ts';

export interface UselessReply extends LedgerRow {
  /** The message of the call that failed; undefined until the history is loaded. */
  readonly message?: string | undefined;
}

/**
 * A complete reply that does not fit is no failed call, so the report does not list it. The earlier
 * failed calls of its step belong with it: without them the costs would not add up.
 */
export function uselessReplies(
  { view, life = [] }: Pick<RunPageData, 'view' | 'life'>,
  report: PersonReport,
): readonly UselessReply[] {
  if (view === undefined || !isByReply(report)) return [];
  const { rows, sentBack } = view.costs;
  const messages = messagesOf(life, report.location?.path);
  return [...rows].flatMap((row, at): UselessReply | readonly never[] => {
    if (row.path !== report.location?.path) return [];
    if (row.outcome === 'succeeded') return sentBack.includes(at) ? row : [];
    return { ...row, message: messages.get(row.kind ?? '')?.shift() };
  });
}

type FailedStep = Extract<FailureStep, { type: 'failed' }>;

/** Messages by kind, in order: the ledger and the history both have one for each call. */
function messagesOf(
  life: readonly FailureHistory[],
  path: string | undefined,
): ReadonlyMap<string, string[]> {
  const failed = life
    .flatMap(({ steps }) => steps)
    .filter(
      (step): step is FailedStep & Pick<FailureStep, 'at'> =>
        step.type === 'failed' && step.layer === 'effect' && step.path === path,
    )
    .toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const groups = Map.groupBy(failed, ({ kind }) => kind);
  return new Map([...groups].map(([kind, steps]) => [kind, steps.map(({ message }) => message)]));
}
