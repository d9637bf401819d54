/** The page of a run from its log: what it is, what failed in it, and what can be done with it. */
import { forPerson } from '../errors/report/audiences.ts';
import { attentionOf, type RunNeeds } from '../history/attention.ts';
import { failureHistories } from '../history/failure-history.ts';
import { nextMoves, type ResumeObstacle } from '../history/next-moves.ts';
import type { RunMoves, RunPage } from '../history/run-page.ts';
import { eventForPerson } from '../history/run-view/event-for-person.ts';
import { layoutGraph } from '../history/graph-layout/layout-graph.ts';
import { runGraph } from '../history/workflow-graph.ts';
import type { RunRecord, RunStatusName } from '../machine/ports/store-port.ts';
import type { RunEvent, Waiting } from '../machine/state/events.ts';
import { RunFold } from './run-fold.ts';
import { foldedView, shownFile } from './shown-run.ts';
import { planFrom } from './run/plan-text.ts';

export interface FoldedRun {
  readonly record: RunRecord;
  readonly status: RunStatusName;
  /** From the row of a paused run: a log does not say when a call is made again. */
  readonly waiting?: Waiting | undefined;
  readonly fold: RunFold;
}

/** A fold may be ahead of the row that was read before it, or empty. */
export function lastSeq({ record, fold }: Pick<FoldedRun, 'record' | 'fold'>): number {
  return Math.max(fold.seq, record.head.nextSeq - 1);
}

export interface MoveContext {
  /** The folder that the path of the file is relative to. */
  readonly directory: string;
  /** Stands before every path of a move. */
  readonly base?: string;
  /** Whether a person will see the moves: some questions only they may answer. */
  readonly isForPerson: boolean;
  /** Whether it can be resumed here. */
  readonly canResume: boolean;
  /** Why not. */
  readonly resumeObstacle?: ResumeObstacle | undefined;
  /** Whether a resume has to accept changes of the file. */
  readonly needsAccept: boolean;
}

export function runMoves(folded: FoldedRun, context: MoveContext): RunMoves {
  const { record, status, waiting, fold } = folded;
  const { directory, base, isForPerson, canResume, resumeObstacle, needsAccept } = context;
  const { run, workflow } = record;
  const needs = fold.needs();
  const reasons =
    status === 'paused' && waiting !== undefined
      ? waiting.all.map(({ reason }) => reason)
      : needs.reasons;
  const questions = fold.questions();
  return {
    run,
    workflow,
    file: shownFile(record.file, directory),
    status,
    attention: attentionOf(status, { ...needs, reasons }),
    seq: lastSeq({ record, fold }),
    nextMoves: nextMoves(
      { run, status, reasons, questions, isForPerson, canResume, needsAccept },
      base,
    ),
    ...(resumeObstacle !== undefined && isUnfinished(status) ? { resumeObstacle } : {}),
    inDoubt: fold.inDoubt(),
    questions,
    ...(needs.nextTry === undefined ? {} : { nextTry: shownTry(needs.nextTry) }),
    ...endOf(fold.last),
  };
}

function shownTry({
  path,
  atMs,
}: NonNullable<RunNeeds['nextTry']>): NonNullable<RunMoves['nextTry']> {
  return { path, at: new Date(atMs).toISOString() };
}

function isUnfinished(status: RunStatusName): boolean {
  return status === 'paused' || status === 'failed' || status === 'interrupted';
}

/** How the run ended, for a page that has not read the rest of it yet. */
function endOf(last: RunEvent | undefined): Pick<RunMoves, 'error'> {
  return last?.type === 'run:failed' ? { error: forPerson(last.error) } : {};
}

export interface PagedRun {
  readonly record: RunRecord;
  readonly status: RunStatusName;
  readonly waiting?: Waiting | undefined;
  readonly events: readonly RunEvent[];
}

export function runPage(paged: PagedRun, context: MoveContext): RunPage {
  const { record, status, waiting, events } = paged;
  const fold = new RunFold(record);
  for (const event of events) fold.add(event);
  return {
    ...runMoves({ record, status, waiting, fold }, context),
    layout: layoutGraph(runGraph(fold.plan)),
    view: foldedView(record, events),
    life: failureHistories(planFrom(record.plan), events),
    events: events.map(eventForPerson),
  };
}
