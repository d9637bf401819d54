/** The run as every answer has it: what `errand show` prints, with its number, attention and next moves. */
import { foldRun, runDigest } from '../../engine/run-digest.ts';
import { runDrift } from '../../engine/run-drift.ts';
import { runView } from '../../engine/run-view.ts';
import type { StoredRun } from '../../engine/errand.ts';
import { attentionOf } from '../../history/attention.ts';
import { nextMoves, type NextMove } from '../../history/next-moves.ts';
import type { RunStatusName } from '../../machine/ports/store-port.ts';
import type { RunState } from '../../machine/state/state.ts';
import type { ServerCore } from '../core.ts';
import type { CheckedRequest } from '../http/route.ts';
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
  core: ServerCore,
  run: string,
  { visitor }: Pick<CheckedRequest, 'visitor'>,
): Promise<ShownRun> {
  const stored = await (await core.engine()).stored(run);
  const { record, events, status } = stored;
  const state = foldRun(record, events);
  const { seq, needs, questions } = runDigest(record, events, state);
  const view = runView({ ...stored, state, directory: core.directory });
  const href = (of: 'input' | 'output'): (() => string) => {
    return () => valueHref(core.base, run, { of });
  };
  const { canResume, needsAccept } = await resumption(core, stored, state);
  const moves: readonly NextMove[] = nextMoves(
    {
      run,
      status,
      reasons: needs.reasons,
      questions,
      isForPerson: visitor?.isPerson === true,
      canResume,
      needsAccept,
    },
    core.base,
  );
  const { output } = view;
  const body = {
    ...view,
    input: shownValue(view.input, href('input')),
    ...(output === undefined ? {} : { output: shownValue(output, href('output')) }),
    seq,
    attention: attentionOf(status, needs),
    nextMoves: moves,
  };
  return { body, status, etag: runTag(seq, status) };
}

/** Whether this server can resume the run, and whether its file has changed under finished nodes. */
async function resumption(
  core: ServerCore,
  { record, events, status }: StoredRun,
  state: RunState,
): Promise<{ readonly canResume: boolean; readonly needsAccept: boolean }> {
  if (status === 'running' || status === 'cancelled')
    return { canResume: false, needsAccept: false };
  const served = await core.workflows.find(record.workflow);
  if (served?.plan === undefined) return { canResume: false, needsAccept: false };
  const { needsAccept } = runDrift(record, events, served.plan, state);
  return { canResume: true, needsAccept };
}
