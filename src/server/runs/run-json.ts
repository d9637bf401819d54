/** The run as every answer has it: what `errand show` prints, with its number, attention and next moves. */
import type { OpenQuestion } from '../../history/open-questions.ts';
import { attentionOf, type Attention } from '../../history/attention.ts';
import { nextMoves, type NextMove } from '../../history/next-moves.ts';
import { shownFile, shownView } from '../../engine/run-view.ts';
import type { NamedUnknownOutcome } from '../../machine/policy/unknown-outcome.ts';
import type { RunStatusName } from '../../machine/ports/store-port.ts';
import type { ServerCore } from '../core.ts';
import type { FoldedRun } from './run-folds.ts';
import { shownValue, valueHref } from './shown-values.ts';

export interface ShownRun {
  readonly body: object;
  readonly status: RunStatusName;
  readonly etag: string;
}

/** A process can die without an event, so the tag has the status too. */
export function runTag(seq: number, status: RunStatusName): string {
  return `"${seq}-${status}"`;
}

/** Rejects with `run.not_found`. */
export async function shownRun(core: ServerCore, run: string): Promise<ShownRun> {
  const folded = await core.folds.of(run);
  const { record, status, fold } = folded;
  const { seq, attention, nextMoves: moves, inDoubt } = await runMoves(core, folded);
  const view = shownView(fold.view, { record, status, directory: core.directory, inDoubt });
  const href = (of: 'input' | 'output'): (() => string) => {
    return () => valueHref(core.base, run, { of });
  };
  const { output } = view;
  const body = {
    ...view,
    input: shownValue(view.input, href('input')),
    ...(output === undefined ? {} : { output: shownValue(output, href('output')) }),
    seq,
    attention,
    nextMoves: moves,
  };
  return { body, status, etag: runTag(seq, status) };
}

/** What can be done with a run now, and why a person should. */
export interface RunMoves {
  readonly run: string;
  readonly workflow: string;
  /** Seen from the folder of the server. */
  readonly file: string | null;
  readonly status: RunStatusName;
  readonly attention: Attention;
  readonly seq: number;
  readonly nextMoves: readonly NextMove[];
  /** Effects that may have happened. */
  readonly inDoubt: readonly NamedUnknownOutcome[];
  readonly questions: readonly OpenQuestion[];
}

export async function runMoves(core: ServerCore, folded: FoldedRun): Promise<RunMoves> {
  const { record, status, fold } = folded;
  const { run, workflow } = record;
  const needs = fold.needs();
  const questions = fold.questions();
  const resumption = await resumptionOf(core, folded);
  return {
    run,
    workflow,
    file: shownFile(record.file, core.directory),
    status,
    attention: attentionOf(status, needs),
    seq: fold.view.seq,
    nextMoves: nextMoves(
      { run, status, reasons: needs.reasons, questions, ...resumption },
      core.base,
    ),
    inDoubt: fold.inDoubt(),
    questions,
  };
}

/** Whether this server can resume the run, and whether its file has changed under finished nodes. */
async function resumptionOf(
  core: ServerCore,
  { record, status, fold }: FoldedRun,
): Promise<{ readonly canResume: boolean; readonly needsAccept: boolean }> {
  if (status === 'running' || status === 'cancelled')
    return { canResume: false, needsAccept: false };
  const served = await core.workflows.find(record.workflow);
  if (served?.plan === undefined) return { canResume: false, needsAccept: false };
  return { canResume: true, needsAccept: fold.drift(served.plan).needsAccept };
}
