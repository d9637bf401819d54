/** The run as every answer has it: what `errand show` prints, with its number, attention and next moves. */
import { runMoves, type FoldedRun, type MoveContext } from '../../engine/build-run-page.ts';
import { shownView } from '../../engine/shown-run.ts';
import type { RunMoves } from '../../history/run-page.ts';
import type { RunStatusName } from '../../machine/ports/store-port.ts';
import type { RunCore } from '../core.ts';
import type { CheckedRequest } from '../http/http-route.ts';
import { driftFrom } from './file-drift.ts';
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
export async function shownRun(
  core: RunCore,
  run: string,
  request: Pick<CheckedRequest, 'visitor'>,
): Promise<ShownRun> {
  const folded = await core.folds.viewOf(run);
  const { record, status } = folded;
  const { seq, attention, nextMoves: moves, inDoubt } = await movesOf(core, folded, request);
  const view = shownView(folded.view, { record, status, directory: core.directory, inDoubt });
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

export async function movesOf(
  core: RunCore,
  folded: FoldedRun,
  { visitor }: Pick<CheckedRequest, 'visitor'>,
): Promise<RunMoves> {
  const { directory, base } = core;
  const isForPerson = visitor?.isPerson === true;
  const resumption = await resumptionOf(core, folded);
  return runMoves(folded, { directory, base, isForPerson, ...resumption });
}

/** Whether this server can resume the run, and whether its file has changed under finished nodes. */
async function resumptionOf(
  core: RunCore,
  folded: FoldedRun,
): Promise<Pick<MoveContext, 'canResume' | 'resumeObstacle' | 'needsAccept'>> {
  const { record, status } = folded;
  const not = { canResume: false, needsAccept: false };
  if (status === 'running' || status === 'cancelled') return not;
  const served = await core.workflows.find(record.workflow);
  if (served === undefined) return { ...not, resumeObstacle: 'not_served' };
  const { plan, secrets } = served;
  if (plan === undefined) return { ...not, resumeObstacle: 'not_valid' };
  const { needsAccept } = await driftFrom(core, folded, { plan, secrets });
  return { canResume: true, needsAccept };
}
