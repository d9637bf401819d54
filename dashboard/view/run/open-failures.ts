/**
 * Open failures of a run: the one that it ended with, or those that it waits with. Handled failures
 * appear in their steps.
 */
import type { PersonReport } from '../../../src/errors/report/audiences.ts';
import { isPlainObject } from '../../../src/errors/support/safe-json.ts';
import { waitingFailure } from '../../../src/history/run-view/read-view.ts';
import type { StepView } from '../../../src/history/run-view/view.ts';
import type { RunEvent } from '../../../src/machine/state/events.ts';
import type { RunPageData } from './page-data.ts';

export function openFailures(page: RunPageData): readonly PersonReport[] {
  const { view, status, questions, error = view?.error } = page;
  if (error !== undefined && status === 'failed') return [error];
  if (status === 'completed' || status === 'cancelled') return [];
  const asked = questions.flatMap(({ error: own }) => own ?? []);
  const waiting = [...(view?.steps ?? [])].flatMap((step) => waitsWith(step, page));
  return uniqueById([...asked, ...waiting]);
}

/** Shorter waits of a running run end before anybody has read of them. */
const WORTH_A_LOOK_MS = 5000;

function waitsWith(
  step: StepView,
  { status, nextTry }: RunPageData,
): PersonReport | readonly never[] {
  const failure = waitingFailure(step);
  if (failure === undefined) return [];
  const isOwn = step.status === 'waiting' && step.error !== undefined;
  if (isOwn || status !== 'running') return step.error ?? failure.error;
  const untilMs = nextTry?.path === step.path ? Date.parse(nextTry.at) : 0;
  return untilMs - Date.parse(failure.at) >= WORTH_A_LOOK_MS ? failure.error : [];
}

function uniqueById(reports: readonly PersonReport[]): readonly PersonReport[] {
  return [...new Map(reports.map((report) => [report.id, report])).values()];
}

/** Whether a reply that arrived is the reason. */
export function isByReply({ kind }: PersonReport): boolean {
  return kind === 'agent.output_invalid';
}

/**
 * The last reply of a model in a step; in the form that was sent if it was too long for an event.
 */
export function lastReply(events: readonly RunEvent[], path: string): unknown {
  const said = events.findLast(
    (event) =>
      event.type === 'effect:succeeded' && event.path === path && event.effect.type === 'model',
  );
  if (said?.type !== 'effect:succeeded') return undefined;
  const { output } = said;
  return isPlainObject(output) && output['text'] !== undefined ? output['text'] : output;
}
